import { expect, test } from "vitest";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';

test("every key of every object is required; optional ones accept null and are decoded to absent", async () => {
  const { tools } = await buildTools(`
    export class Q { term!: string; page?: number; where?: { city?: string } }
    export class T { ${described} find(q: Q): void {} }`);
  expectStrictSchema(tools["find"]?.parameters);
  expect(tools["find"]?.parameters).toEqual({
    type: "object",
    properties: {
      term: { type: "string" },
      page: { type: ["number", "null"] },
      where: {
        anyOf: [
          { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"], additionalProperties: false },
          { type: "null" },
        ],
      },
    },
    required: ["term", "page", "where"],
    additionalProperties: false,
  });
  expect(tools["find"]?.decode).toEqual({
    optional: ["page", "where"],
    dto: "Q",
    properties: { where: { anyOf: [{ optional: ["city"] }, null] } },
  });
});

test("in array items, in branches of a union and in definitions too", async () => {
  const { tools } = await buildTools(`
    interface Leaf { kind: "leaf"; size?: number }
    interface Node { kind: "node"; children?: (Leaf | Node)[]; note?: string }
    export class T { ${described} grow(list: { at?: string }[], tree: Leaf | Node, name?: string): void {} }`);
  const parameters = tools["grow"]?.parameters;
  expectStrictSchema(parameters);
  expect(parameters?.required).toEqual(["list", "tree", "name"]);
  expect(parameters?.properties["list"]?.items).toMatchObject({ properties: { at: { type: ["string", "null"] } }, required: ["at"] });
  // The union contains itself, so it is a definition, and its branches are there.
  const [leaf, node] = Object.values(parameters?.$defs ?? {}).flatMap((definition) => definition.anyOf ?? []);
  expect(leaf).toMatchObject({ properties: { size: { type: ["number", "null"] } }, required: ["kind", "size"] });
  expect(node).toMatchObject({
    properties: { children: { type: ["array", "null"] }, note: { type: ["string", "null"] } },
    required: ["kind", "children", "note"],
  });
});
