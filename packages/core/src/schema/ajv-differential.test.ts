import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { compileArguments } from "./compile-schema.js";

function object(properties: Record<string, SchemaNode>): ObjectSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
const optional = (node: SchemaNode): SchemaNode => ({ anyOf: [node, { type: "null" }] });
const tree = object({ value: { type: "integer" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } });

/** What the compiler writes for typical parameters. */
const schemas: Record<string, ObjectSchema> = {
  scalars: object({ s: { type: "string" }, n: { type: "number" }, i: { type: "integer" }, b: { type: "boolean" } }),
  nullable: object({ s: { type: ["string", "null"] }, i: { type: ["integer", "null"], minimum: 2 } }),
  enums: object({
    e: { type: "string", enum: ["a", "b"] },
    m: { type: ["string", "integer"], enum: ["a", 1] },
    z: { type: ["string", "null"], enum: ["a", null] },
  }),
  bounds: object({
    a: { type: "number", minimum: -1, exclusiveMaximum: 3 },
    b: { type: "integer", multipleOf: 2 },
    c: { type: "number", exclusiveMinimum: -2, maximum: 4 },
  }),
  arrays: object({
    a: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    m: { type: "array", items: { type: "array", items: { type: "integer" } } },
  }),
  nested: object({
    to: object({ street: { type: "string" }, geo: optional(object({ lat: { type: "number" }, lon: { type: "number" } })) }),
  }),
  lines: object({ lines: { type: "array", items: object({ sku: { type: "string" }, qty: { type: "integer", minimum: 1 } }) } }),
  tagged: object({
    pet: {
      anyOf: [
        object({ kind: { type: "string", enum: ["cat"] }, n: { type: "integer" } }),
        object({ kind: { type: "string", enum: ["dog"] }, s: { type: "string" } }),
      ],
    },
  }),
  untagged: object({
    v: {
      anyOf: [
        object({ a: { type: "string" } }),
        object({ a: { type: "integer" }, b: { type: "string" } }),
        { type: "array", items: { type: "string" } },
      ],
    },
  }),
  mixed: object({
    v: { anyOf: [{ type: "string", enum: ["a"] }, { type: "integer", minimum: 1 }, { type: "boolean" }, { type: "null" }] },
  }),
  recursive: { ...tree, $defs: { Tree: tree } },
  rootRecursive: object({ name: { type: "string" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } }),
  patterns: object({ id: { type: "string", pattern: "^[ab]{1,3}$" }, any: { type: "string", pattern: "a|b" } }),
  ...Object.fromEntries(
    ["date-time", "date", "ipv4", "ipv6", "uuid", "hostname"].map((format) => [format, object({ v: { type: "string", format } })]),
  ),
  union: object({
    v: {
      type: ["string", "array", "object", "null"],
      items: { type: "integer" },
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    },
  }),
  empty: object({}),
};

const strings = fc.oneof(fc.constantFrom("", "a", "b", "ab", "abab", "cat", "dog", "1", "2024-05-01"), fc.string({ maxLength: 4 }));
const isoText = fc
  .date({ noInvalidDate: true, min: new Date("1000-01-01"), max: new Date("9000-01-01") })
  .map((date) => date.toISOString());
const digits = (count: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: 10 ** count - 1 }).map((number) => String(number).padStart(count, "0"));
/** Texts on both sides of what each format takes. */
const byFormat: Record<string, fc.Arbitrary<string>> = {
  "date-time": fc.oneof(
    isoText,
    fc
      .tuple(digits(1), digits(1), digits(2), fc.constantFrom("Z", "+01:00", "-23:59", "+24:00", ""))
      .map(([month, day, hour, offset]) => `2024-0${month}-0${day}T${hour}:10:00${offset}`),
  ),
  date: fc
    .tuple(digits(4), fc.constantFrom("01", "02", "12", "13"), fc.constantFrom("00", "28", "29", "30", "31", "32"))
    .map((parts) => parts.join("-")),
  ipv4: fc.oneof(
    fc.ipV4(),
    fc.array(fc.nat(300), { minLength: 3, maxLength: 5 }).map((parts) => parts.join(".")),
  ),
  ipv6: fc.oneof(
    fc.ipV6(),
    fc.array(fc.constantFrom("", "1", "ffff", "0", "12345", "1.2.3.4"), { maxLength: 8 }).map((parts) => parts.join(":")),
  ),
  hostname: fc
    .array(fc.constantFrom("a", "a-b", "-a", "a-", "9", "", "a".repeat(63), "a".repeat(64), "ä"), { maxLength: 5 })
    .map((labels) => labels.join(".")),
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((text) => text.toUpperCase()),
    fc.uuid().map((text) => text.slice(1)),
  ),
};
const leaf = fc.oneof(strings, fc.integer({ min: -3, max: 5 }), fc.constantFrom(0.5, 2.5, 1e21), fc.boolean(), fc.constant(null));

/** Values that mostly fit, with something else now and then at every node. */
function near(node: SchemaNode, root: ObjectSchema, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 5) return leaf;
  return fc.oneof(
    { weight: 30, arbitrary: fitting(node, root, depth) },
    { weight: 1, arbitrary: leaf },
    { weight: 1, arbitrary: fc.constantFrom([], {}, [1], { a: "x" }, [null]) },
  );
}

function fitting(node: SchemaNode, root: ObjectSchema, depth: number): fc.Arbitrary<unknown> {
  if (node.$ref !== undefined)
    return fc.constant(null).chain(() => near(node.$ref === "#" ? root : (root.$defs?.["Tree"] as SchemaNode), root, depth + 2));
  if (node.anyOf !== undefined) return fc.oneof(...node.anyOf.map((branch) => near(branch, root, depth + 1)));
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  return fc.oneof(...types.map((type) => ofType(type, node, root, depth)));
}

function ofType(type: string, node: SchemaNode, root: ObjectSchema, depth: number): fc.Arbitrary<unknown> {
  if (node.enum !== undefined) return fc.constantFrom<unknown>(...node.enum, "zz", 7);
  if (type === "object") {
    const entries = Object.entries(node.properties ?? {});
    const model = Object.fromEntries(entries.map(([name, child]) => [name, near(child, root, depth + 1)]));
    const whole = fc.record(model);
    return fc.oneof(
      { weight: 12, arbitrary: whole },
      { weight: 1, arbitrary: fc.record(model, { requiredKeys: [] }) },
      {
        weight: 1,
        arbitrary: fc.tuple(whole, fc.constantFrom("x", "toString", "a"), leaf).map(([value, key, extra]) => ({ ...value, [key]: extra })),
      },
    );
  }
  if (type === "array") return fc.array(near(node.items as SchemaNode, root, depth + 1), { maxLength: 3 });
  if (type === "string" && node.format !== undefined) return fc.oneof({ weight: 6, arbitrary: byFormat[node.format] ?? strings }, strings);
  if (type === "string" && node.pattern !== undefined) return fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 4 });
  if (type === "string") return strings;
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  return fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom(0.5, 2.999));
}

describe("the check", () => {
  // A second opinion that knows JSON Schema by heart.
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);

  it.each(Object.keys(schemas))("takes and refuses what ajv does: %s", (name) => {
    const schema = schemas[name] as ObjectSchema;
    const oracle = ajv.compile(schema);
    const { check } = compileArguments(schema, undefined);
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(near(schema, schema), (value) => {
        const before = JSON.stringify(value);
        const checked = check(value);
        expect(checked.ok, `${before}: ${JSON.stringify(checked)}`).toBe(oracle(value));
        seen[checked.ok ? "taken" : "refused"] += 1;
        const copy = checked.ok ? checked.arguments : value;
        expect(copy).toEqual(value);
        expect(check(copy)).toStrictEqual(checked);
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.taken, seen.refused), JSON.stringify(seen)).toBeGreaterThan(5);
  });
});
