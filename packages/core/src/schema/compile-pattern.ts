import { PatternAutomaton } from "./pattern-automaton.js";
import { parsePattern, PatternRefused, type PatternNode } from "./pattern-syntax.js";

/** Steps of backtracking that a native match may need at most; beyond that the automaton runs, which never backtracks. */
const NATIVE_STEPS = 100_000;
/** The native engine makes this many steps in the time of one of the automaton's. */
const NATIVE_SPEED = 50;
/** Steps of the automaton: what a text may cost at most is a second or so. */
const MAX_STEPS = 20_000_000;
/** States of an automaton. `^[a-z]{1,1000}$` has about 1000. */
const MAX_STATES = 5000;

/** A pattern that is safe to run on any text of at most `maxLength` UTF-16 units. */
export interface CompiledPattern {
  readonly maxLength: number;
  /** Steps of the automaton that the test of a text may cost at most, or as much time; 0 for a single pass. */
  cost(text: string): number;
  test(text: string): boolean;
}

/**
 * Makes a test for a pattern of the schema, with the meaning of `new RegExp(pattern, "u").test` (without `u` if only that is
 * valid). A pattern comes from a tool's author and the text from a model, so the time must not explode on any pair of
 * them: a native expression runs where its backtracking is bounded by the text's length, else an automaton that takes
 * length × states.
 *
 * @throws PatternRefused with the reason as a phrase: not an expression, lookaround, back references, too large
 */
export function compilePattern(pattern: string): CompiledPattern {
  const { native, flags } = nativeExpression(pattern);
  const tree = parsePattern(pattern, flags);
  const states = countStates(tree);
  if (states > MAX_STATES) throw new PatternRefused("its counts multiply to too many states");
  const degree = backtracking(tree) + (isAnchored(tree) ? 0 : 1);
  const nativeSteps = (text: string): number => Math.max(text.length, 16) ** degree;
  let automaton: PatternAutomaton | undefined;
  return {
    maxLength: Math.floor(MAX_STEPS / states),
    cost(text) {
      if (degree <= 1) return 0;
      const steps = nativeSteps(text);
      return steps <= NATIVE_STEPS ? steps / NATIVE_SPEED : text.length * states;
    },
    test(text) {
      if (degree <= 1 || nativeSteps(text) <= NATIVE_STEPS) return native.test(text);
      automaton ??= new PatternAutomaton(tree, flags);
      return automaton.test(text);
    },
  };
}

function nativeExpression(pattern: string): { native: RegExp; flags: "u" | "" } {
  try {
    return { native: new RegExp(pattern, "u"), flags: "u" };
  } catch {
    // Author's patterns such as `\d\-\d` are expressions only without the flag.
  }
  try {
    return { native: new RegExp(pattern), flags: "" };
  } catch (error) {
    throw new PatternRefused(`it is not a regular expression (${(error as Error).message.replace(/^.*\/: /s, "")})`);
  }
}

/**
 * The power of the text's length that bounds backtracking: the count of repeats whose length varies; unbounded if one of
 * them repeats a part that itself can match in several ways.
 */
function backtracking(node: PatternNode): number {
  switch (node.kind) {
    case "atom":
    case "assertion":
      return 0;
    case "sequence":
      return node.items.reduce((sum, item) => sum + backtracking(item), 0);
    case "choice":
      // Branches that match the same text multiply by their number, which is 16 to this power; texts count as 16 at least.
      return node.items.reduce((sum, item) => sum + backtracking(item), 0) + Math.log2(node.items.length) / 4;
    case "repeat": {
      const inner = backtracking(node.item);
      if (node.min === node.max) return inner * node.min;
      return inner > 0 || canBeEmpty(node.item) ? Infinity : 1;
    }
  }
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case "atom":
      return false;
    case "assertion":
      return true;
    case "sequence":
      return node.items.every(canBeEmpty);
    case "choice":
      return node.items.some(canBeEmpty);
    case "repeat":
      return node.min === 0 || canBeEmpty(node.item);
  }
}

function isAnchored(node: PatternNode): boolean {
  if (node.kind === "assertion") return node.source === "^";
  if (node.kind === "sequence") return node.items[0] !== undefined && isAnchored(node.items[0]);
  return node.kind === "choice" && node.items.every(isAnchored);
}

function countStates(node: PatternNode): number {
  switch (node.kind) {
    case "atom":
    case "assertion":
      return 1;
    case "sequence":
    case "choice":
      return node.items.reduce((sum, item) => sum + countStates(item), 1);
    case "repeat":
      return countStates(node.item) * (node.max === Infinity ? node.min + 1 : Math.max(node.max, 1)) + 1;
  }
}
