import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partialJson } from "./partial-json.js";

describe("partialJson", () => {
  it.each([
    ["", undefined],
    ["  ", undefined],
    ["{", {}],
    ['{"na', {}],
    ['{"name"', {}],
    ['{"name":', {}],
    ['{"name":"Ka', { name: "Ka" }],
    ['{"name":"Kazan"', { name: "Kazan" }],
    ['{"name":"Kazan","days":[1', { name: "Kazan", days: [] }],
    ['{"name":"Kazan","days":[1,', { name: "Kazan", days: [1] }],
    ['{"a":tru', {}],
    ['{"a":true', { a: true }],
    ['{"a":-1.5e', {}],
    ['{"a":"x\\', { a: "x" }],
    ['{"a":"x\\\\', { a: "x\\" }],
    ['{"a":"x\\u00', { a: "x" }],
    ['{"a":"\\ud83d', { a: "" }],
    ['{"a":[{"b":"c"},{"d', { a: [{ b: "c" }, {}] }],
    ["not JSON", undefined],
  ])("%j", (text, value) => {
    expect(partialJson(text)).toEqual(value);
  });

  it("every beginning of a JSON object is read, and the whole is the value", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, undefined, spaced ? 2 : 0);
        expect(partialJson(text)).toEqual(JSON.parse(text));
        for (let end = 1; end < text.length; end += 1) expect(typeof partialJson(text.slice(0, end))).toBe("object");
      }),
      { numRuns: 60 },
    );
  });
});
