import { expect, test } from "vitest";
import { buildTools, expectStrictSchema, tsconfig } from "../support/tool-project.js";

const source = (type: string): string => `
  export class Dto { optional?: ${type} | null; orUndefined!: ${type} | undefined; list!: (${type} | null)[]; nothing?: undefined; never?: never; plain!: ${type} | null }
  export class T { /** Takes what this test is about. */ @Tool({ effect: "read" }) run(dto: Dto): void {} }`;

test.each([
  ["string", { type: "string" }, { type: ["string", "null"] }],
  ["number", { type: "number" }, { type: ["number", "null"] }],
  ['"a" | "b"', { type: "string", enum: ["a", "b"] }, { type: ["string", "null"], enum: ["a", "b", null] }],
  ["string[]", { type: "array", items: { type: "string" } }, { type: ["array", "null"], items: { type: "string" } }],
])("every form of null with %s is nullable, and what can only be undefined is no property", async (type, _, nullable) => {
  const { tools } = await buildTools(source(type));
  const parameters = tools["run"]?.parameters;
  expectStrictSchema(parameters);
  expect(parameters?.properties).toEqual({
    optional: nullable,
    orUndefined: nullable,
    list: { type: "array", items: nullable },
    plain: nullable,
  });
  // A declared null stays null; undefined is an absent key.
  expect(tools["run"]?.decode).toEqual({ optional: ["orUndefined"], dto: "Dto" });
});

test("an object is nullable by a union", async () => {
  const { tools } = await buildTools(source("{ a: string }"));
  const object = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
  expectStrictSchema(tools["run"]?.parameters);
  expect(tools["run"]?.parameters.properties).toMatchObject({ plain: { anyOf: [object, { type: "null" }] } });
});

test("undefined alone, or inside an array, is refused", async () => {
  const { result } = await buildTools(`export class T {
    /** Takes what this test is about. */ @Tool({ effect: "read" }) run(a: undefined, b: (string | undefined)[]): void {} }`);
  expect(result.problems.map(({ subject }) => subject)).toEqual(["T.run(a)", "T.run(b)[]"]);
});

test.each([
  ["strict off", { strict: false }],
  ["strictNullChecks off", { strictNullChecks: false }],
])("with %s in the project types are read with null all the same, and the build says so", async (_, options) => {
  const strict = await buildTools(source("string"));
  const loose = await buildTools(source("string"), { "tsconfig.json": tsconfig(options) });
  expect(loose.result.ok).toBe(true);
  expect(loose.text).toBe(strict.text);
  const [warning] = loose.result.warnings;
  expect(warning).toMatchObject({ file: "tsconfig.json", subject: "strictNullChecks" });
  expect(warning?.fix).toContain('"strict": true');
});
