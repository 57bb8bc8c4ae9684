import { type DecodePlan, type ObjectSchema, type RunnableTool, type SchemaNode, Tool } from "@toolwright/core";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect } from "vitest";
import { toolkit } from "../support/call-tool.js";
import { nearValues } from "../support/schema-values.js";
import { type FuzzedTool, runnableTools } from "./fuzzed-tools.js";

/** What was seen of the values: both sides should be. */
export interface Seen {
  taken: number;
  refused: number;
}

/**
 * Compares the check of a tool's arguments with ajv on random values, as the schema stands and as its decode plan reads it
 * (optional properties may be missing). On a failure fast-check tells the seed and the smallest value.
 */
export function checkAgreement({ className, manifest, runnable: withPlan }: FuzzedTool, numRuns: number): Seen {
  const { parameters: schema, decode: plan } = manifest;
  const name = `${className}.${manifest.method}`;
  const [plain, planned] = [oracle(schema), oracle(relaxed(schema, plan))];
  const withoutPlan = undecoded(schema);
  const seen: Seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(nearValues(schema), (value) => {
      const text = JSON.stringify(value);
      const strictly = withoutPlan.check(value);
      const say = `${name} takes ${text}`;
      if (plain.strict(value)) expect(strictly, say).toEqual({ ok: true, arguments: value });
      else if (!plain.loose(value)) expect(strictly, say).toMatchObject({ ok: false });
      const checked = withPlan.check(value);
      if (planned.strict(value)) expect(checked.ok, say).toBe(true);
      else if (!planned.loose(value)) expect(checked.ok, say).toBe(false);
      // What passed passes again, and no check changes what it is given.
      if (checked.ok) expect(withPlan.check(checked.arguments), say).toStrictEqual(checked);
      else expect(checked.issues.length, say).toBeGreaterThan(0);
      expect(JSON.stringify(value)).toBe(text);
      seen[checked.ok ? "taken" : "refused"] += 1;
    }),
    { numRuns },
  );
  return seen;
}

/** A tool that takes the schema as it stands: no property may be missing, and no null means anything else. */
function undecoded(schema: ObjectSchema): RunnableTool {
  class Undecoded {
    @Tool({ effect: "read" })
    take(): void {}
  }
  const instance = toolkit(Undecoded, { take: { parameters: schema, call: [{ arguments: true }] } });
  const [tool] = runnableTools(instance);
  if (tool === undefined) throw new Error("The class brought no tool.");
  return tool;
}

interface Oracle {
  /** With ajv's own formats. */
  readonly strict: ValidateFunction;
  /** Without the formats that the product reads more freely than ajv, on purpose. */
  readonly loose: ValidateFunction;
}

/** A dot after the `@`, parts of a duration with a fraction, and an offset of a time are asked for by ajv alone. */
const freeFormats = ["email", "duration", "time"];

function ajv(free: readonly string[]): Ajv {
  // ownProperties: a property called "constructor" is not there because every object has one.
  const instance = new Ajv({ strict: false, ownProperties: true, validateSchema: false });
  addFormats.default(instance);
  for (const format of free) instance.addFormat(format, true);
  instance.removeKeyword("multipleOf");
  const validate = (of: number, value: number): boolean => isMultiple(value, of);
  return instance.addKeyword({ keyword: "multipleOf", type: "number", schemaType: "number", validate });
}

const [withFormats, withoutFreeFormats] = [ajv([]), ajv(freeFormats)];

function oracle(schema: ObjectSchema): Oracle {
  const strict = withFormats.compile(schema);
  const isFree = freeFormats.some((format) => JSON.stringify(schema).includes(`"format":"${format}"`));
  return { strict, loose: isFree ? withoutFreeFormats.compile(schema) : strict };
}

/** By the digits that are written: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const [a, b] = [decimal(value), decimal(of)];
  const scale = Math.min(a.exponent, b.exponent);
  return (a.digits * 10n ** BigInt(a.exponent - scale)) % (b.digits * 10n ** BigInt(b.exponent - scale)) === 0n;
}

function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [, sign = "", whole = "0", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return { digits: BigInt(sign + whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** The schema in which properties that the plan names optional may be missing. */
function relaxed(schema: ObjectSchema, plan: DecodePlan | undefined): ObjectSchema {
  const relax = (node: SchemaNode, part: DecodePlan | null | undefined): SchemaNode => {
    if (part === null || part === undefined || node.$ref !== undefined) return node;
    const properties = Object.entries(node.properties ?? {}).map(([name, child]) => [name, relax(child, part.properties?.[name])]);
    return {
      ...node,
      ...(node.properties !== undefined && { properties: Object.fromEntries(properties) as SchemaNode["properties"] }),
      ...(node.required !== undefined && { required: node.required.filter((name) => part.optional?.includes(name) !== true) }),
      ...(node.items !== undefined && { items: relax(node.items, part.items) }),
      ...(node.anyOf !== undefined && { anyOf: node.anyOf.map((branch, index) => relax(branch, part.anyOf?.[index])) }),
    };
  };
  const defs = Object.entries(schema.$defs ?? {}).map(([name, node]) => [name, relax(node, plan?.defs?.[name])]);
  // Only `required` of the root has changed.
  return { ...relax(schema, plan), ...(schema.$defs !== undefined && { $defs: Object.fromEntries(defs) }) } as ObjectSchema;
}
