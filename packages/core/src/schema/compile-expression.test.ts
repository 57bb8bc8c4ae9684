import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileExpression } from "./compile-pattern.js";
import { PatternAutomaton } from "./pattern-automaton.js";
import { backtrackingSteps } from "./pattern-cost.js";
import { FULL, parsePattern } from "./pattern-syntax.js";

describe("compileExpression", () => {
  it.each([
    [/^(a+)+$/i],
    [/^(a|a)*$/s],
    [/(x+x+)+y/m],
    [/^(?=(a+)+$)/],
    [/^(?!(a|aa)+$)a*b/u],
    [/(?<=^(a*)*)b/],
    [/^(?:a(?=(a+)+b))+$/],
    [/^([a-z]+)*[A-Z]$/v],
    [/a*a*a*b/y],
  ])("answers %s on a hostile text in time", (expression) => {
    const start = performance.now();
    compileExpression(expression).test(`${"a".repeat(20_000)}!`);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it.each([
    [/^abc$/i, "ABC", "abd"],
    [/^a.c$/s, "a\nc", "ac"],
    [/^b$/m, "a\nb\nc", "ab\nbc"],
    [/^.$/u, "😀", "ab"],
    [/^[\p{L}--[a-z]]+$/v, "ÄÖ", "Äö-a"],
    [/^(?=.*[A-Z])(?=.*\d)(?!.*\s).{8,}$/, "Passw0rds", "passw0rds"],
    [/(?<=\$)\d+(?!\.)/, "$42", "42"],
    [/(?<!\$)\b\d+/, "a 42", "$4"],
    [/^(['"]).*\1$/, "'it'", "'it\""],
    [/^(?<quote>["']).*\k<quote>$/, '"it"', "\"it'"],
    [/\w/iu, "\u017f", "-"],
    [/^(?:a{20000}|b)$/, "b", "a"],
    [/^(?i:a)b(?-i:c)$/, "Abc", "aBc"],
    [/^(?i:a(?-i:b))c$/i, "AbC", "aBc"],
  ])("means what the native engine means: %s", (expression, good, bad) => {
    expect([good, bad].map((text) => expression.test(text))).toEqual([true, false]);
    const compiled = compileExpression(expression);
    expect([good, bad].map((text) => compiled.test(text))).toEqual([true, false]);
  });

  it("takes no state of the expression, nor leaves any", () => {
    const [global, sticky] = [/a/g, /a/y];
    global.lastIndex = 5;
    sticky.lastIndex = 1;
    const compiled = [compileExpression(global), compileExpression(sticky)];
    expect(compiled.map((each) => [each.test("xa"), each.test("ax"), each.test("ax")])).toEqual([
      [true, true, true],
      [false, true, true],
    ]);
    expect([global.lastIndex, sticky.lastIndex]).toEqual([5, 1]);
  });

  it.each([[/^(a+)+\1$/], [/^(?:(\w+)\s?)+\1$/i], [/(.*)*\1x/s], [/(a*)(a*)(a*)(a*)(a*)\5!/]])(
    "bounds the text of %s, which no automaton runs",
    (expression) => {
      const { maxLength } = compileExpression(expression);
      expect(maxLength).toBeGreaterThan(2);
      expect(maxLength).toBeLessThan(1000);
      const start = performance.now();
      compileExpression(expression).test("a".repeat(maxLength));
      expect(performance.now() - start).toBeLessThan(5000);
    },
  );

  it("runs plain references back on long texts", () => {
    const quoted = compileExpression(/^(["'])[^"']*\1$/);
    expect(quoted.maxLength).toBeGreaterThan(30_000);
    expect(quoted.test(`"${"x".repeat(30_000)}"`)).toBe(true);
  });

  it("means what the native engine means, with flags and looks, in the automaton as well", () => {
    // Not `(?i:…)`: V8 takes /(?i:b|[^a])/ for a match of "A".
    const assertion = fc.constantFrom("\\b", "\\B", "^", "$");
    const atom = fc.constantFrom("a", "b", "B", "[ab]", "[^a]", ".", "\\w", "\\d", "\\s", "\\x41", "k", "\\W");
    const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}?", "*?");
    const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
      term: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.tuple(atom, quantifier).map((parts) => parts.join("")),
        assertion,
        fc
          .tuple(fc.constantFrom("(", "(?:", "(?s:", "(?-m:", "(?s-m:"), tie("pattern"), quantifier)
          .map(([open, inner, count]) => `${open}${inner})${count}`),
        fc.tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), tie("pattern")).map(([open, inner]) => `${open}${inner})`),
      ),
      pattern: fc
        .array(fc.array(tie("term"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
        .map((choices) => choices.map((terms) => terms.join("")).join("|")),
    }));
    const flags = fc.subarray(["i", "m", "s", "u", "y"]).map((some) => some.join(""));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "K", "\u212a", "1", " ", "\n", "\r"), maxLength: 8 });
    let compared = 0;
    fc.assert(
      fc.property(pattern, flags, text, (source, some, tail) => {
        let native: RegExp;
        try {
          native = new RegExp(source, some);
        } catch {
          return;
        }
        const tree = parsePattern(source, some, FULL);
        if (backtrackingSteps(tree, tail.length, false) > 1e8) return;
        compared += 1;
        const hint = `/${source}/${some} on ${JSON.stringify(tail)}`;
        const expected = native.test(tail);
        expect(compileExpression(native).test(tail), hint).toBe(expected);
        expect(new PatternAutomaton(tree, some).test(tail), hint).toBe(expected);
      }),
      { numRuns: 5000 },
    );
    expect(compared).toBeGreaterThan(2000);
  });
});
