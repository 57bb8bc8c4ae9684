import { expect, test } from "vitest";
import { buildTools } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';

test.each([
  [
    "a Record in a class",
    "export class Dto { tags!: Record<string, number> }",
    "dto: Dto",
    "T.run(dto).tags",
    "{ key: string; value: number }",
  ],
  ["an index signature", "", "labels: { [key: string]: string }", "T.run(labels)", "{ key: string; value: string }"],
  [
    "a class with one besides its properties",
    "export class Dto { id!: string; [key: string]: string }",
    "dto: Dto",
    "T.run(dto)",
    "{ key: string; value: string }",
  ],
  [
    "numbers as keys, deep down",
    "interface Row { cells: { [index: number]: boolean }[] }",
    "rows: Row[]",
    "T.run(rows)[].cells[]",
    "{ key: number; value: boolean }",
  ],
])("%s stops the build with its path and a way out", async (_, types, parameter, path, way) => {
  const { result, text } = await buildTools(`${types}\nexport class T { ${described} run(${parameter}): void {} }`);
  expect(result.ok).toBe(false);
  expect(text).toBe("");
  expect(result.problems).toHaveLength(1);
  expect(result.problems[0]).toMatchObject({ file: "src/tools.ts", subject: path, reason: expect.stringContaining("free keys") as string });
  expect(result.problems[0]?.fix).toContain(way);
});

test("a Record of named keys is an object with those properties", async () => {
  const { tools } = await buildTools(`export class T { ${described} run(sides: Record<"left" | "right", number>): void {} }`);
  expect(tools["run"]?.parameters.properties).toEqual({ left: { type: "number" }, right: { type: "number" } });
});
