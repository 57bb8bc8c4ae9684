import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PatternRefused } from "../schema/pattern-syntax.js";
import { patternFinder } from "./redact-pattern.js";

const found = (source: string, text: string, ignoreCase = false): readonly string[] =>
  patternFinder(source, ignoreCase)(text).map(([start, end]) => text.slice(start, end));

describe("patternFinder", () => {
  it.each<readonly [source: string, text: string, found: readonly string[]]>([
    ["CUST-\\d{6}", "of CUST-123456 and CUST-654321, not CUST-12", ["CUST-123456", "CUST-654321"]],
    ["CUST-\\d+", "CUST-1 CUST-22, CUST-", ["CUST-1", "CUST-22"]],
    ["\\b[A-Z]{2}\\d{2,4}\\b", "AB12 xAB34 CD5678 EF90123", ["AB12", "CD5678"]],
    ["(?:cat|category) \\d", "category 5, cat 7", ["category 5", "cat 7"]],
    ["a|ab|abc", "abc ab a", ["abc", "ab", "a"]],
    ["(a+)+b", "aaab aab ba", ["aaab", "aab"]],
    ["^id \\w+$", "id abc", ["id abc"]],
    ["^id \\w+", "an id abc", []],
    ["😀+x?", "😀😀x 😀", ["😀😀x", "😀"]],
    ["[А-Я]{2}-\\d+", "АБ-12 и ВГ-3", ["АБ-12", "ВГ-3"]],
  ])("finds %s in %s", (source, text, expected) => {
    expect(found(source, text)).toEqual(expected);
  });

  it("heeds the case unless told otherwise", () => {
    expect(found("emp-\\d+", "EMP-1 emp-2")).toEqual(["emp-2"]);
    expect(found("emp-\\d+", "EMP-1 emp-2", true)).toEqual(["EMP-1", "emp-2"]);
    expect(found("emp-\\d{1}", "EMP-1 emp-2", true)).toEqual(["EMP-1", "emp-2"]);
  });

  it.each(["(a", "(?=a)b", "(a)\\1", "a*", "(?:x|)", "^$", "(?:a{1000}){1000}"])("refuses %s with a reason", (source) => {
    expect(() => patternFinder(source, false)).toThrow(PatternRefused);
  });

  it("says what the native engine says, where longest and first are the same", () => {
    const pieces = ["a", "b", "[ab]", "\\d", "\\w", "a+", "b{1,3}", "(?:ab)+", "(?:a|bc)", "\\b", "x?y"];
    const source = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }).map((list) => list.join(""));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "x", "y", "1", " "), maxLength: 30 });
    fc.assert(
      fc.property(source, text, (pattern, subject) => {
        fc.pre(!new RegExp(`^(?:${pattern})$`).test("") && pattern !== "\\b" && !/^(?:\\b)+$/.test(pattern));
        const spans = patternFinder(pattern, false)(subject);
        const native = [...subject.matchAll(new RegExp(pattern, "gu"))];
        // The first match begins where the native one does, and is as long or longer.
        expect(spans[0]?.[0]).toBe(native[0]?.index);
        expect(spans.length > 0).toBe(native.length > 0);
        let end = 0;
        for (const [start, stop] of spans) {
          expect(start).toBeGreaterThanOrEqual(end);
          expect(new RegExp(`^(?:${pattern.replaceAll("\\b", "")})$`, "u").test(subject.slice(start, stop))).toBe(true);
          end = stop;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("takes no time out of proportion, on texts that a backtracking engine would never leave", () => {
    const text = `${"a".repeat(30_000)}${"1-".repeat(10_000)}!`;
    for (const source of ["(a+)+$", "(a|a)+b", "(?:a*)*b", "\\d+-\\d+-\\d+x"]) expect(found(source, text)).toEqual([]);
  }, 10_000);
});
