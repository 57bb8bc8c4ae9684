import { describe, expect, it } from "vitest";
import type { DecodePlan, Issue, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compileArguments } from "./compile-schema.js";

function object(properties: Record<string, SchemaNode>, more: Partial<ObjectSchema> = {}): ObjectSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more };
}

function check(schema: ObjectSchema, value: unknown, plan?: DecodePlan): unknown {
  const checked = compileArguments(schema, plan).check(value);
  if (!checked.ok) throw new Error(`refused: ${JSON.stringify(checked.issues)}`);
  return checked.arguments;
}

function issues(schema: ObjectSchema, value: unknown, plan?: DecodePlan): readonly Issue[] {
  const checked = compileArguments(schema, plan).check(value);
  return checked.ok ? [] : checked.issues;
}

const string = { type: "string" } as const;
const integer = { type: "integer" } as const;
const optionalInteger = { type: ["integer", "null"] } as const;

describe("absent optionals", () => {
  const line = object({ sku: string, note: { type: ["string", "null"] } });
  const schema = object({
    page: optionalInteger,
    declared: { type: ["string", "null"] },
    lines: { type: "array", items: line },
    to: { anyOf: [line, object({ kind: { type: "string", enum: ["x"] }, size: optionalInteger }), { type: "null" }] },
  });
  const plan: DecodePlan = {
    optional: ["page"],
    properties: { lines: { items: { optional: ["note"] } }, to: { anyOf: [{ optional: ["note"] }, { optional: ["size"] }, null] } },
  };

  it("are removed at every depth, in arrays and in branches; a declared null stays", () => {
    const value = { page: null, declared: null, lines: [{ sku: "a", note: null }], to: { kind: "x", size: null } };
    expect(check(schema, value, plan)).toStrictEqual({ declared: null, lines: [{ sku: "a" }], to: { kind: "x" } });
    expect(value.page).toBeNull();
  });

  it("may be missing altogether", () => {
    expect(check(schema, { declared: "d", lines: [], to: null }, plan)).toStrictEqual({ declared: "d", lines: [], to: null });
  });

  it("pass again, unchanged", () => {
    const once = check(schema, { page: null, declared: null, lines: [{ sku: "a", note: null }], to: { sku: "b", note: null } }, plan);
    expect(check(schema, once, plan)).toStrictEqual(once);
  });

  it("are removed behind references", () => {
    const tree = object({ next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } });
    const recursive: ObjectSchema = { ...tree, $defs: { Node: tree } };
    const recursivePlan: DecodePlan = {
      optional: ["next"],
      properties: { next: { anyOf: [{ ref: "Node" }, null] } },
      defs: { Node: { optional: ["next"], properties: { next: { anyOf: [{ ref: "Node" }, null] } } } },
    };
    expect(check(recursive, { next: { next: { next: null } } }, recursivePlan)).toStrictEqual({ next: { next: {} } });
  });
});

describe("keys", () => {
  const schema = object({ term: string, inner: object({ a: string }) });

  it("refuses unknown ones by name, with the names there are", () => {
    expect(issues(schema, { term: "x", inner: { a: "1", isAdmin: true }, role: 1 })).toEqual([
      { path: "inner.isAdmin", expected: 'only the keys "a"', received: "an unknown key" },
      { path: "role", expected: 'only the keys "term" and "inner"', received: "an unknown key" },
    ]);
  });

  it.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])("refuses %s as an unknown key", (key) => {
    const value = JSON.parse(`{"term":"x","inner":{"a":"1"},"${key}":{"polluted":true}}`) as unknown;
    expect(issues(schema, value)).toMatchObject([{ path: key, received: "an unknown key" }]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("reads own keys only: what a prototype has is missing", () => {
    expect(issues(object({ toString: string, a: string }), Object.create({ a: "inherited" }) as object)).toMatchObject([{ path: "" }]);
    expect(issues(object({ toString: string }), {})).toEqual([{ path: "toString", expected: "string", received: "nothing" }]);
    expect(check(object({ constructor: string }), { constructor: "x" })).toStrictEqual({ constructor: "x" });
  });

  it("takes objects without a prototype", () => {
    expect(check(object({ a: string }), Object.assign(Object.create(null) as object, { a: "x" }))).toStrictEqual({ a: "x" });
  });

  it("names what is missing, nested objects first, with what belongs there", () => {
    const nested = object({
      to: object({ a: string }),
      tags: { type: "array", items: string },
      at: { type: "string", format: "date-time" },
      kind: { type: "string", enum: ["a", "b"] },
    });
    expect(issues(nested, {})).toEqual([
      { path: "to", expected: "object", received: "nothing" },
      { path: "tags", expected: "array", received: "nothing" },
      { path: "at", expected: "string", received: "nothing" },
      { path: "kind", expected: 'one of "a" or "b"', received: "nothing" },
    ]);
  });

  it("takes undefined as missing, as JSON would", () => {
    expect(check(object({ a: optionalInteger }), { a: undefined, b: undefined }, { optional: ["a"] })).toStrictEqual({});
    expect(issues(object({ a: string }), { a: undefined })).toMatchObject([{ path: "a", received: "nothing" }]);
  });

  it("gives them in the schema's order, whatever order they came in", () => {
    expect(JSON.stringify(check(object({ a: string, b: string, c: string }), { c: "3", a: "1", b: "2" }))).toBe(
      '{"a":"1","b":"2","c":"3"}',
    );
  });
});

describe("values", () => {
  it.each([
    ["boolean", "false"],
    ["boolean", 0],
    ["number", ""],
    ["number", "12"],
    ["number", "abc"],
    ["number", null],
    ["integer", "7"],
    ["integer", 1.5],
    ["integer", true],
    ["string", 7],
    ["string", false],
    ["null", "null"],
    ["array", { "0": {} }],
    ["object", []],
    ["object", "{}"],
  ])("are not coerced: %s refuses %j", (type, value) => {
    const node: SchemaNode = type === "array" ? { type, items: string } : type === "object" ? object({}) : { type };
    expect(issues(object({ v: node }), { v: value })).toMatchObject([{ path: "v", expected: type }]);
  });

  it.each([[NaN], [Infinity], [10n], [() => 1], [Symbol("s")], [new Date()], [new Map()]])(
    "that JSON can not carry are refused: %s",
    (value) => {
      const schema = object({
        v: {
          type: ["string", "number", "integer", "boolean", "null", "object"],
          properties: {},
          required: [],
          additionalProperties: false,
        },
      });
      expect(issues(schema, { v: value })).toHaveLength(1);
    },
  );

  it.each([
    [{ type: "integer", minimum: 1 }, 0, "at least 1"],
    [{ type: "integer", maximum: 3 }, 4, "at most 3"],
    [{ type: "number", exclusiveMinimum: 0 }, 0, "more than 0"],
    [{ type: "number", exclusiveMaximum: 1 }, 1, "less than 1"],
    [{ type: "number", multipleOf: 0.1 }, 0.25, "a multiple of 0.1"],
    [{ type: "integer", multipleOf: 2 }, 1_000_000_001, "a multiple of 2"],
    [{ type: "number", multipleOf: 0.5 }, 1_000_000_000.25, "a multiple of 0.5"],
    [{ type: "string", pattern: "^a+$" }, "b", "a string that matches ^a+$"],
    [{ type: "array", items: integer, minItems: 1 }, [], "at least 1 item"],
    [{ type: "array", items: integer, maxItems: 2 }, [1, 2, 3], "at most 2 items"],
    [{ type: "string", enum: ["a"] }, "b", '"a"'],
    [{ type: ["string", "integer"], enum: ["a", 3] }, 4, 'one of "a" or 3'],
  ] as const)("keep the rules of %j", (node, value, expected) => {
    expect(issues(object({ v: node }), { v: value })).toMatchObject([{ path: "v", expected }]);
  });

  it("never show up in issues", () => {
    const schema = object({
      a: { type: "string", enum: ["x"] },
      b: integer,
      c: { type: "string", format: "uuid" },
      d: { type: "string", pattern: "^x$" },
    });
    const found = JSON.stringify(issues(schema, { a: "secret-1", b: "secret-2", c: "secret-3", d: "secret-4" }));
    expect(found).not.toContain("secret");
  });

  it("of decimal fractions count as multiples in spite of binary rounding", () => {
    expect(check(object({ v: { type: "number", multipleOf: 0.1 } }), { v: 0.3 })).toStrictEqual({ v: 0.3 });
  });

  it("of arrays keep their place; each wrong one is named", () => {
    const schema = object({ lines: { type: "array", items: object({ qty: integer }) } });
    expect(issues(schema, { lines: [null, 1, { qty: "x" }, { qty: 1 }] })).toEqual([
      { path: "lines.0", expected: "object", received: "null" },
      { path: "lines.1", expected: "object", received: "integer" },
      { path: "lines.2.qty", expected: "integer", received: "string" },
    ]);
    // eslint-disable-next-line no-sparse-arrays -- a hole is what is tested
    expect(issues(schema, { lines: [, { qty: 1 }] })).toMatchObject([{ path: "lines.0", received: "nothing" }]);
  });
});

describe("formats", () => {
  it.each([
    ["date-time", "2024-05-01T10:00:00Z", "2024-02-31T10:00:00Z"],
    ["date-time", "2024-05-01t10:00:00.123456789+05:30", "2024-05-01"],
    ["date-time", "2024-02-29 10:00:00-00:00", "2023-02-29T10:00:00Z"],
    ["date-time", "2016-12-31T23:59:60Z", "2024-05-01T10:00:00"],
    ["date-time", "2024-05-01T10:00:00+14:00", "2024-05-01T24:00:00Z"],
    ["date-time", "0001-01-01T00:00:00Z", "yesterday"],
    ["date", "2024-02-29", "2024-13-01"],
    ["date", "2000-02-29", "1900-02-29"],
    ["time", "10:00:00", "25:00:00"],
    ["time", "10:00:00.5+02:00", "10:00"],
    ["duration", "P1Y2M3DT4H5M6.5S", "PT"],
    ["duration", "P3W", "1h"],
    ["email", "o'neil+tag@mail.example.org", "no at sign"],
    ["hostname", "api.example.com", "-x.example"],
    ["ipv4", "192.168.0.1", "256.1.1.1"],
    ["ipv4", "8.8.8.8", "1.2.3.4."],
    ["ipv6", "::1", "1::2::3"],
    ["ipv6", "::ffff:10.0.0.1", "12345::"],
    ["ipv6", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7"],
    ["uuid", "123E4567-e89b-12d3-a456-426614174000", "123e4567"],
  ])("%s takes %s and refuses %s", (format, good, bad) => {
    const schema = object({ v: { type: "string", format } });
    expect(check(schema, { v: good })).toStrictEqual({ v: good });
    expect(issues(schema, { v: bad })).toMatchObject([{ path: "v" }]);
  });
});

describe("choices", () => {
  const cat = object({ kind: { type: "string", enum: ["cat"] }, lives: integer });
  const dog = object({ kind: { type: "string", enum: ["dog", "wolf"] }, name: string });

  it("judge an object by the branch that its discriminator names, behind references as well", () => {
    const schema: ObjectSchema = { ...object({ pet: { anyOf: [cat, { $ref: "#/$defs/Dog" }, { type: "null" }] } }), $defs: { Dog: dog } };
    expect(issues(schema, { pet: { kind: "wolf", lives: 9 } })).toEqual([
      { path: "pet.lives", expected: 'only the keys "kind" and "name"', received: "an unknown key" },
      { path: "pet.name", expected: "string", received: "nothing" },
    ]);
    expect(issues(schema, { pet: { kind: "fish" } })).toEqual([
      { path: "pet.kind", expected: 'one of "cat", "dog" or "wolf"', received: "another string" },
    ]);
    expect(issues(schema, { pet: {} })).toMatchObject([{ path: "pet.kind", received: "nothing" }]);
    expect(issues(schema, { pet: 3 })).toEqual([{ path: "pet", expected: "object or null", received: "integer" }]);
    expect(check(schema, { pet: null })).toStrictEqual({ pet: null });
  });

  it("without a discriminator report the branch with the least wrong", () => {
    const schema = object({ v: { anyOf: [object({ a: string, b: string, c: string }), object({ a: string, z: integer })] } });
    expect(issues(schema, { v: { a: "x", z: "1" } })).toEqual([{ path: "v.z", expected: "integer", received: "string" }]);
  });

  it("are made by the keys first, so that a recursive one takes time by its size", () => {
    const node = (own: Record<string, SchemaNode>): SchemaNode =>
      object({ next: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }, { type: "null" }] }, ...own });
    const schema: ObjectSchema = { ...object({ v: { $ref: "#/$defs/A" } }), $defs: { A: node({ a: string }), B: node({ a: integer }) } };
    let value: unknown = null;
    for (let level = 0; level < 90; level += 1) value = { next: value, a: level % 2 === 0 ? level : "x" };
    expect(issues(schema, { v: value })).toEqual([]);
  });

  it("are given up, with an issue, when there are too many ways to read a value", () => {
    // Only the innermost part of `own` tells the branches apart, so that each level is read to its end for each of them.
    const node = (items: SchemaNode): SchemaNode =>
      object({ next: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }, { type: "null" }] }, own: { type: "array", items } });
    const schema: ObjectSchema = { ...object({ v: { $ref: "#/$defs/B" } }), $defs: { A: node(string), B: node(integer) } };
    const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((next: unknown) => ({ next, own: [1] }), null);
    expect(issues(schema, { v: nested(10) })).toEqual([]);
    const start = performance.now();
    expect(issues(schema, { v: nested(90) })).toMatchObject([{ expected: "a value that is less deeply nested in choices" }]);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it("of scalars name all that would do", () => {
    const schema = object({ v: { anyOf: [{ type: "string", enum: ["a"] }, { type: "string", format: "uuid" }, integer] } });
    expect(issues(schema, { v: "zzz" })).toEqual([{ path: "v", expected: '"a" or string or integer', received: "another string" }]);
    expect(issues(schema, { v: true })).toEqual([{ path: "v", expected: '"a" or string or integer', received: "boolean" }]);
    expect(check(schema, { v: 3 })).toStrictEqual({ v: 3 });
  });
});

describe("the result", () => {
  it("is a frozen copy that shares nothing with the value", () => {
    const value = { list: [{ a: "x" }] };
    const result = check(object({ list: { type: "array", items: object({ a: string }) } }), value) as typeof value;
    expect(result).toStrictEqual(value);
    expect([result, result.list, result.list[0]].every(Object.isFrozen)).toBe(true);
    expect([value, value.list, value.list[0]].some(Object.isFrozen)).toBe(false);
    (value.list[0] as { a: string }).a = "changed";
    expect(result.list[0]?.a).toBe("x");
  });

  it("has at most twenty issues of bounded length", () => {
    const found = issues(object({ a: { type: "array", items: integer } }), {
      a: Array.from({ length: 1000 }, () => "x"),
      [`${"k".repeat(5000)}\n`]: 1,
    });
    expect(found).toHaveLength(20);
    const long = issues(object({ ["p".repeat(3000)]: integer }), { [`${"k".repeat(5000)}\n`]: 1 });
    expect(long.every((issue) => JSON.stringify(issue).length < 1200)).toBe(true);
  });

  it("ends at a hundred levels, on a cycle too", () => {
    const node = object({ next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } });
    const schema: ObjectSchema = { ...node, $defs: { Node: node } };
    const cycle: Record<string, unknown> = {};
    cycle["next"] = cycle;
    expect(issues(schema, cycle)).toMatchObject([{ expected: "at most 100 levels of nesting" }]);
    let deep: unknown = { next: null };
    for (let level = 1; level < 100; level += 1) deep = { next: deep };
    expect(issues(schema, deep)).toEqual([]);
    expect(issues(schema, { next: deep })).toHaveLength(1);
  });
});

describe("a schema outside the strict subset", () => {
  it.each([
    [object({ v: {} }), undefined, 'at "v", it has no "type"'],
    [object({ v: { oneOf: [string] } as SchemaNode }), undefined, 'the keyword "oneOf"'],
    [object({ v: { type: "string", minLength: 3 } as SchemaNode }), undefined, 'the keyword "minLength"'],
    [object({ v: { type: "text" } }), undefined, 'the type "text" does not exist'],
    [object({ v: { type: "array" } }), undefined, 'an array without "items"'],
    [object({ v: { type: "object" } }), undefined, 'an object without "properties"'],
    [object({ v: { type: "object", properties: {} } }), undefined, "the object is open"],
    [object({ v: { $ref: "#/$defs/Missing" } }), undefined, '"#/$defs/Missing" is not defined'],
    [object({ v: { $ref: "#/$defs/toString" } }, { $defs: {} }), undefined, '"#/$defs/toString" is not defined'],
    [object({ v: { $ref: "#/$defs/A" } }, { $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, string] } } }), undefined, "it refers to itself"],
    [object({ v: { type: "string", format: "uri" } }), undefined, 'the format "uri"'],
    [object({ v: { type: "string", pattern: "(?=a)" } }), undefined, "looks around"],
    [object({ v: { anyOf: [] } }), undefined, '"anyOf" is empty'],
    [object({ v: string }), { optional: ["w"] }, '"w" is named but is no property'],
    [object({ v: { anyOf: [string] } }), { properties: { v: { date: true } } }, 'its decode plan has no "anyOf"'],
    [
      object({ v: { $ref: "#/$defs/A" } }, { $defs: { A: string } }),
      { properties: { v: { ref: "B" } } },
      `the decode plan's "defs" have no "B"`,
    ],
  ] as const)("is refused by name: %j", (schema, plan, reason) => {
    const checker = compileArguments(schema, plan, 'the tool "t"');
    let thrown: unknown;
    try {
      checker.check({ v: "x" });
    } catch (error) {
      thrown = error;
    }
    expect(ToolwrightError.is(thrown, "TOOL_DEFINITION")).toBe(true);
    expect((thrown as Error).message).toContain('the tool "t"');
    expect((thrown as Error).message).toContain(reason);
  });
});
