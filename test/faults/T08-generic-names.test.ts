import type { ObjectSchema, SchemaNode } from "@toolwright/core";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';

function nodesOf(node: SchemaNode): readonly SchemaNode[] {
  const children = [...Object.values(node.properties ?? {}), ...Object.values(node.$defs ?? {}), ...(node.anyOf ?? []), node.items];
  return [node, ...children.flatMap((child) => (child === undefined ? [] : nodesOf(child)))];
}

/** Every reference leads to a definition, and every definition has a plain name of its own. */
function expectResolved(schema: ObjectSchema | undefined): readonly string[] {
  expectStrictSchema(schema);
  if (schema === undefined) return [];
  const names = Object.keys(schema.$defs ?? {});
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
  const references = nodesOf(schema).flatMap(({ $ref }) => $ref ?? []);
  expect([...new Set(references)].sort()).toEqual(names.map((name) => `#/$defs/${name}`).sort());
  new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
  return names;
}

test("generic types have plain, distinct names, and every reference resolves", async () => {
  const { tools } = await buildTools(`
    interface Box<T> { value: T }
    interface A { a: string; b?: number }
    interface Holder {
      box: Box<string>; again: Box<string>; other: Box<number>; others: Box<number>[];
      part: Partial<A>; parts: Partial<A>[]; pick: Pick<Box<number>, "value">; picks: Pick<Box<number>, "value">[];
      deep: Box<Box<string>[]>; deeper: Box<Box<string>[]>; union: Box<"x" | "<y>">; unions: Box<"x" | "<y>">[];
    }
    export class T { ${described} run(holder: Holder, name: string): void {} }`);
  const names = expectResolved(tools["run"]?.parameters);
  expect(names).toEqual(expect.arrayContaining(["Box_string", "Box_number", "Partial_A"]));
  expect(new Set(names).size).toBe(names.length);
});

test("generic recursion and same-named types of two files keep apart", async () => {
  const { tools } = await buildTools(
    `import type { Item as Other } from "./other.js";
    interface Item { here: string }
    interface List<T> { value: T; next?: List<T> }
    export class T { ${described} run(a: List<Item>, b: List<Other>, c: Item, d: Other): void {} }`,
    { "src/other.ts": "export interface Item { there: number }" },
  );
  const schema = tools["run"]?.parameters;
  const names = expectResolved(schema);
  expect(names).toEqual(["List_Item", "Item", "List_Item_2", "Item_2"]);
  expect(Object.keys(schema?.$defs?.["Item"]?.properties ?? {})).toEqual(["here"]);
  expect(Object.keys(schema?.$defs?.["Item_2"]?.properties ?? {})).toEqual(["there"]);
});

test("the same in an output", async () => {
  const { text } = await buildTools(`
    interface Box<T> { value: T }
    /** An answer. */ @Output() export class Answer { /** One. */ one!: Box<string>; /** Two. */ two!: Box<string>; /** Three. */ three!: Box<string[]>[] }`);
  expect(text).toContain('"$ref": "#/$defs/Box_string"');
  expect(text).not.toMatch(/%3C|#\/definitions|Box</);
});
