import type { SchemaNode } from "@toolwright/core";
import { expect, test } from "vitest";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

/** Every node of a schema that is a reference. */
function references(node: SchemaNode | undefined): readonly SchemaNode[] {
  if (node === undefined) return [];
  const children = [...Object.values(node.properties ?? {}), ...Object.values(node.$defs ?? {}), ...(node.anyOf ?? []), node.items];
  return [...(node.$ref === undefined ? [] : [node]), ...children.flatMap(references)];
}

test("two properties of one type keep their own descriptions, and nothing stands beside a reference", async () => {
  const { tools } = await buildTools(`
    /** A postal address. */
    interface Address { street: string }
    export class Order {
      /** Where to ship. */
      to!: Address;
      /** Who pays. */
      bill!: Address;
      /** Another place to ship to. */
      other?: Address;
      all!: Address[];
    }
    export class T { /** Takes what this test is about. */ @Tool({ effect: "read" }) send(order: Order): void {} }`);
  const parameters = tools["send"]?.parameters;
  expectStrictSchema(parameters);
  expect(parameters?.properties).toEqual({
    to: { description: "Where to ship.", anyOf: [{ $ref: "#/$defs/Address" }] },
    bill: { description: "Who pays.", anyOf: [{ $ref: "#/$defs/Address" }] },
    other: { description: "Another place to ship to.", anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }] },
    all: { type: "array", items: { $ref: "#/$defs/Address" } },
  });
  expect(parameters?.$defs?.["Address"]?.description).toBe("A postal address.");
  expect(references(parameters)).toHaveLength(4);
});

test("the same for parameters, recursion and unions", async () => {
  const { tools } = await buildTools(`
    interface Tree {
      /** Left branch. */
      left?: Tree;
      /** Right branch. */
      right: Tree | null;
    }
    export class T {
      /** Takes what this test is about. */ @Tool({ effect: "read" })
      plant(@Param("The first tree.") one: Tree, @Param("The second tree.") two?: Tree): void {}
    }`);
  const parameters = tools["plant"]?.parameters;
  expectStrictSchema(parameters);
  const all = references(parameters);
  expect(all.length).toBeGreaterThanOrEqual(4);
  for (const node of all) expect(Object.keys(node)).toEqual(["$ref"]);
  const text = JSON.stringify(parameters);
  for (const description of ["The first tree.", "The second tree.", "Left branch.", "Right branch."]) expect(text).toContain(description);
});
