import { expect, test } from "vitest";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';

test.each([
  ["[string, ...boolean[]]", /optional or rest/],
  ["[number, string?]", /optional or rest/],
  ["[number, string]", /different types/],
  ["[1, 2]", /different types/],
  ["[]", /without elements/],
])("the tuple %s stops the build with its path", async (type, reason) => {
  const { result, text } = await buildTools(`
    export class Dto { fine!: string; span!: ${type} }
    export class T { ${described} run(dto: Dto): void {} }`);
  expect(text).toBe("");
  expect(result.problems.map(({ subject }) => subject)).toEqual(["T.run(dto).span"]);
  expect(result.problems[0]?.reason).toMatch(reason);
  expect(result.problems[0]?.fix).toContain("an object with a named property for each element");
  expect(result.problems[0]?.excerpt?.text).toContain(`span!: ${type}`);
});

test("a tuple of one type is an array of exactly that length", async () => {
  const { tools, text } = await buildTools(`
    export class Dto { span!: [number, number]; pair?: readonly [from: Date, to: Date] }
    export class T { ${described} run(dto: Dto, grid: [boolean, boolean, boolean][]): void {} }`);
  const parameters = tools["run"]?.parameters;
  expectStrictSchema(parameters);
  expect(parameters?.properties).toMatchObject({
    dto: {
      properties: {
        span: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 },
        pair: { type: ["array", "null"], items: { type: "string", format: "date-time" }, minItems: 2, maxItems: 2 },
      },
    },
    grid: { type: "array", items: { type: "array", items: { type: "boolean" }, minItems: 3, maxItems: 3 } },
  });
  expect(text).not.toMatch(/prefixItems|additionalItems/);
});
