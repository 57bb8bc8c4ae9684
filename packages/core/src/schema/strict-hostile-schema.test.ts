import { describe, expect, it } from "vitest";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { strictFromJsonSchema } from "./strict-from-json-schema.js";

/** The message of the refusal, which must come soon, and be no error of the engine. */
function refusalOf(schema: unknown): string {
  const start = performance.now();
  let thrown: unknown;
  try {
    strictFromJsonSchema(schema, "t");
  } catch (error) {
    thrown = error;
  }
  expect(performance.now() - start).toBeLessThan(2000);
  expect(ToolwrightError.is(thrown, "TOOL_DEFINITION"), String(thrown)).toBe(true);
  return (thrown as Error).message;
}

type Loose = Record<string, unknown>;

/** A schema that has itself at the place that `put` chooses. */
function cyclic(put: (self: Loose) => Loose): Loose {
  const self: Loose = {};
  return Object.assign(self, put(self));
}

const root = (value: unknown): Loose => ({ type: "object", properties: { value }, required: ["value"] });

describe("a schema that contains itself", () => {
  it.each<[string, (self: Loose) => Loose]>([
    ["a property", (self) => ({ type: "object", properties: { self } })],
    ["the items", (self) => ({ type: "object", properties: { list: { type: "array", items: self } } })],
    ["a branch of anyOf", (self) => ({ type: "object", properties: { self: { anyOf: [self, { type: "null" }] } } })],
    ["a branch of oneOf", (self) => ({ type: "object", properties: { self: { oneOf: [self, { type: "null" }] } } })],
    ["the part of allOf", (self) => ({ type: "object", properties: { self: { allOf: [self] } } })],
    ["allOf at the root", (self) => ({ allOf: [self] })],
  ])("is refused, and told to use a reference: as %s", (_, put) => {
    expect(refusalOf(cyclic(put))).toMatch(/it contains itself\.\nFix: .*\$ref/s);
  });

  it("is refused as a reference to nothing but itself", () => {
    expect(refusalOf({ $ref: "#" })).toContain("it contains itself");
    expect(refusalOf({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } })).toContain("it contains itself");
  });

  it("is a schema like any other where a reference lies between", () => {
    const self = cyclic((inner) => ({ ...root({ $ref: "#/$defs/Self" }), $defs: { Self: { type: "array", items: inner } } }));
    const { schema } = strictFromJsonSchema(self, "t");
    expect(schema.$defs).toMatchObject({ Self: { items: { properties: { value: { $ref: "#/$defs/Self" } } } } });
  });

  it("may be used twice, side by side", () => {
    const address = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const { schema } = strictFromJsonSchema({ type: "object", properties: { from: address, to: address }, required: ["from", "to"] }, "t");
    expect(schema.properties["from"]).toEqual(schema.properties["to"]);
  });
});

describe("a schema that JSON can not carry", () => {
  const loop: Loose = {};
  loop["loop"] = loop;

  it.each([
    ["a default", root({ type: "string", default: loop }), undefined],
    ["members of a tuple", root({ type: "array", prefixItems: [loop, loop], items: false, minItems: 2 }), /loop|tuple/],
    ["a big default", root({ type: "integer", default: 10n }), undefined],
    ["a constant", root({ const: loop }), /constants/],
    ["a format", root({ type: "string", format: loop }), /the format/],
    ["a reference", root({ $ref: loop }), /the reference|takes anything/],
    ["a type", root({ type: [loop] }), /the type/],
    ["required", { ...root({ type: "string" }), required: [loop] }, /is required/],
  ])("has no raw error: %s", (_, schema, reason) => {
    if (reason === undefined) expect(() => strictFromJsonSchema({ ...schema, required: [] }, "t")).not.toThrow();
    else expect(refusalOf(schema)).toMatch(reason);
  });
});

describe("a schema out of all proportion", () => {
  it("is refused at any depth", () => {
    const deep = (wrap: (inner: unknown) => unknown): unknown =>
      Array.from({ length: 20_000 }).reduce((inner) => wrap(inner), { type: "string" });
    for (const wrap of [
      (inner: unknown) => ({ allOf: [inner] }),
      (inner: unknown) => ({ anyOf: [inner] }),
      (inner: unknown) => ({ type: "array", items: inner }),
      (inner: unknown) => ({ type: "object", properties: { inner } }),
    ]) {
      expect(refusalOf(root(deep(wrap)))).toMatch(/nested too deep|levels/);
    }
  });

  it("is answered soon where choices multiply", () => {
    const branches = (name: string): unknown => ({ anyOf: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/${name}` })) });
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`D${index}`, index === 29 ? { type: "string" } : branches(`D${index + 1}`)]),
    );
    expect(refusalOf({ ...root({ oneOf: [{ $ref: "#/$defs/D0" }, { $ref: "#/$defs/D0" }] }), $defs })).toContain("can take the same value");
    const loops = { A: { anyOf: Array.from({ length: 10 }, () => ({ $ref: "#/$defs/A" })) } };
    expect(refusalOf({ ...root({ oneOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }] }), $defs: loops })).toBeTypeOf("string");
  });
});
