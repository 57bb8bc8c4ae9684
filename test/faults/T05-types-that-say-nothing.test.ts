import { checkStrictSchema } from "@toolwright/testing";
import { expect, test } from "vitest";
import { buildTools } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';

test.each(["unknown", "any", "object", "{}"])("a property of type %s stops the build with its path", async (type) => {
  const { result, text } = await buildTools(`
    export class Dto { fine!: string; payload!: ${type} }
    export class T { ${described} run(dto: Dto): void {} }`);
  expect(result.ok).toBe(false);
  expect(text).toBe("");
  expect(result.problems.map(({ subject }) => subject)).toEqual(["T.run(dto).payload"]);
  expect(result.problems[0]?.excerpt?.text).toContain(`payload!: ${type}`);
  expect(result.problems[0]?.fix).not.toBe("");
});

test.each(["unknown[]", "Promise<any>", "string | object", "{ deep: { deeper: any } }", "Partial<any>", "Pick<{ a: unknown }, 'a'>"])(
  "so does %s as a parameter",
  async (type) => {
    const { result } = await buildTools(`export class T { ${described} run(value: ${type}, other: string): void {} }`);
    expect(result.problems.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^T\.run\(value\)/)]);
  },
);

test("a parameter without a type does too", async () => {
  const { result } = await buildTools(`export class T { ${described} run(value): void {} }`);
  expect(result.problems[0]).toMatchObject({ subject: "T.run(value)", reason: expect.stringContaining("no type") as string });
});

test("the strict checker refuses a node without a type as well", () => {
  const schema = { type: "object", properties: { payload: {} }, required: ["payload"], additionalProperties: false };
  expect(checkStrictSchema(schema)).not.toEqual([]);
});
