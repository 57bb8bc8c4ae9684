import { expect, test } from "vitest";
import { buildTools, imports, ToolProject, tsconfig } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';

test.each([
  ["Map<string, number>", "Map"],
  ["Set<string>", "Set"],
  ["URL", "URL"],
  ["RegExp", "RegExp"],
  ["Uint8Array", "Uint8Array"],
  ["Promise<string>", "Promise"],
  ["Table", "Map"],
])("%s is refused by name, with a way out", async (type, name) => {
  const { result, text } = await buildTools(`
    export class Table extends Map<string, string> {}
    export class Dto { fine!: string; bad!: ${type} }
    export class T { ${described} run(dto: Dto): void {} }`);
  expect(text).toBe("");
  expect(result.problems).toHaveLength(1);
  expect(result.problems[0]).toMatchObject({ subject: "T.run(dto).bad", file: "src/tools.ts" });
  expect(result.problems[0]?.reason).toMatch(new RegExp(`\\b${name}\\b.*no form in JSON`));
  expect(result.problems[0]?.fix).toMatch(/^(Use|Take|Declare) /);
});

test.each(["bigint", "symbol", "1n"])("%s is refused as a scalar, without properties of its library type", async (type) => {
  const { result } = await buildTools(`export class T { ${described} run(bad: ${type}, fine: string): void {} }`);
  expect(result.problems.map(({ subject, reason }) => [subject, reason])).toEqual([
    ["T.run(bad)", expect.stringContaining("arguments are JSON") as string],
  ]);
});

test("a Buffer of @types/node is one of them", async () => {
  using project = new ToolProject({
    "node_modules/@types/node/package.json": '{ "name": "@types/node", "types": "index.d.ts" }',
    "node_modules/@types/node/index.d.ts": "interface Buffer extends Uint8Array { swap16(): Buffer }",
    "tsconfig.json": tsconfig({ types: ["node"] }),
    "src/tools.ts": `${imports}export class T { ${described} run(bytes: Buffer): void {} }`,
  });
  const { problems } = await project.build();
  expect(problems.map(({ reason, fix }) => [reason, fix])).toEqual([
    ["Buffer is an object of the run time, not data: it has no form in JSON.", "Take the bytes as a base64 string."],
  ]);
});

test("a Date is data, and two builds in one process write the same bytes", async () => {
  const source = `export class T { ${described} run(at: Date, all: Date[], until?: Date | null): void {} }`;
  const [first, second] = [await buildTools(source), await buildTools(source)];
  expect(first.tools["run"]?.parameters.properties).toEqual({
    at: { type: "string", format: "date-time" },
    all: { type: "array", items: { type: "string", format: "date-time" } },
    until: { type: ["string", "null"], format: "date-time" },
  });
  expect(second.text).toBe(first.text);
  expect(first.text).not.toMatch(/__@|toStringTag/);
});
