import { describe, expect, test } from "vitest";
import { ConstantPattern } from "../constant.js";
import { safePattern } from "./safe-pattern.js";

const patternOf = ({ source, flags }: RegExp): ConstantPattern => new ConstantPattern(source, flags);

describe("safePattern", () => {
  test.each([/^[A-Z]{3}-\d+$/, /a|b(?:c)*/, /[\]\-x]/, /\p{L}+/u, /^https?:\/\//, /a{2,1000}/, /x/g, /[(?=]/, /\x41/])(
    "%s can be sent",
    (pattern) => {
      expect(safePattern(patternOf(pattern))).toBe(pattern.source);
    },
  );

  test.each([
    ...["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", String.raw`(a)\1`, String.raw`(?<n>a)\k<n>`, "a{1001}", "a{1,2000}", "[^]", "[]"],
    ...[String.raw`\u0041`, String.raw`\cA`, String.raw`\p{Script=Greek}`, String.raw`a\-b`],
  ])("/%s/ cannot", (source) => {
    expect(safePattern(new ConstantPattern(source, ""))).toBeUndefined();
  });

  test.each(["i", "s", "m", "y"])("the flag %s changes the meaning, so it cannot", (flags) => {
    expect(safePattern(new ConstantPattern("^a.c$", flags))).toBeUndefined();
  });

  test("what is no regular expression cannot", () => {
    expect(safePattern(new ConstantPattern("(", ""))).toBeUndefined();
  });
});
