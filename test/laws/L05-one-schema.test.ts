import { type AgentTool, defineTool, type ObjectSchema, type SchemaNode, Tool, toolDefinitions } from "@toolwright/core";
import { checkStrictSchema } from "@toolwright/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { callTool, object, toolkit } from "../support/call-tool.js";
import { compileToolkit } from "../support/compile-toolkit.js";

const source = `
import { Tool } from "@toolwright/core";
import { IsInt, Matches, Max, Min, ValidateNested } from "class-validator";
export class Line { @Matches(/^[A-Z]{1,3}$/) sku!: string; @IsInt() @Min(1) @Max(5) qty!: number; note?: string }
export class Box { kind!: "box"; size!: number }
export class Bag { kind!: "bag"; size?: number | null }
export interface Tree { kind: "tree"; children: Tree[]; planted?: Date }
export class Order {
  @ValidateNested({ each: true }) lines!: Line[];
  target!: Box | Bag | Tree | null;
  backup?: Box;
  level!: 1 | 2 | "high";
  pair!: [number, number];
  @Min(3) count?: number;
}
export class Shop {
  /** Takes an order of goods. */
  @Tool({ effect: "read" })
  take(order: Order): string { return order.constructor.name; }
}`;

const line = object({ sku: { type: "string", pattern: "^[A-Z]{1,3}$" }, qty: { type: "integer", minimum: 1 } });
const parameters: ObjectSchema = {
  ...object({
    id: { type: "string" },
    page: { type: ["integer", "null"] },
    kind: { type: "string", enum: ["a", "b"] },
    lines: { type: "array", items: line, maxItems: 3 },
    target: {
      anyOf: [object({ kind: { type: "string", enum: ["box"] }, size: { type: "number" } }), { $ref: "#/$defs/Tree" }, { type: "null" }],
    },
  }),
  $defs: { Tree: object({ kind: { type: "string", enum: ["tree"] }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } }) },
};
class Anything {
  @Tool({ effect: "read" })
  take(...all: unknown[]): string {
    return `${all.length}`;
  }
}
const json = {
  type: "object",
  properties: { ...parameters.properties, note: { type: "string" } },
  required: parameters.required,
  $defs: parameters.$defs,
};
const zod = z.object({
  id: z.string(),
  page: z.int().optional(),
  kind: z.enum(["a", "b"]),
  lines: z.array(z.object({ sku: z.string(), qty: z.int().min(1) })).max(3),
  target: z
    .discriminatedUnion("kind", [z.object({ kind: z.literal("box"), size: z.number() }), z.object({ kind: z.literal("bag") })])
    .nullable(),
});
const execute = (): string => "taken";
const tools: Record<string, AgentTool<unknown>> = {
  "a compiled class": await compileToolkit(source, "Shop"),
  "a class": toolkit(Anything, { take: { parameters, decode: { optional: ["page"] } } }),
  "plain JSON Schema": defineTool({ name: "take", description: "Takes.", effect: "read", parameters: json, execute }),
  "a schema library": defineTool({ name: "take", description: "Takes.", effect: "read", parameters: zod, execute }),
};

/**
 * Values near the schema: mostly right, with something wrong in many. Absent optionals are null, as the sent schema asks for:
 * that a lesser server may leave them out altogether is the one thing that is taken beyond it.
 */
function near(node: SchemaNode, root: ObjectSchema, depth: number): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(null, true, 0, 1.5, "", "zz", [], {}, [null], { kind: "box" }, { kind: "tree", children: 1 });
  return depth > 6 ? wrong : fc.oneof({ weight: 25, arbitrary: fitting(node, root, depth) }, { weight: 1, arbitrary: wrong });
}

function fitting(node: SchemaNode, root: ObjectSchema, depth: number): fc.Arbitrary<unknown> {
  if (node.$ref !== undefined) return near(root.$defs?.[node.$ref.slice("#/$defs/".length)] as SchemaNode, root, depth + 2);
  if (node.anyOf !== undefined) return fc.oneof(...node.anyOf.map((branch) => near(branch, root, depth + 1)));
  if (node.enum !== undefined) return fc.constantFrom<unknown>(...node.enum);
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  return fc.oneof(
    ...types.map((type): fc.Arbitrary<unknown> => {
      if (type === "object")
        return withExtra(
          Object.fromEntries(Object.entries(node.properties ?? {}).map(([name, child]) => [name, near(child, root, depth + 1)])),
        );
      if (type === "array")
        return fc.array(near(node.items as SchemaNode, root, depth + 1), { minLength: node.minItems ?? 0, maxLength: 2 });
      if (type === "string" && node.format !== undefined) return fc.constantFrom("2024-02-29T10:00:00Z", "2023-02-29T10:00:00Z");
      if (type === "string") return node.pattern === undefined ? fc.constantFrom("x", "") : fc.constantFrom("A", "ABC", "AB", "x");
      if (type === "boolean") return fc.boolean();
      return type === "null" ? fc.constant(null) : fc.integer({ min: 0, max: 5 });
    }),
  );
}

function withExtra(model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.oneof({ weight: 20, arbitrary: fc.record(model) }, { weight: 1, arbitrary: fc.record({ ...model, extra: fc.constant(1) }) });
}

describe.each(Object.keys(tools))("L05: the schema that is sent is the one that arguments are checked against: %s", (name) => {
  const tool = tools[name] as AgentTool<unknown>;

  it("by its own word, the wire's, and the verdict of a second validator on what was on the wire", async () => {
    const { requests } = await callTool(tool, "take", ["{}"]);
    const sent = requests[0]?.tools[0] as { parameters: ObjectSchema; strict: boolean };
    expect(sent.strict).toBe(true);
    expect(checkStrictSchema(sent.parameters)).toEqual([]);

    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
    const validate = ajv.compile(sent.parameters);
    const values = fc.sample(near(sent.parameters, sent.parameters, 0), { numRuns: 300, seed: 5 }).filter((value) => value !== null);
    const { calls } = await callTool(
      tool,
      "take",
      values.map((value) => JSON.stringify(value)),
    );
    const verdicts = values.map((value) => validate(value));
    expect(calls.map(({ outcome }) => outcome.kind === "ok")).toEqual(verdicts);
    // Both verdicts were put to the test.
    expect(Math.min(verdicts.filter(Boolean).length, verdicts.filter((verdict) => !verdict).length)).toBeGreaterThan(20);
  });

  it("in each request of a run, unchanged", async () => {
    const { requests } = await callTool(tool, "take", ["{}"]);
    expect(requests[1]?.tools).toEqual(requests[0]?.tools);
  });
});

it("L05: the manifest's own object is what is listed, and its JSON is what is sent", async () => {
  const [definition] = toolDefinitions([tools["a class"] as AgentTool<unknown>]);
  expect(definition?.parameters).toBe(parameters);
  const { requests } = await callTool(tools["a class"] as AgentTool<unknown>, "take", ["{}"]);
  expect(requests[0]?.tools).toEqual([definition]);
});
