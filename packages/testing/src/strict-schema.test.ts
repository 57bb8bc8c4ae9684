import fc from "fast-check";
import { expect, test } from "vitest";
import { checkStrictSchema } from "./strict-schema.js";

const object = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const messages = (schema: unknown): string[] => checkStrictSchema(schema).map((problem) => problem.message);
const text = { type: "string" };

test.each<[string, object]>([
  ["no parameters", object({})],
  [
    "scalars with their keywords",
    object({
      a: { type: "string", pattern: "^[a-z]{1,1000}$", format: "uuid" },
      b: { type: "integer", minimum: 1, multipleOf: 2 },
      c: { type: "number", exclusiveMaximum: 0.5 },
      d: { type: "boolean" },
    }),
  ],
  [
    "nullable types, enums and const",
    object({
      a: { type: ["string", "null"], enum: ["x", null] },
      b: { type: "string", const: "y" },
      c: { type: "number", enum: [1, 1.5] },
    }),
  ],
  [
    "anyOf with null and a description",
    object({ a: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }], description: "An A." } }, { $defs: { A: object({ x: text }) } }),
  ],
  [
    "recursion through the root and a definition",
    object(
      { next: { anyOf: [{ $ref: "#" }, { type: "null" }] }, tree: { $ref: "#/$defs/Tree" } },
      { $defs: { Tree: object({ children: { type: "array", items: { $ref: "#/$defs/Tree" } } }) } },
    ),
  ],
  [
    "definitions under the older word",
    object(
      { tree: { $ref: "#/definitions/Tree" } },
      { definitions: { Tree: object({ children: { type: "array", items: { $ref: "#/definitions/Tree" } } }) } },
    ),
  ],
  [
    "branches with a discriminator first",
    object({
      shape: {
        anyOf: [
          object({ kind: { type: "string", enum: ["circle"] }, r: { type: "number" } }),
          object({ kind: { type: "string", const: "square" }, a: { type: "number" } }),
        ],
      },
    }),
  ],
  ["branches with different first keys", object({ who: { anyOf: [object({ id: text }), object({ name: text, id: text })] } })],
  ["array bounds", object({ pair: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 } })],
  ["a property named like a keyword", object({ default: text, $ref: text, oneOf: text, constructor: text })],
  ["look-alikes of lookaround inside a class and behind an escape", object({ a: { type: "string", pattern: "[(?=]\\(?=x" } })],
  [
    "annotations at the root",
    object({}, { title: "Nothing", description: "Takes nothing.", $schema: "https://json-schema.org/draft/2020-12/schema" }),
  ],
])("accepts %s", (_name, schema) => {
  expect(checkStrictSchema(schema)).toEqual([]);
});

test.each<[string, unknown, string, string]>([
  [
    "an array as root",
    { type: "array", items: text },
    "#",
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  ],
  [
    "anyOf at the root",
    { anyOf: [object({}), object({ a: text })] },
    "#",
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  ],
  ["a root that is no schema", "string", "#", "In context=(), schema must be an object."],
  [
    "a property left out of required",
    object({ params: text }, { required: [] }),
    "#",
    "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'params'.",
  ],
  [
    "required left out",
    { type: "object", properties: {}, additionalProperties: false },
    "#",
    "In context=(), 'required' is required to be supplied and to be an array including every key in properties.",
  ],
  [
    "a required key that is no property",
    object({}, { required: ["b"] }),
    "#",
    "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Extra required key 'b' supplied.",
  ],
  [
    "a required key given twice",
    object({ a: text }, { required: ["a", "a"] }),
    "#",
    "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Key 'a' is supplied twice.",
  ],
  [
    "an open object",
    object({}, { additionalProperties: true }),
    "#",
    "In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    "a map",
    object({ map: { type: "object", properties: {}, required: [], additionalProperties: text } }),
    "#/properties/map",
    "In context=('properties', 'map'), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    "an object without properties",
    object({ any: { type: "object", required: [], additionalProperties: false } }),
    "#/properties/any",
    "In context=('properties', 'any'), object schema missing properties.",
  ],
  [
    "uniqueItems",
    object({ ids: { type: "array", items: text, uniqueItems: true } }),
    "#/properties/ids",
    "In context=('properties', 'ids'), 'uniqueItems' is not permitted.",
  ],
  ["oneOf", object({ a: { oneOf: [text] } }), "#/properties/a", "In context=('properties', 'a'), 'oneOf' is not permitted."],
  [
    "allOf",
    object({ a: { type: "string", allOf: [text] } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'allOf' is not permitted.",
  ],
  ["not", object({ a: { type: "string", not: text } }), "#/properties/a", "In context=('properties', 'a'), 'not' is not permitted."],
  [
    "default",
    object({ a: { type: "string", default: "" } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'default' is not permitted.",
  ],
  [
    "examples",
    object({ a: { type: "string", examples: [""] } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'examples' is not permitted.",
  ],
  [
    "minLength",
    object({ a: { type: "string", minLength: 1 } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'minLength' is not permitted.",
  ],
  ["patternProperties", object({}, { patternProperties: {} }), "#", "In context=(), 'patternProperties' is not permitted."],
  [
    "prefixItems",
    object({ a: { type: "array", items: text, prefixItems: [text] } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'prefixItems' is not permitted.",
  ],
  [
    "definitions below the root",
    object({ a: { type: "string", $defs: {} } }),
    "#/properties/a",
    "In context=('properties', 'a'), '$defs' is not permitted.",
  ],
  [
    "definitions below the root under the older word",
    object({ a: { type: "string", definitions: {} } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'definitions' is not permitted.",
  ],
  [
    "a keyword of another type",
    object({ a: { type: "boolean", pattern: "x" } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'pattern' is not permitted.",
  ],
  [
    "a keyword beside anyOf",
    object({ a: { anyOf: [text], type: "string" } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'type' is not permitted.",
  ],
  [
    "an enum without type",
    object({ a: { enum: ["x"] } }),
    "#/properties/a",
    "In context=('properties', 'a'), schema must have a 'type' key.",
  ],
  ["an empty schema", object({ a: {} }), "#/properties/a", "In context=('properties', 'a'), schema must have a 'type' key."],
  ["true as a schema", object({ a: true }), "#/properties/a", "In context=('properties', 'a'), schema must be an object, got true."],
  ["an unknown type", object({ a: { type: "date" } }), "#/properties/a", "In context=('properties', 'a'), \"date\" is not a valid type."],
  [
    "a type given twice",
    object({ a: { type: ["string", "string"] } }),
    "#/properties/a",
    "In context=('properties', 'a'), type 'string' is given twice.",
  ],
  [
    "an array without items",
    object({ a: { type: "array" } }),
    "#/properties/a",
    "In context=('properties', 'a'), array schema missing items.",
  ],
  [
    "a tuple",
    object({ a: { type: "array", items: [text] } }),
    "#/properties/a",
    "In context=('properties', 'a'), array schema items is not an object.",
  ],
  [
    "a nested problem in items and anyOf",
    object({ a: { type: "array", items: { anyOf: [text, {}] } } }),
    "#/properties/a/items/anyOf/1",
    "In context=('properties', 'a', 'items', 'anyOf', '1'), schema must have a 'type' key.",
  ],
  ["a problem in a definition", object({}, { $defs: { A: {} } }), "#/$defs/A", "In context=('$defs', 'A'), schema must have a 'type' key."],
  [
    "a problem in a definition under the older word",
    object({}, { definitions: { A: {} } }),
    "#/definitions/A",
    "In context=('definitions', 'A'), schema must have a 'type' key.",
  ],
  [
    "$ref to a definition under the other word",
    object({ a: { $ref: "#/definitions/A" } }, { $defs: { A: text } }),
    "#/properties/a",
    "In context=('properties', 'a'), reference to component '#/definitions/A' which was not found in the schema.",
  ],
  [
    "$ref with a description",
    object({ a: { $ref: "#/$defs/A", description: "An A." } }, { $defs: { A: text } }),
    "#/properties/a",
    "In context=('properties', 'a'), $ref cannot have keywords {'description'}.",
  ],
  [
    "$ref into properties",
    object({ a: text, b: { $ref: "#/properties/a" } }),
    "#/properties/b",
    "In context=('properties', 'b'), reference can only point to definitions defined at the top level of the schema.",
  ],
  [
    "$ref to nothing",
    object({ a: { $ref: "#/$defs/A" } }),
    "#/properties/a",
    "In context=('properties', 'a'), reference to component '#/$defs/A' which was not found in the schema.",
  ],
  [
    "$ref in a circle",
    object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { $ref: "#/$defs/A" } } }),
    "#/properties/a",
    "In context=('properties', 'a'), reference '#/$defs/A' only leads to other references.",
  ],
  [
    "a format outside the list",
    object({ a: { type: "string", format: "uri" } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'uri' is not a valid format.",
  ],
  [
    "lookahead",
    object({ a: { type: "string", pattern: "^(?=x)" } }),
    "#/properties/a",
    "In context=('properties', 'a'), regex lookaround is not supported.",
  ],
  [
    "lookbehind",
    object({ a: { type: "string", pattern: "(?<!a)b" } }),
    "#/properties/a",
    "In context=('properties', 'a'), regex lookaround is not supported.",
  ],
  [
    "a back-reference",
    object({ a: { type: "string", pattern: "(a)\\1" } }),
    "#/properties/a",
    "In context=('properties', 'a'), regex backreferences are not supported.",
  ],
  [
    "a named back-reference",
    object({ a: { type: "string", pattern: "(?<n>a)\\k<n>" } }),
    "#/properties/a",
    "In context=('properties', 'a'), regex backreferences are not supported.",
  ],
  [
    "a large repeat",
    object({ a: { type: "string", pattern: "a{2,1001}" } }),
    "#/properties/a",
    "In context=('properties', 'a'), regex repeats of more than 1000 are not supported.",
  ],
  [
    "a broken pattern",
    object({ a: { type: "string", pattern: "(" } }),
    "#/properties/a",
    "In context=('properties', 'a'), '(' is not a valid regex.",
  ],
  [
    "an enum value of another type",
    object({ a: { type: "string", enum: ["x", 1] } }),
    "#/properties/a",
    "In context=('properties', 'a'), enum value 1 does not validate against the type.",
  ],
  [
    "an enum value given twice",
    object({ a: { type: "string", enum: ["x", "x"] } }),
    "#/properties/a",
    "In context=('properties', 'a'), enum value \"x\" is given twice.",
  ],
  [
    "an empty enum",
    object({ a: { type: "string", enum: [] } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'enum' must be a non-empty array.",
  ],
  ["an empty anyOf", object({ a: { anyOf: [] } }), "#/properties/a", "In context=('properties', 'a'), 'anyOf' must be a non-empty array."],
  [
    "branches with one open first key",
    object({ a: { anyOf: [object({ id: text, x: text }), object({ id: text, y: text })] } }),
    "#/properties/a",
    "In context=('properties', 'a'), objects provided via 'anyOf' must not share identical first keys. Put a discriminator first: a key whose literal differs in each branch.",
  ],
  [
    "branches with one literal",
    object(
      { a: { anyOf: [{ $ref: "#/$defs/A" }, object({ kind: { type: "string", const: "a" }, y: text })] } },
      { $defs: { A: object({ kind: { type: "string", enum: ["a", "b"] } }) } },
    ),
    "#/properties/a",
    "In context=('properties', 'a'), objects provided via 'anyOf' must not share identical first keys. Put a discriminator first: a key whose literal differs in each branch.",
  ],
  [
    "bounds that exclude everything",
    object({ a: { type: "array", items: text, minItems: 3, maxItems: 2 } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'minItems' is greater than 'maxItems'.",
  ],
  [
    "a bound that is no number",
    object({ a: { type: "integer", minimum: "1" } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'minimum' must be a number.",
  ],
  [
    "a description that is no text",
    object({ a: { type: "string", description: 1 } }),
    "#/properties/a",
    "In context=('properties', 'a'), 'description' must be a string.",
  ],
])("refuses %s", (_name, schema, path, message) => {
  expect(checkStrictSchema(schema)).toContainEqual({ path, message });
});

const many = (count: number, value: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value(index)]));
const nested = (levels: number): object => (levels === 1 ? object({ x: text }) : object({ next: nested(levels - 1) }));
const enumOf = (count: number, length: number): object => ({
  type: "string",
  enum: Array.from({ length: count }, (_, index) => String(index).padStart(length, "_")),
});

test("counts properties in all objects together", () => {
  expect(messages(object({ a: object(many(2499, () => text)), b: object(many(2499, () => text)) }))).toEqual([]);
  expect(messages(object({ a: object(many(2500, () => text)), b: object(many(2499, () => text)) }))).toEqual([
    "5001 object properties in total exceeds limit of 5000.",
  ]);
});

test("counts levels of objects and arrays, also behind references", () => {
  expect(messages(nested(10))).toEqual([]);
  expect(messages(nested(11))).toEqual(["11 levels of nesting exceeds limit of 10."]);
  expect(messages(object({ a: { type: "array", items: { type: "array", items: nested(8) } } }))).toEqual([
    "11 levels of nesting exceeds limit of 10.",
  ]);
  expect(messages(object({ a: object({ b: { $ref: "#/$defs/Deep" } }) }, { $defs: { Deep: nested(9) } }))).toEqual([
    "11 levels of nesting exceeds limit of 10.",
  ]);
});

test("counts enum values, their characters and all names", () => {
  expect(messages(object({ a: enumOf(500, 3), b: enumOf(500, 3) }))).toEqual([]);
  expect(messages(object({ a: enumOf(501, 3), b: enumOf(500, 3) }))).toEqual(["1001 enum values in total exceeds limit of 1000."]);
  expect(messages(object({ a: enumOf(250, 100) }))).toEqual([]);
  expect(messages(object({ a: enumOf(251, 60) }))).toEqual(["15060 characters in an enum of 251 values exceeds limit of 15000."]);
  expect(messages(object({ a: { type: "string", const: "x".repeat(119_999) } }))).toEqual([]);
  expect(messages(object({ ab: { type: "string", const: "x".repeat(119_999) } }))).toEqual([
    "120001 characters of property names, definition names, enum values and const values exceeds limit of 120000.",
  ]);
});

test("ends on a schema object that contains itself and on absurd nesting", () => {
  const circle: Record<string, unknown> = { type: "array" };
  circle["items"] = circle;
  expect(messages(object({ a: circle }))).toContain(
    "In context=('properties', 'a', 'items'), schema contains itself: use $ref for recursion.",
  );
  expect(messages(nested(3000))).toContainEqual(expect.stringContaining("levels of nesting exceeds limit of 10."));
});

test("escapes names in the path and reads escaped references", () => {
  expect(checkStrictSchema(object({ "a/b~c": {} }))[0]?.path).toBe("#/properties/a~1b~0c");
  expect(messages(object({ a: { $ref: "#/$defs/Page%2FUser~0" } }, { $defs: { "Page/User~": text } }))).toEqual([]);
});

test("never throws, whatever it is given", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(Array.isArray(checkStrictSchema(value))).toBe(true);
      expect(Array.isArray(checkStrictSchema(object({ a: value })))).toBe(true);
    }),
  );
});

test("refuses every keyword that is not listed, at every place", () => {
  const places: ((extra: object) => object)[] = [
    (extra) => object({}, extra),
    (extra) => object({ a: { ...text, ...extra } }),
    (extra) => object({ a: { type: "array", items: { ...text, ...extra } } }),
    (extra) => object({ a: { anyOf: [{ ...text, ...extra }, { type: "null" }] } }),
    (extra) => object({}, { $defs: { A: { ...text, ...extra } } }),
  ];
  const unlisted = [
    "if",
    "then",
    "else",
    "contains",
    "dependentRequired",
    "unevaluatedProperties",
    "propertyNames",
    "minProperties",
    "$id",
    "nullable",
    "discriminator",
    "readOnly",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.constantFrom(...unlisted), fc.jsonValue(), (place, keyword, value) => {
      expect(messages(place({ [keyword]: value })).some((message) => message.endsWith(`'${keyword}' is not permitted.`))).toBe(true);
    }),
  );
});
