import * as classValidator from "class-validator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validators } from "./validators.js";

/** A pattern that stands for a decorator must accept what class-validator's own function does, and nothing else. */
const patterns = [
  ["IsAlpha", classValidator.isAlpha, "abcXYZé1 \u212a"],
  ["IsAlphanumeric", classValidator.isAlphanumeric, "abcXYZ019é_ "],
  ["IsHexColor", classValidator.isHexColor, "#0aFfg1"],
  ["IsMongoId", classValidator.isMongoId, "0aFx9h"],
  ["IsMilitaryTime", classValidator.isMilitaryTime, "0123459:"],
] as const;

const samples = [
  ...["", "a", "A1", "#fff", "#ffff", "#fffffff", "#12345678", "fff", "0".repeat(24), `0x${"f".repeat(22)}`, `0h${"f".repeat(22)}`],
  ...[`0x${"f".repeat(24)}`, "23:59", "2359", "24:00", "9:00", "00:60", "a\n", "\na", "é", "\u017f", "\u212a"],
];

function patternOf(name: string, ...parameters: readonly string[]): RegExp {
  const { pattern } = validators[name]?.rules(parameters) ?? {};
  expect(pattern).toBeDefined();
  return new RegExp(pattern ?? "", "u");
}

describe("patterns that stand for decorators", () => {
  test.each(patterns)("%s", (name, accepts, letters) => {
    const pattern = patternOf(name);
    for (const sample of samples) expect([sample, pattern.test(sample)]).toEqual([sample, accepts(sample)]);
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...letters), maxLength: 9 }),
      fc.string({ unit: fc.constantFrom(...letters), minLength: 24, maxLength: 24 }),
    );
    fc.assert(
      fc.property(texts, (text) => pattern.test(text) === accepts(text)),
      { numRuns: 2000 },
    );
  });

  test("Contains", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 3 }),
        fc.string({ unit: fc.constantFrom(..."a.*+?(){}[]|/\\^$-"), maxLength: 8 }),
        (seed, text) => {
          const pattern = patternOf("Contains", seed);
          return pattern.test(text + seed) && pattern.test(text) === classValidator.contains(text, seed);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("with options only the words are true", () => {
    expect(validators["IsAlpha"]?.rules(["de-DE"])).toEqual({ words: ["Letters only."] });
    expect(validators["IsDivisibleBy"]?.rules([0.5])).toEqual({ words: ["Divisible by 0.5."] });
  });
});
