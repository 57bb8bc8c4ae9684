import { parsePattern, PatternRefused, type PatternNode } from "./pattern-syntax.js";

/** Steps of backtracking that a native match may need at most; beyond that the automaton runs, which never backtracks. */
const NATIVE_STEPS = 100_000;
/** Steps of either: what a text may cost at most is a second or so. */
const MAX_STEPS = 20_000_000;
/** States of an automaton. `^[a-z]{1,1000}$` has about 1000. */
const MAX_STATES = 5000;

/** A pattern that is safe to run on any text of at most `maxLength` UTF-16 units. */
export interface CompiledPattern {
  readonly maxLength: number;
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
  let automaton: Automaton | undefined;
  return {
    maxLength: Math.floor(MAX_STEPS / states),
    test(text) {
      if (degree <= 1 || Math.max(text.length, 16) ** degree <= NATIVE_STEPS) return native.test(text);
      automaton ??= new Automaton(tree, flags);
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

type State =
  | { readonly kind: "character"; readonly matches: (character: string) => boolean; next: number }
  | { readonly kind: "assertion"; readonly source: "^" | "$" | "\\b" | "\\B"; next: number }
  | { readonly kind: "split"; next: number[] }
  | { readonly kind: "end" };

/** Thompson's construction: all states that the text could be in are followed at once, each at most once per character. */
class Automaton {
  private readonly states: State[] = [{ kind: "end" }];
  private readonly start: number;
  private readonly characters: RegExp;
  private readonly matchers = new Map<string, (character: string) => boolean>();

  constructor(tree: PatternNode, private readonly flags: "u" | "") {
    this.characters = new RegExp("[^]", `g${flags}`);
    this.start = this.build(tree, 0);
  }

  test(text: string): boolean {
    const characters = text.match(this.characters) ?? [];
    const seen = new Int32Array(this.states.length).fill(-1);
    let current: number[] = [];
    for (let position = 0; ; position += 1) {
      const before = characters[position - 1];
      const after = characters[position];
      const next: number[] = [];
      const alive: number[] = [];
      const pending = [...current, this.start];
      while (pending.length > 0) {
        const index = pending.pop() as number;
        if (seen[index] === position) continue;
        seen[index] = position;
        const state = this.states[index] as State;
        if (state.kind === "end") return true;
        if (state.kind === "split") pending.push(...state.next);
        else if (state.kind === "character") alive.push(index);
        else if (holds(state.source, before, after)) pending.push(state.next);
      }
      if (after === undefined) return false;
      for (const index of alive) {
        const state = this.states[index] as State & { kind: "character" };
        if (state.matches(after)) next.push(state.next);
      }
      current = next;
    }
  }

  /** Adds the states of `node`, which go on to `next`, and gives back where they start. Built from the end to the front. */
  private build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "atom":
        return this.add({ kind: "character", matches: this.matcher(node.source), next });
      case "assertion":
        return this.add({ kind: "assertion", source: node.source, next });
      case "sequence":
        return node.items.reduceRight((after, item) => this.build(item, after), next);
      case "choice":
        return this.add({ kind: "split", next: node.items.map((item) => this.build(item, next)) });
      case "repeat":
        return this.repeat(node, next);
    }
  }

  private repeat(node: PatternNode & { kind: "repeat" }, next: number): number {
    let start = next;
    if (node.max === Infinity) {
      const split: State & { kind: "split" } = { kind: "split", next: [next] };
      start = this.add(split);
      split.next.push(this.build(node.item, start));
    } else {
      for (let count = node.min; count < node.max; count += 1) {
        start = this.add({ kind: "split", next: [next, this.build(node.item, start)] });
      }
    }
    for (let count = 0; count < node.min; count += 1) start = this.build(node.item, start);
    return start;
  }

  private add(state: State): number {
    this.states.push(state);
    return this.states.length - 1;
  }

  /** The native engine decides about one character at a time, so that classes and escapes mean exactly what it says. */
  private matcher(source: string): (character: string) => boolean {
    const known = this.matchers.get(source);
    if (known !== undefined) return known;
    const one = new RegExp(`^(?:${source})$`, this.flags);
    const answers = new Map<string, boolean>();
    const matches = (character: string): boolean => {
      let answer = answers.get(character);
      if (answer === undefined) {
        answer = one.test(character);
        if (answers.size < 256) answers.set(character, answer);
      }
      return answer;
    };
    this.matchers.set(source, matches);
    return matches;
  }
}

function holds(source: "^" | "$" | "\\b" | "\\B", before: string | undefined, after: string | undefined): boolean {
  if (source === "^") return before === undefined;
  if (source === "$") return after === undefined;
  return (isWord(before) !== isWord(after)) === (source === "\\b");
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character);
}
