import type { PatternNode } from "./pattern-syntax.js";

type State =
  | { readonly kind: "character"; readonly matches: (character: string) => boolean; next: number }
  | { readonly kind: "assertion"; readonly source: "^" | "$" | "\\b" | "\\B"; next: number }
  | { readonly kind: "split"; next: number[] }
  | { readonly kind: "end" };

/** Thompson's construction: all states that the text could be in are followed at once, each at most once per character. */
export class PatternAutomaton {
  private readonly states: State[] = [{ kind: "end" }];
  private readonly start: number;
  private readonly characters: RegExp;
  private readonly matchers = new Map<string, (character: string) => boolean>();

  constructor(
    tree: PatternNode,
    private readonly flags: "u" | "",
  ) {
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
