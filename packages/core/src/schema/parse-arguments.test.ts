import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue } from "../contracts/schema.js";
import { inspectJson } from "./inspect-json.js";
import { parseArguments } from "./parse-arguments.js";

function issuesOf(text: string): readonly Issue[] {
  const parsed = parseArguments(text);
  return parsed.ok ? [] : parsed.issues;
}

describe("parseArguments", () => {
  it.each([[""], [" \n\t "], ["null"], [" null "], [null], [undefined], ["{}"]])("reads %j as no arguments", (text) => {
    expect(parseArguments(text)).toEqual({ ok: true, value: {} });
  });

  it.each([
    ["{'a':1}", "a key in double quotes", `"'" at line 1, column 2`],
    ['{"a":1,}', "a key in double quotes", `"}" at line 1, column 8`],
    ['{"a":', "a JSON value", "the end of the text at line 1, column 6"],
    ['{"a":1', '"," or "}"', "the end of the text at line 1, column 7"],
    ['{\n  "a": tru\n}', "a JSON value", "a letter at line 2, column 8"],
    ['{"a":1}}', "nothing after the closing brace", '"}" at line 1, column 8'],
    ['{"a" 1}', '":" after the key', "a digit at line 1, column 6"],
    ['{"a":[1 2]}', '"," or "]"', "a digit at line 1, column 9"],
    ['{"a":01}', "a number without leading zeros", "a digit at line 1, column 7"],
    ['{"a":1.}', "a digit", '"}" at line 1, column 8'],
    ['{"a":-}', "a digit", '"}" at line 1, column 7'],
    ['{"a":"x\ny"}', "an escaped control character", "a space or control character at line 1, column 8"],
    ['{"a":"\\x"}', 'one of " \\ / b f n r t u after a backslash', "a letter at line 1, column 8"],
    ['{"a":"\\u12g4"}', 'four hexadecimal digits after "\\u"', "a letter at line 1, column 8"],
    ['{"a":"x', "a closing double quote", "the end of the text at line 1, column 8"],
    ["not json", "a JSON value", "a letter at line 1, column 1"],
    ["\uFEFF{}", "a JSON value", "a space or control character at line 1, column 1"],
  ])("says where %j breaks and what was expected", (text, expected, received) => {
    expect(issuesOf(text)).toMatchObject([{ expected, received }]);
  });

  it.each([
    ["[1]", "array"],
    ['"x"', "string"],
    ["3", "number"],
    ["true", "boolean"],
  ])("refuses the root %s", (text, received) => {
    expect(issuesOf(text)).toEqual([{ path: "", expected: "object", received }]);
  });

  it("names a key that is given twice, at any depth and however it is written", () => {
    expect(issuesOf('{"a":1,"a":2}')).toEqual([{ path: "a", expected: "each key once", received: "the key twice at line 1, column 8" }]);
    expect(issuesOf('{"lines":[{"x":1},{"x":1,"\\u0078":2}]}')).toMatchObject([{ path: "lines.1.x", expected: "each key once" }]);
    expect(issuesOf('{"a":{"b":1},"c":{"b":1},"b":[{"b":1},{"b":2}]}')).toEqual([]);
  });

  it("finds the twin among more keys than the quick scan compares", () => {
    const keys = Array.from({ length: 300 }, (_, index) => `"k${index}":${index}`);
    expect(parseArguments(`{${keys.join()}}`).ok).toBe(true);
    expect(issuesOf(`{${keys.join()},"k7":0}`)).toMatchObject([{ path: "k7", expected: "each key once" }]);
  });

  it("takes keys whose hashes are equal for the two keys that they are", () => {
    // "Aa" and "BB" have the same hash in the quick scan.
    expect(parseArguments('{"Aa":1,"BB":2}')).toEqual({ ok: true, value: { Aa: 1, BB: 2 } });
  });

  it("keeps __proto__ as an own key and pollutes nothing", () => {
    const parsed = parseArguments('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(issuesOf('{"__proto__":1,"__proto__":2}')).toMatchObject([{ path: "__proto__" }]);
  });

  it.each([
    ["2512292042121000001"],
    ["-9007199254740993"],
    ["9007199254740992"],
    ["9007199254740993.0"],
    ["1.2345678901234567891e19"],
    ["12345678901234567891E0"],
  ])("refuses the integer %s, which would be rounded, with the way out", (literal) => {
    expect(issuesOf(`{"id":${literal}}`)).toMatchObject([{ path: "id", expected: expect.stringContaining("a string if it is an id") }]);
    expect(parseArguments(`{"id":"${literal}"}`).ok).toBe(true);
  });

  it.each([
    ["9007199254740991"],
    ["1e21"],
    ["0.30000000000000004"],
    ["1234567890.123456789"],
    ["-0"],
    ["1E-400"],
    ["5e-324"],
    ["9007199254740992.5"],
  ])("takes the number %s", (literal) => {
    expect(parseArguments(`{"n":${literal}}`)).toEqual({ ok: true, value: { n: Number(literal) } });
  });

  it("refuses numbers that no double holds", () => {
    expect(issuesOf('{"n":1e400}')).toMatchObject([{ path: "n", expected: "a number below 1.8e308" }]);
    expect(issuesOf(`{"n":0.${"0".repeat(500)}1}`)).toEqual([]);
    expect(issuesOf(`{"n":1${"0".repeat(500)}}`)).toMatchObject([{ path: "n", expected: "a number of fewer digits, or a string" }]);
  });

  it("refuses halves of surrogate pairs, raw and escaped, and keeps whole ones", () => {
    expect(issuesOf('{"a":"x\ud83d"}')).toMatchObject([{ path: "a", received: expect.stringContaining("half of a surrogate pair") }]);
    expect(issuesOf('{"a":"\\udE00"}')).toMatchObject([{ path: "a" }]);
    expect(issuesOf('{"\\ud83d":1}')).toHaveLength(1);
    expect(parseArguments('{"a":"\\ud83d\\ude00 😀 \\\\ud83d"}')).toEqual({ ok: true, value: { a: "😀 😀 \\ud83d" } });
  });

  it("refuses endless nesting and endless text, and does not throw", () => {
    const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(parseArguments(nested(100)).ok).toBe(true);
    expect(issuesOf(nested(101))).toMatchObject([{ expected: "at most 100 levels of nesting" }]);
    expect(issuesOf(`{"a":${"[".repeat(1_000_000)}`)).toMatchObject([{ expected: "at most 100 levels of nesting" }]);
    expect(issuesOf(`{"a":"${"x".repeat(10_000_001)}"}`)).toMatchObject([{ expected: "at most 10000000 characters of JSON" }]);
  });

  it("reports no more than twenty issues, and cuts what a model made long", () => {
    const twins = Array.from({ length: 50 }, () => `"${"k".repeat(1000)}":1`);
    const issues = issuesOf(`{${twins.join()}}`);
    expect(issues).toHaveLength(20);
    expect(issues.every(({ path }) => path.length <= 64)).toBe(true);
  });

  it("gives what JSON.parse gives for every object that JSON.stringify writes", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 5 })),
        fc.constantFrom(undefined, 1, "\t"),
        (object, space) => {
          const text = JSON.stringify(object, null, space);
          const expected = JSON.parse(text) as unknown;
          fc.pre(JSON.stringify(expected).isWellFormed() && !/\d{16}/.test(text) && !/\d[eE]/.test(text));
          expect(parseArguments(text)).toEqual({ ok: true, value: expected });
        },
      ),
      { numRuns: 500 },
    );
  });

  it("agrees with JSON.parse on what is JSON, for broken text too", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      '"b":',
      "1",
      "-",
      ".5",
      "e3",
      "true",
      "nul",
      "\\",
      "\\u00",
      " ",
      "\n",
      "'",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const issues = inspectJson(text);
        const onlySemantic = issues.every(({ expected }) => /once|integer|below/.test(expected));
        expect(valid ? onlySemantic : issues.length > 0).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
