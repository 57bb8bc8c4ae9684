import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DecodePlan, ObjectSchema } from "../contracts/schema.js";
import { isPlainSchema } from "./plain-schema.js";
import { compiledProblem } from "./schema-problem.js";

/** Values that stand in schemas and plans, right and wrong ones. */
const odd = fc.constantFrom<unknown>(
  ...[
    undefined,
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    "",
    "string",
    "date-time",
    "a",
    [],
    {},
    ["a"],
    [null],
    { type: "null" },
    { a: { type: "string" } },
  ],
  ...[
    "object",
    "array",
    "null",
    "number",
    ["string", "null"],
    ["null", "string"],
    ["object", "null"],
    ["a", "b"],
    "#/$defs/A",
    { date: true },
  ],
);

const node: fc.Arbitrary<object> = fc.letrec<{ node: object; leaf: object }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ type: fc.constantFrom<unknown>("string", "number", "integer", "boolean", ["string", "null"], ["integer", "null"]) }),
    fc.constant({ type: "string", enum: ["a", "b"], description: "One of two." }),
    fc.constant({ type: ["string", "null"], enum: ["a", null] }),
    fc.constant({ type: "integer", minimum: 1, maximum: 5, multipleOf: 2 }),
    fc.constant({ type: "string", format: "date-time" }),
    fc.constant({ type: "string", pattern: "^a$" }),
  ),
  node: fc.oneof(
    { maxDepth: 3 },
    tie("leaf"),
    tie("node").map((branch) => ({ anyOf: [branch, { type: "null" }] })),
    fc.record({ type: fc.constantFrom<unknown>("array", ["array", "null"]), items: tie("node"), minItems: fc.constantFrom(undefined, 1) }),
    fc.dictionary(fc.constantFrom("a", "b", "constructor", "__proto__x"), tie("node"), { maxKeys: 3 }).map((properties) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
  ),
})).node;

const schema = fc.dictionary(fc.constantFrom("a", "b", "c"), node, { minKeys: 1, maxKeys: 3 }).map((properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
}));
const plan = fc.constantFrom<unknown>(
  ...[undefined, {}, { optional: ["a"] }, { optional: ["z"] }, { properties: { a: { date: true } } }, { properties: { b: { items: {} } } }],
  ...[
    { dto: "A" },
    null,
    { properties: { a: { anyOf: [{ optional: ["a"] }, null] } } },
    { properties: { b: { anyOf: [null] } } },
    { properties: { a: null } },
    { properties: { a: { optional: ["a"] } } },
    { ref: "A" },
    { anyOf: [] },
  ],
);
const keywords =
  "type description enum properties required additionalProperties items minItems maxItems anyOf $ref $defs pattern format minimum".split(
    " ",
  );

/** The same value with one thing in it replaced. */
function changed(value: unknown, at: number, key: string, other: unknown): unknown {
  const places: (readonly [Record<string, unknown>, string])[] = [];
  const copy = structuredClone(value);
  const visit = (inner: unknown): void => {
    if (typeof inner !== "object" || inner === null) return;
    for (const name of new Set([...Object.keys(inner), ...(Array.isArray(inner) ? [] : [key])])) {
      places.push([inner as Record<string, unknown>, name]);
      visit((inner as Record<string, unknown>)[name]);
    }
  };
  visit(copy);
  const place = places[at % places.length];
  if (place !== undefined) place[0][place[1]] = other;
  return copy;
}

describe("a schema that is plain at a glance", () => {
  it("is fit for use at length too, whatever stands in it", () => {
    let plain = 0;
    fc.assert(
      fc.property(
        schema,
        plan,
        fc.nat(60),
        fc.constantFrom(...keywords),
        odd,
        fc.boolean(),
        (given, planned, at, key, other, isChanged) => {
          const tried = (isChanged ? changed(given, at, key, other) : given) as ObjectSchema;
          let isPlain = false;
          try {
            isPlain = isPlainSchema(tried, planned as DecodePlan | undefined);
          } catch {
            return;
          }
          if (!isPlain) return;
          plain += 1;
          expect(compiledProblem(tried, planned as DecodePlan | undefined)).toBeUndefined();
        },
      ),
      { numRuns: 5_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it("may be any of these, which need no closer look", () => {
    const parameters = {
      type: "object",
      properties: {
        id: { type: "string", description: "Id." },
        limit: { type: ["integer", "null"], minimum: 1, maximum: 10 },
        order: { type: "string", enum: ["price", "stock"] },
        since: { type: "string", format: "date-time" },
        lines: {
          type: "array",
          items: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"], additionalProperties: false },
        },
      },
      required: ["id", "limit", "order", "since", "lines"],
      additionalProperties: false,
    } as const;
    expect(
      isPlainSchema(parameters, { optional: ["limit"], properties: { since: { date: true }, lines: { items: { dto: "Line" } } } }),
    ).toBe(true);
  });
});
