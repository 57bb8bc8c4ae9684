import { expect, test } from "vitest";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';
const closed = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

test("parts that agree are one closed object", async () => {
  const { tools, text } = await buildTools(`
    interface HasHref { href: string; id?: string } interface Templated { templated?: boolean; id: string }
    export class Link { part!: HasHref & Templated; named!: HasHref & { name: "x" } & Partial<Templated> }
    export class T { ${described} run(link: Link): void {} }`);
  expectStrictSchema(tools["run"]?.parameters);
  expect(tools["run"]?.parameters.properties).toEqual({
    part: closed({ href: { type: "string" }, id: { type: "string" }, templated: { type: ["boolean", "null"] } }),
    named: closed({
      href: { type: "string" },
      id: { type: ["string", "null"] },
      name: { type: "string", enum: ["x"] },
      templated: { type: ["boolean", "null"] },
    }),
  });
  expect(text).not.toContain("allOf");
});

test("an intersection distributes over a union", async () => {
  const { tools } = await buildTools(`
    interface A { by: "mail"; address: string } interface B { by: "phone"; number: string } interface C { urgent: boolean }
    export class T { ${described} run(more: (A | B) & C, other: string): void {} }`);
  expectStrictSchema(tools["run"]?.parameters);
  expect(tools["run"]?.parameters.properties["more"]).toEqual({
    anyOf: [
      closed({ by: { type: "string", enum: ["mail"] }, address: { type: "string" }, urgent: { type: "boolean" } }),
      closed({ by: { type: "string", enum: ["phone"] }, number: { type: "string" }, urgent: { type: "boolean" } }),
    ],
  });
});

test.each([
  ["{ id: string } & { id: number }", /declare `id` with different types/],
  ["{ id: string } & { id: string | null }", /declare `id` with different types/],
  ["{ id: string } & { id: 'a' }", /declare `id` with different types/],
  ["{ in: { a: string } } & { in: { b: string } }", /declare `in` with different types/],
  ["string[] & { id: string }", /no single JSON value/],
  ["{ id: string } & Record<string, string>", /free keys/],
  ["{ id: string } & (() => void)", /function/],
  ["{ id: string } & Gone", /cannot be resolved/],
])("%s stops the build", async (type, reason) => {
  const { result } = await buildTools(`export class T { ${described} run(value: ${type}, other: string): void {} }`);
  expect(result.problems.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^T\.run\(value\)/) as string]);
  expect(result.problems[0]?.reason).toMatch(reason);
});
