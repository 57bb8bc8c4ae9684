import { PatternAutomaton } from "./pattern-automaton.js";
import { backtrackingSteps, countStates, isAnchored } from "./pattern-cost.js";
import { type Dialect, FULL, parsePattern, type PatternNode, PatternRefused, SCHEMA } from "./pattern-syntax.js";

/** The native engine makes this many steps in the time of one of the automaton's. */
const NATIVE_SPEED = 50;
/** Steps, counted as the automaton's, up to which the native engine runs in any case: it starts faster. */
const NATIVE_STEPS = 2000;
/** What a text may cost at most: a second or so. */
const MAX_STEPS = 20_000_000;
/** States of an automaton. `^[a-z]{1,1000}$` has about 1000. */
const MAX_STATES = 5000;
/** Arguments have no longer texts. */
const MAX_LENGTH = 10_000_000;

/** A pattern that is safe to run on any text of at most `maxLength` UTF-16 units. */
export interface CompiledPattern {
  readonly maxLength: number;
  /** What the test of a text may cost at most, as steps of the automaton. */
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
  const expression = nativeExpression(pattern);
  const tree = parsePattern(pattern, expression.flags, SCHEMA);
  if (countStates(tree) > MAX_STATES) throw new PatternRefused("its counts multiply to too many states");
  return new BoundedPattern(expression, tree);
}

/**
 * The same for an expression of the author's own code, whatever is in it: the flags `i`, `m`, `s`, `u`, `v` and lookaround
 * mean what they mean to the native engine, `g` means nothing and `y` the text's start. What no automaton can run (a
 * reference back to a group) runs natively, on texts that are short enough for its worst case.
 */
export function compileExpression(expression: RegExp): CompiledPattern {
  const native = new RegExp(expression.source, expression.flags.replaceAll(/[dg]/g, ""));
  return new BoundedPattern(native, treeOf(expression, FULL));
}

function treeOf({ source, flags }: RegExp, dialect: Dialect): PatternNode {
  try {
    return parsePattern(source, flags, dialect);
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    // Out of all proportion: for all that is known, each character can be matched in every way there is.
    return { kind: "repeat", item: { kind: "irregular", ways: source.length }, min: 0, max: Infinity };
  }
}

class BoundedPattern implements CompiledPattern {
  private readonly states: number;
  private readonly isAnchored: boolean;
  private readonly costs = new Map<number, number>();
  private automaton: PatternAutomaton | undefined;
  private longest: number | undefined;

  constructor(
    private readonly native: RegExp,
    private readonly tree: PatternNode,
  ) {
    const states = countStates(tree);
    this.states = states > MAX_STATES ? Infinity : states;
    this.isAnchored = native.sticky || isAnchored(tree);
  }

  get maxLength(): number {
    this.longest ??= longest((length) => Math.min(this.nativeCost(length), this.automatonCost(length)) <= MAX_STEPS);
    return this.longest;
  }

  cost({ length }: string): number {
    const native = this.nativeCost(length);
    return native <= NATIVE_STEPS ? native : Math.min(native, this.automatonCost(length));
  }

  test(text: string): boolean {
    const native = this.nativeCost(text.length);
    if (native <= NATIVE_STEPS || native <= this.automatonCost(text.length)) {
      this.native.lastIndex = 0;
      return this.native.test(text);
    }
    this.automaton ??= new PatternAutomaton(this.tree, this.native.flags);
    return this.automaton.test(text);
  }

  private nativeCost(length: number): number {
    const rounded = roundedUp(length);
    let cost = this.costs.get(rounded);
    if (cost === undefined) {
      cost = backtrackingSteps(this.tree, rounded, this.isAnchored) / NATIVE_SPEED;
      this.costs.set(rounded, cost);
    }
    return cost;
  }

  private automatonCost(length: number): number {
    return (length + 1) * this.states;
  }
}

/** To four binary digits: there are few such lengths, so that what was found for one is soon found for most. */
function roundedUp(length: number): number {
  const unit = 2 ** Math.max(0, 28 - Math.clz32(length));
  return Math.ceil(length / unit) * unit;
}

/** The greatest length that is fine, where all smaller ones are. */
function longest(isFine: (length: number) => boolean): number {
  if (isFine(MAX_LENGTH)) return MAX_LENGTH;
  let [fine, tooLong] = [0, MAX_LENGTH];
  while (tooLong - fine > 1) {
    const middle = Math.floor((fine + tooLong) / 2);
    if (isFine(middle)) fine = middle;
    else tooLong = middle;
  }
  return fine;
}

function nativeExpression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Author's patterns such as `\d\-\d` are expressions only without the flag.
  }
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new PatternRefused(`it is not a regular expression (${(error as Error).message.replace(/^.*\/: /s, "")})`);
  }
}
