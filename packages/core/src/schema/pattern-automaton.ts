import type { PatternNode } from "./pattern-syntax.js";

type Assertion = PatternNode & { readonly kind: "assertion" };
type State =
  | { readonly kind: "character"; readonly matches: (character: string) => boolean; readonly next: number }
  | { readonly kind: "assertion"; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: "look"; readonly look: Look; readonly next: number }
  | { readonly kind: "split"; readonly next: number[] }
  | { readonly kind: "end" };

/** A look ahead or behind: an automaton of its own, and the places of the present text where it holds. */
interface Look {
  readonly machine: Machine;
  readonly ahead: boolean;
  readonly negative: boolean;
  holds: Uint8Array;
}

/**
 * Thompson's construction: all states that the text could be in are followed at once, each at most once per character. What
 * looks around is run before, once over the whole text: ahead from its end, behind from its start, innermost first.
 */
export class PatternAutomaton {
  private readonly characters: RegExp;
  private readonly isSticky: boolean;
  private readonly looks: Look[] = [];
  private readonly machine: Machine;

  constructor(tree: PatternNode, flags: string) {
    this.characters = new RegExp("[^]", `g${flags.replaceAll(/[^uv]/g, "")}`);
    this.isSticky = flags.includes("y");
    this.machine = new Machine(tree, true, this.looks);
  }

  test(text: string): boolean {
    const characters = text.match(this.characters) ?? [];
    for (const look of this.looks) {
      look.holds = new Uint8Array(characters.length + 1);
      look.machine.run(characters, false, (position) => {
        look.holds[position] = 1;
        return false;
      });
    }
    let found = false;
    this.machine.run(characters, this.isSticky, () => {
      found = true;
      return true;
    });
    return found;
  }
}

/** The states of a pattern. Backwards, it reads the text from its end, and finds where the matches begin. */
class Machine {
  private readonly states: State[] = [{ kind: "end" }];
  private readonly start: number;
  private readonly matchers = new Map<string, (character: string) => boolean>();

  constructor(
    tree: PatternNode,
    private readonly forwards: boolean,
    private readonly looks: Look[],
  ) {
    this.start = this.build(tree, 0);
  }

  /**
   * Calls `reach` with each position where a match ends, until it gives back true.
   *
   * @param once - whether matches start at the first position only
   */
  run(characters: readonly string[], once: boolean, reach: (position: number) => boolean): void {
    const seen = new Int32Array(this.states.length).fill(-1);
    const last = characters.length;
    let current: number[] = [];
    for (let done = 0; done <= last; done += 1) {
      const position = this.forwards ? done : last - done;
      const pending = done === 0 || !once ? [...current, this.start] : current;
      const alive: number[] = [];
      let reached = false;
      while (pending.length > 0) {
        const index = pending.pop() as number;
        if (seen[index] === done) continue;
        seen[index] = done;
        const state = this.states[index] as State;
        if (state.kind === "character") alive.push(index);
        else if (state.kind === "split") pending.push(...state.next);
        else if (state.kind === "end") reached = true;
        else if (isOpen(state, characters, position)) pending.push(state.next);
      }
      if (reached && reach(position)) return;
      if (done === last) return;
      const character = characters[this.forwards ? position : position - 1] as string;
      current = [];
      for (const index of alive) {
        const state = this.states[index] as State & { kind: "character" };
        if (state.matches(character)) current.push(state.next);
      }
    }
  }

  /** Adds the states of `node`, which go on to `next`, and gives back where they start. Built from the end to the front. */
  private build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "atom":
        return this.add({ kind: "character", matches: this.matcher(node.source, node.flags), next });
      case "assertion":
        return this.add({ kind: "assertion", assertion: node, next });
      case "look":
        return this.add({ kind: "look", look: this.look(node), next });
      case "irregular":
        throw new Error("No automaton runs this.");
      case "sequence":
        return (this.forwards ? node.items.toReversed() : node.items).reduce((after, item) => this.build(item, after), next);
      case "choice":
        return this.add({ kind: "split", next: node.items.map((item) => this.build(item, next)) });
      case "repeat":
        return this.repeat(node, next);
    }
  }

  private look({ ahead, negative, item }: PatternNode & { kind: "look" }): Look {
    // Its own looks are added first, and so run first.
    const look = { machine: new Machine(item, !ahead, this.looks), ahead, negative, holds: new Uint8Array(0) };
    this.looks.push(look);
    return look;
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
  private matcher(source: string, flags: string): (character: string) => boolean {
    const key = `${flags}/${source}`;
    const known = this.matchers.get(key);
    if (known !== undefined) return known;
    const one = new RegExp(`^(?:${source})$`, flags.replace("m", ""));
    const answers = new Map<string, boolean>();
    const matches = (character: string): boolean => {
      let answer = answers.get(character);
      if (answer === undefined) {
        answer = one.test(character);
        if (answers.size < 256) answers.set(character, answer);
      }
      return answer;
    };
    this.matchers.set(key, matches);
    return matches;
  }
}

function isOpen(state: State & { kind: "assertion" | "look" }, characters: readonly string[], position: number): boolean {
  if (state.kind === "look") return (state.look.holds[position] === 1) !== state.look.negative;
  const { source, flags } = state.assertion;
  const [before, after] = [characters[position - 1], characters[position]];
  if (source === "^") return before === undefined || (flags.includes("m") && isLineEnd(before));
  if (source === "$") return after === undefined || (flags.includes("m") && isLineEnd(after));
  return (isWord(before, flags) !== isWord(after, flags)) === (source === "\\b");
}

function isLineEnd(character: string): boolean {
  return /^[\n\r\u2028\u2029]$/.test(character);
}

/** Regardless of case, full Unicode has two more letters that are equal to one of a word. */
function isWord(character: string | undefined, flags: string): boolean {
  return character !== undefined && (/i.*[uv]|[uv].*i/.test(flags) ? /^\w$/iu : /^\w$/).test(character);
}
