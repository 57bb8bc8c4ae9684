import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallSlot, DecodePlan, ObjectSchema, SchemaNode } from "@toolwright/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryProject } from "../../test-support/temporary-project.js";
import { buildProject } from "../build-project.js";
import { manifestsIn } from "../emit/generated-module.js";

/** Methods with the types they need. A value that the schema allows must be one that the type allows. */
const cases: readonly (readonly [types: string, parameters: string])[] = [
  ["", "a: string, b: number, c: boolean, d: null, e?: string, f = 3, g: number | undefined = 4"],
  ["const enum Level { One = 1, Two }", 'a: "x" | 1 | true, b: `a-${string}` | null, c?: "q" | null'],
  ["interface Nulls { a?: string | null; b: string | undefined; c: (string | null)[]; d?: undefined }", "nulls: Nulls"],
  ["interface Tree { label: string; children: Tree[]; parent?: Tree | null }", "tree: Tree, more?: Tree[]"],
  ["type Nested = string | Nested[] | { value: Nested; at?: Date };", "nested: Nested, name: string"],
  [
    'interface Circle { radius: number; kind: "circle" } interface Square { side: number; kind: "square"; note?: string }',
    "shape: Circle | Square, all: (Circle | Square | null)[]",
  ],
  [
    "interface User { id: number; name: string; email?: string }",
    'a: Partial<User>, b: Pick<User, "name" | "id">, c: Omit<User, "name">, d: Required<User>',
  ],
  ["interface ById { name?: string; id: number } interface ByCode { name?: string; code: string }", "search: ById | ByCode | string"],
  [
    'interface ByMail { by: "mail"; address: string } interface ByPhone { by: "phone"; number: string } interface Urgent { urgent: boolean }',
    "way: (ByMail | ByPhone) & Urgent",
  ],
  ["interface Box<T> { value: T; again?: Box<T> }", "a: Box<string>, b: Box<Box<number>[]>, c: Record<'x' | 'y', boolean>"],
  [
    "export class Line { sku!: string; count?: number; since?: Date } export class Order { lines!: Line[]; first?: Line; kind = 'order' as const }",
    "order: Order",
  ],
  ["", "span: [number, number], names: readonly [string, string] | null, list: string[] | number[], moment: Date | number"],
  [
    "interface HasHref { href: string; id?: string } interface Templated { templated?: boolean; id: string }",
    "link: HasHref & Templated, rest?: { deep: { deeper?: number[] }[] }",
  ],
];

const sourceOf = ([types, parameters]: (typeof cases)[number], index: number): string =>
  `import { Tool } from "@toolwright/core";\n${types}\nexport class Case${index} {
  /** Takes what this case is about, and no more. */ @Tool({ effect: "read" })\n  run(${parameters}): void {}\n}\n`;

/** Arbitrary TypeScript expressions for values that a schema allows, decoded as the plan says: undefined for null, a Date for its text. */
function expressions(
  node: SchemaNode,
  plan: DecodePlan | undefined,
  root: ObjectSchema,
  defs: DecodePlan["defs"],
  depth: number,
): fc.Arbitrary<string> {
  const inner = (child: SchemaNode, childPlan: DecodePlan | undefined): fc.Arbitrary<string> =>
    expressions(child, childPlan, root, defs, depth + 1);
  if (node.$ref !== undefined) {
    const name = node.$ref.slice("#/$defs/".length);
    return inner(root.$defs?.[name] ?? {}, defs?.[name]);
  }
  if (node.anyOf !== undefined) {
    const branches = node.anyOf.map((branch, index) => [branch, plan?.anyOf?.[index] ?? undefined] as const);
    // Deep down only what ends: recursion must not go on for ever.
    const ending =
      depth > 6 ? branches.filter(([branch]) => branch.$ref === undefined && branch.type !== "array" && branch.type !== "object") : [];
    return fc.oneof(...(ending.length > 0 ? ending : branches).map(([branch, branchPlan]) => inner(branch, branchPlan)));
  }
  if (node.enum !== undefined) return fc.constantFrom(...node.enum.map((value) => JSON.stringify(value)));
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  return fc.oneof(...types.map((type) => typed(type, node, plan, inner, depth)));
}

function typed(
  type: string,
  node: SchemaNode,
  plan: DecodePlan | undefined,
  inner: (child: SchemaNode, plan: DecodePlan | undefined) => fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<string> {
  switch (type) {
    case "null":
      return fc.constant("null");
    case "boolean":
      return fc.constantFrom("true", "false");
    case "number":
    case "integer":
      return fc.constantFrom("0", "-1.5", "7");
    case "string":
      if (plan?.date === true) return fc.constant('new Date("2024-05-31T12:00:00Z")');
      return node.pattern === undefined ? fc.constantFrom('""', '"x"') : fc.constantFrom('"a-"', '"a-b"');
    case "array": {
      const most = Math.min(node.maxItems ?? 2, depth > 6 ? 0 : 2);
      if (most === 0) return fc.constant("[]");
      return fc
        .array(inner(node.items ?? {}, plan?.items), { minLength: node.minItems ?? 0, maxLength: Math.max(node.minItems ?? 0, most) })
        .map((items) => `[${items.join(", ")}]`);
    }
    default: {
      const properties = Object.entries(node.properties ?? {}).map(([name, child]) =>
        inner(child, plan?.properties?.[name]).map((text) => [name, text] as const),
      );
      const isAbsent = ([name, text]: readonly [string, string]): boolean => text === "null" && plan?.optional?.includes(name) === true;
      // An absent key and an undefined one are the same to whoever reads it.
      const written = (part: readonly [string, string]): string => `${part[0]}: ${isAbsent(part) ? "undefined" : part[1]}`;
      return fc.tuple(...properties).map((parts) => `{ ${parts.map(written).join(", ")} }`);
    }
  }
}

/** The parameters of a call as a tuple. */
function callOf(slots: readonly CallSlot[], schema: ObjectSchema, plan: DecodePlan | undefined): fc.Arbitrary<string> {
  const defs = plan?.defs;
  const slot = (each: CallSlot): fc.Arbitrary<string> => {
    if (!("argument" in each)) return expressions(schema, plan, schema, defs, 0);
    const value = expressions(schema.properties[each.argument] ?? {}, plan?.properties?.[each.argument], schema, defs, 0);
    return value.map((text) => (text === "null" && plan?.optional?.includes(each.argument) === true ? "undefined" : text));
  };
  return fc.tuple(...slots.map(slot)).map((parts) => `[${parts.join(", ")}]`);
}

test("whatever a schema allows, the type of the method allows", async () => {
  using project = temporaryProject({
    ...Object.fromEntries(cases.map((each, index) => [`src/case-${index}.ts`, sourceOf(each, index)])),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2024",
        module: "nodenext",
        strict: true,
        experimentalDecorators: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
      },
      include: ["src"],
    }),
  });
  const { problems } = await buildProject({ cwd: project.directory, cache: false });
  expect(problems).toEqual([]);
  const manifests = manifestsIn(readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8"));
  const checks = manifests.map(({ className, tools: [tool] }) => {
    if (tool === undefined) throw new Error(`${className} has no tool`);
    const samples = fc.sample(callOf(tool.call, tool.parameters, tool.decode), { numRuns: 60, seed: 7 });
    const lines = [...new Set(samples)].map((sample, index) => `export const v${index}: Parameters<${className}["run"]> = ${sample};`);
    return [
      `src/check-${className}.ts`,
      `import type { ${className} } from "./${className.replace("Case", "case-")}.js";\n${lines.join("\n")}\n`,
    ] as const;
  });
  expect(checks).toHaveLength(cases.length);
  project.write(Object.fromEntries(checks));
  const compiler = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, "-p", project.directory, "--pretty", "false"], (_, out, error) => resolve(out + error));
  });
  expect(output).toBe("");
}, 60_000);
