import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { DecodePlan, ObjectSchema } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { argumentChecker } from "./argument-checker.js";
import { strictFromJsonSchema } from "./strict-from-json-schema.js";

function strict(properties: Record<string, unknown>, more: object = {}): { schema: ObjectSchema; plan: DecodePlan | undefined } {
  return strictFromJsonSchema({ type: "object", properties, required: Object.keys(properties), ...more }, "t");
}

function property(node: unknown): unknown {
  return strict({ v: node }).schema.properties["v"];
}

describe("plain JSON Schema", () => {
  it("becomes closed, with every property required and optional ones nullable", () => {
    const { schema, plan } = strictFromJsonSchema(
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        title: "Search",
        type: "object",
        properties: {
          term: { type: "string", title: "Term", examples: ["x"] },
          page: { type: "integer", description: "Page number.", default: 1 },
          filter: { type: "object", properties: { tag: { type: "string" } } },
          both: { type: ["string", "null"] },
          kind: { enum: ["a", "b"] },
        },
        required: ["term"],
      },
      "search",
    );
    expect(schema).toStrictEqual({
      type: "object",
      properties: {
        term: { type: "string" },
        page: { description: "Page number. Default: 1.", type: ["integer", "null"] },
        filter: {
          anyOf: [
            { type: "object", properties: { tag: { type: ["string", "null"] } }, required: ["tag"], additionalProperties: false },
            { type: "null" },
          ],
        },
        both: { type: ["string", "null"] },
        kind: { type: ["string", "null"], enum: ["a", "b", null] },
      },
      required: ["term", "page", "filter", "both", "kind"],
      additionalProperties: false,
    });
    expect(plan).toStrictEqual({ optional: ["page", "filter", "kind"], properties: { filter: { anyOf: [{ optional: ["tag"] }, null] } } });
  });

  it("may be an object without properties at its root: a tool without arguments", () => {
    expect(strictFromJsonSchema({ type: "object" }, "now").schema).toStrictEqual({
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
    });
    expect(strictFromJsonSchema({}, "now").schema.properties).toStrictEqual({});
  });

  it.each([
    [{ const: "x" }, { type: "string", enum: ["x"] }],
    [{ const: null }, { type: "null" }],
    [{ enum: [1, 2.5, "a", null] }, { type: ["number", "string", "null"], enum: [1, 2.5, "a", null] }],
    [
      { type: "integer", enum: [1, "never"] },
      { type: "integer", enum: [1] },
    ],
    [
      { type: "number", enum: [1, 2] },
      { type: "number", enum: [1, 2] },
    ],
    [
      { type: "string", minLength: 3, maxLength: 10 },
      { type: "string", pattern: "^[\\s\\S]{3,10}$" },
    ],
    [
      { type: "string", minLength: 1 },
      { type: "string", pattern: "^[\\s\\S]{1,}$" },
    ],
    [
      { type: "string", maxLength: 5000, description: "Text." },
      { description: "Text. (0-5000 characters.)", type: "string" },
    ],
    [
      { type: "string", format: "email", minLength: 3 },
      { description: "At least 3 characters.", type: "string", format: "email" },
    ],
    [
      { type: "number", minimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
      { type: "number", minimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
    ],
    [
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    ],
    [
      { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 },
      { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 },
    ],
    [
      { oneOf: [{ const: "a" }, { const: "b" }] },
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "string", enum: ["b"] },
        ],
      },
    ],
    [{ oneOf: [{ type: "string" }, { type: "null" }] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
    [
      { allOf: [{ type: "string" }], description: "D" },
      { description: "D", type: "string" },
    ],
    [
      { type: ["object", "null"], properties: {}, additionalProperties: false },
      { anyOf: [{ type: "object", properties: {}, required: [], additionalProperties: false }, { type: "null" }] },
    ],
  ])("keeps the meaning of %j", (node, expected) => {
    expect(property(node)).toStrictEqual(expected);
  });

  it("puts the constant property first, by which models tell branches apart", () => {
    const branch = (kind: string): object => ({
      type: "object",
      properties: { size: { type: "integer" }, kind: { const: kind } },
      required: ["size", "kind"],
    });
    const { anyOf } = property({ oneOf: [branch("a"), branch("b")] }) as { anyOf: ObjectSchema[] };
    expect(anyOf.map((node) => node.required)).toEqual([
      ["kind", "size"],
      ["kind", "size"],
    ]);
  });

  it("follows references: renamed, recursive, at the root, with a description beside them", () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/definitions/Box%3Cstring%3E" }, v: { type: "string" } },
      required: ["v"],
    };
    const { schema, plan } = strict(
      { first: { $ref: "#/definitions/Box%3Cstring%3E", description: "First." } },
      { definitions: { "Box<string>": node, Unused: {} } },
    );
    expect(schema.properties["first"]).toStrictEqual({ description: "First.", anyOf: [{ $ref: "#/$defs/Box_string_" }] });
    expect(Object.keys(schema.$defs ?? {})).toEqual(["Box_string_"]);
    expect(plan).toStrictEqual({
      properties: { first: { anyOf: [{ ref: "Box_string_" }] } },
      defs: { Box_string_: { optional: ["next"], properties: { next: { anyOf: [{ ref: "Box_string_" }, null] } } } },
    });
    const { check } = argumentChecker(schema, plan);
    expect(check({ first: { v: "a", next: { v: "b", next: null } } })).toEqual({
      ok: true,
      arguments: { first: { v: "a", next: { v: "b" } } },
    });
  });

  it("makes a definition of a root that refers to itself", () => {
    const { schema, plan } = strictFromJsonSchema(
      { type: "object", properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#" } } }, required: ["name"] },
      "t",
    );
    expect(schema.properties["kids"]).toStrictEqual({ type: ["array", "null"], items: { $ref: "#/$defs/Root" } });
    const { check } = argumentChecker(schema, plan);
    expect(check({ name: "a", kids: [{ name: "b", kids: null }] })).toEqual({ ok: true, arguments: { name: "a", kids: [{ name: "b" }] } });
    expect(check({ name: "a", kids: [{ name: 1, kids: null }] })).toMatchObject({ ok: false, issues: [{ path: "kids.0.name" }] });
  });

  it("leaves out references in the plan that need no decoding", () => {
    const { plan } = strict(
      { a: { $ref: "#/$defs/A" } },
      { $defs: { A: { type: "object", properties: { s: { type: "string" } }, required: ["s"] } } },
    );
    expect(plan).toBeUndefined();
  });

  it.each([
    [{}, "it takes anything"],
    [true, "it takes anything"],
    [false, "it takes nothing"],
    ["string", "it is not a schema"],
    [{ type: "object" }, "keys that nobody knows"],
    [{ type: "object", additionalProperties: { type: "number" } }, "further keys are allowed"],
    [{ type: "object", properties: {}, additionalProperties: true }, "further keys are allowed"],
    [{ type: "object", properties: {}, patternProperties: {} }, "`patternProperties` has no place"],
    [{ type: "object", properties: {}, minProperties: 1 }, "`minProperties` has no place"],
    [{ type: "object", properties: {}, required: ["x"] }, '"x" is required but not among the properties'],
    [{ type: "object", properties: JSON.parse('{"__proto__":{"type":"string"}}') as object }, 'a property is called "__proto__"'],
    [{ type: "array" }, "it takes anything"],
    [{ type: "array", items: [{ type: "string" }, { type: "number" }] }, "a tuple of different members"],
    [{ type: "array", prefixItems: [{ type: "string" }] }, "a tuple of different members or open length"],
    [{ type: "array", items: { type: "string" }, uniqueItems: true }, "`uniqueItems` has no place"],
    [{ type: "string", format: "uri" }, 'the format "uri" is not one of'],
    [{ type: "string", pattern: "^(?=a)" }, "it looks around"],
    [{ type: "string", pattern: "(" }, "not a regular expression"],
    [{ type: "string", maxLength: "5" }, "is not a count"],
    [{ type: "number", exclusiveMinimum: true }, "`exclusiveMinimum` is not a number"],
    [{ type: "text" }, 'the type "text" does not exist'],
    [{ type: "string", enum: [1] }, "its constants are not"],
    [{ enum: [{ a: 1 }] }, "its constants are not"],
    [{ not: { type: "string" } }, "`not` has no place"],
    [
      {
        allOf: [
          { type: "object", properties: {} },
          { type: "object", properties: {} },
        ],
      },
      "`allOf` has several parts",
    ],
    [{ oneOf: [{ type: "string" }, { type: "string", pattern: "^a" }] }, "branches that can take the same value"],
    [{ oneOf: [{ type: "integer" }, { type: "number" }] }, "branches that can take the same value"],
    [{ anyOf: [] }, "not a list of schemas"],
    [{ type: "object", properties: {}, anyOf: [{ required: ["a"] }] }, "a reference or choice has rules beside it"],
    [{ $ref: "#/$defs/Missing" }, "does not lead to"],
    [{ $ref: "https://example.com/schema.json" }, "does not lead to"],
    [{ type: "string", nullable: true }, "`nullable` has no place"],
  ])("is refused with place, reason and fix: %j", (node, reason) => {
    let thrown: unknown;
    try {
      strict({ list: { type: "array", items: node } });
    } catch (error) {
      thrown = error;
    }
    expect(ToolwrightError.is(thrown, "TOOL_DEFINITION")).toBe(true);
    expect((thrown as Error).message).toContain('The parameters of the tool "t" can not become a strict schema: at "list[]');
    expect((thrown as Error).message).toContain(reason);
    expect((thrown as Error).message).toMatch(/\nFix: \S/);
  });

  it.each([
    [{ type: "string" }, "it is not an object"],
    [{ anyOf: [{ type: "object", properties: {} }] }, "the root is a choice"],
    [undefined, "it is not a schema"],
    [[], "it is not a schema"],
  ])("is refused when its root is %j", (root, reason) => {
    expect(() => strictFromJsonSchema(root, "t")).toThrow(reason);
  });

  it("is refused beyond the API's limits", () => {
    const many = (count: number): Record<string, unknown> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]));
    expect(() => strict(many(5001))).toThrow("5001 properties");
    expect(() => strict({ v: { enum: Array.from({ length: 1001 }, (_, index) => index) } })).toThrow("1001 enum values");
    expect(() => strict({ v: { enum: Array.from({ length: 300 }, (_, index) => `${index}`.padStart(60, "x")) } })).toThrow(
      "an enum of more than 250 values",
    );
    let deep: unknown = { type: "string" };
    for (let level = 0; level < 9; level += 1) deep = { type: "array", items: deep };
    expect(strict({ deep }).schema.required).toEqual(["deep"]);
    expect(() => strict({ deep: { type: "array", items: deep } })).toThrow("11 levels");
  });
});

describe("Standard JSON Schema", () => {
  it("comes from Zod, with descriptions, unions, defaults and recursion", () => {
    const Category = z.object({
      name: z.string(),
      get parts() {
        return z.array(Category).optional();
      },
    });
    const parameters = z.object({
      query: z.string().min(2).max(5).describe("What to look for."),
      page: z.int().positive().default(1),
      shape: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("circle"), r: z.number() }),
        z.object({ kind: z.literal("square"), a: z.number() }),
      ]),
      when: z.iso.datetime().optional(),
      mail: z.email().nullable(),
      point: z.tuple([z.number(), z.number()]),
      category: Category.optional(),
    });
    const { schema, plan } = strictFromJsonSchema(parameters, "t");
    expect(plan?.optional).toEqual(["page", "when", "category"]);
    const { check } = argumentChecker(schema, plan);
    const good = {
      query: "abc",
      page: null,
      shape: { kind: "circle", r: 1 },
      when: null,
      mail: null,
      point: [1, 2],
      category: { name: "a", parts: [{ name: "b", parts: null }] },
    };
    expect(check(good)).toEqual({
      ok: true,
      arguments: {
        query: "abc",
        shape: { kind: "circle", r: 1 },
        mail: null,
        point: [1, 2],
        category: { name: "a", parts: [{ name: "b" }] },
      },
    });
    expect(check({ ...good, shape: { kind: "circle", a: 1 } })).toMatchObject({
      ok: false,
      issues: [{ path: "shape.a" }, { path: "shape.r" }],
    });
    expect(check({ ...good, when: "2024-02-31T10:00:00Z" })).toMatchObject({ ok: false, issues: [{ path: "when" }] });
  });

  it("lets the library check and transform what the strict schema can not say", async () => {
    const parameters = z.object({
      page: z.int().default(1),
      site: z.url(),
      even: z.number().refine((value) => value % 2 === 0, "must be even"),
      size: z.string().transform(Number),
    });
    const { schema, plan, refine } = strictFromJsonSchema(parameters, "t");
    expect(schema.properties["site"]).toStrictEqual({ description: "Format: uri.", type: "string" });
    const { check } = argumentChecker(schema, plan);
    const checked = check({ page: null, site: "https://example.com", even: 2, size: "7" });
    expect(await refine?.(checked.ok && checked.arguments)).toEqual({
      ok: true,
      value: { page: 1, site: "https://example.com", even: 2, size: 7 },
    });
    const refused = await refine?.({ site: "nowhere", even: 3, size: "7" });
    expect(refused).toMatchObject({ ok: false, issues: [{ path: "site" }, { path: "even", expected: "must be even" }] });
  });

  it("takes what z.toJSONSchema gave as plain JSON Schema, edits included", () => {
    const json = z.toJSONSchema(z.object({ a: z.string() }), { io: "input" });
    (json.properties as Record<string, { description: string }>)["a"] = { ...(json.properties?.["a"] as object), description: "Edited." };
    expect(strictFromJsonSchema(json, "t").schema.properties["a"]).toStrictEqual({ description: "Edited.", type: "string" });
  });

  it("is refused with the way out for types that JSON lacks, open maps, and libraries without the interface", () => {
    expect(() => strictFromJsonSchema(z.object({ at: z.date() }), "t")).toThrow(/Date cannot be represented.*\nFix: .*z\.iso\.datetime/s);
    expect(() => strictFromJsonSchema(z.object({ map: z.record(z.string(), z.number()) }), "t")).toThrow(
      /at "map", the keyword `propertyNames`|at "map", the object is open/,
    );
    expect(() => strictFromJsonSchema(z.object({ any: z.any() }), "t")).toThrow('at "any", it takes anything');
    expect(() => strictFromJsonSchema({ "~standard": { vendor: "old", version: 1, validate: () => ({ value: 1 }) } }, "t")).toThrow(
      /old does not offer the Standard JSON Schema interface/,
    );
  });
});
