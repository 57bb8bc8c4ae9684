import { compilePattern } from "../schema/compile-pattern.js";
import { parsePattern, type PatternNode, PatternRefused, SCHEMA } from "../schema/pattern-syntax.js";
import type { Span } from "./redact-numbers.js";

type Step =
  | { readonly kind: "character"; readonly test: RegExp; readonly next: number }
  | { readonly kind: "assertion"; readonly source: "^" | "$" | "\\b" | "\\B"; readonly next: number }
  | { readonly kind: "split"; readonly next: number[] }
  | { readonly kind: "end" };

/** A match is at most this long, in characters: without a bound, a search could go over a text again for each match. */
const longestMatch = 1_000;

/**
 * Makes what finds an application's own pattern, leftmost and then longest, in time that is linear in the text: by the
 * runtime's own engine where there is but one way to match, else by following all ways at once.
 *
 * @throws PatternRefused with the reason as a phrase: not an expression, lookaround, back references, too large, empty matches.
 */
export function patternFinder(source: string, ignoreCase: boolean): (text: string) => Span[] {
  compilePattern(source);
  const unicode = isUnicode(source) ? "u" : "";
  const flags = `${unicode}${ignoreCase ? "i" : ""}`;
  const tree = parsePattern(source, unicode, SCHEMA);
  const machine = new PatternMachine(tree, flags);
  if (!isOfOneWay(tree)) return (text) => machine.find(text);
  const native = new RegExp(source, `g${flags}`);
  return (text) => [...text.matchAll(native)].map(({ 0: match, index }) => [index, index + match.length] as const);
}

function isUnicode(source: string): boolean {
  try {
    return new RegExp(source, "u").unicode;
  } catch {
    // Checked before: without the flag it is an expression.
    return false;
  }
}

function isOfOneWay(node: PatternNode): boolean {
  if (node.kind === "sequence") return node.items.every(isOfOneWay);
  if (node.kind === "repeat") return node.min === node.max && isOfOneWay(node.item);
  return node.kind === "atom" || node.kind === "assertion";
}

class PatternMachine {
  readonly #steps: Step[] = [{ kind: "end" }];
  readonly #start: number;
  readonly #flags: string;
  readonly #first: RegExp;
  readonly #tests = new Map<string, RegExp>();

  constructor(tree: PatternNode, flags: string) {
    this.#flags = flags;
    this.#start = this.#build(tree, 0);
    this.#first = new RegExp(`(?:${[...this.#firstAtoms()].join("|")})`, `g${flags}`);
  }

  find(text: string): Span[] {
    const found: Span[] = [];
    for (let from = 0; from < text.length;) {
      this.#first.lastIndex = from;
      const candidate = this.#first.exec(text);
      const match = candidate === null ? undefined : this.#findFrom(text, candidate.index);
      if (match === undefined) break;
      found.push(match);
      from = match[1];
    }
    return found;
  }

  /** The leftmost match from a place on, the longest of those that begin there. */
  #findFrom(text: string, from: number): Span | undefined {
    const seen = new Int32Array(this.#steps.length).fill(-1);
    let threads: (readonly [step: number, start: number])[] = [];
    let best: Span | undefined;
    for (let at = from; ;) {
      const character = at < text.length ? this.#characterAt(text, at) : undefined;
      // The oldest first, so that the first thread to reach a step is the one that began leftmost.
      const alive: (readonly [step: number, start: number])[] = [];
      const pending = best === undefined ? [...threads, [this.#start, at] as const] : threads;
      for (const [step, start] of pending) {
        const reached = this.#close(step, at, text, seen);
        for (const next of reached) {
          if (this.#steps[next]?.kind !== "end") alive.push([next, start]);
          else if (best === undefined || start <= best[0]) best = [start, at];
        }
      }
      if (character === undefined) return best;
      const limit = best?.[0] ?? Number.POSITIVE_INFINITY;
      threads = alive.flatMap(([step, start]) => {
        const state = this.#steps[step] as Step & { kind: "character" };
        const goesOn = start <= limit && at - start < longestMatch && state.test.test(character);
        return goesOn ? [[state.next, start] as const] : [];
      });
      at += character.length;
      if (threads.length > 0) continue;
      if (best !== undefined) return best;
      this.#first.lastIndex = at;
      const candidate = this.#first.exec(text);
      if (candidate === null) return undefined;
      at = candidate.index;
    }
  }

  /** The characters and the end that can be reached from a step without reading on; none that was reached here before. */
  #close(step: number, at: number, text: string, seen: Int32Array): number[] {
    const reached: number[] = [];
    const pending = [step];
    while (pending.length > 0) {
      const index = pending.pop() as number;
      if (seen[index] === at) continue;
      seen[index] = at;
      const state = this.#steps[index] as Step;
      if (state.kind === "split") pending.push(...state.next);
      else if (state.kind === "assertion") {
        if (holds(state.source, text, at)) pending.push(state.next);
      } else reached.push(index);
    }
    return reached;
  }

  #characterAt(text: string, at: number): string {
    return this.#flags.includes("u") ? String.fromCodePoint(text.codePointAt(at) as number) : (text[at] as string);
  }

  /** What a match can begin with, so that a search may jump to it. */
  #firstAtoms(): Set<string> {
    const atoms = new Set<string>();
    const seen = new Set<number>();
    const pending = [this.#start];
    while (pending.length > 0) {
      const index = pending.pop() as number;
      if (seen.has(index)) continue;
      seen.add(index);
      const state = this.#steps[index] as Step;
      if (state.kind === "end") throw new PatternRefused("it matches the empty text");
      if (state.kind === "character") atoms.add(state.test.source.slice(1, -1));
      else if (state.kind === "split") pending.push(...state.next);
      else pending.push(state.next);
    }
    return atoms;
  }

  /** Adds the steps of `node`, which go on to `next`, and gives where they start. Built from the end to the front. */
  #build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "atom":
        return this.#add({ kind: "character", test: this.#test(node.source), next });
      case "assertion":
        return this.#add({ kind: "assertion", source: node.source, next });
      case "sequence":
        return node.items.reduceRight((after, item) => this.#build(item, after), next);
      case "choice":
        return this.#add({ kind: "split", next: node.items.map((item) => this.#build(item, next)) });
      case "repeat": {
        let start = next;
        if (node.max === Infinity) {
          const ways = [next];
          start = this.#add({ kind: "split", next: ways });
          ways.push(this.#build(node.item, start));
        } else {
          for (let count = node.min; count < node.max; count += 1)
            start = this.#add({ kind: "split", next: [next, this.#build(node.item, start)] });
        }
        for (let count = 0; count < node.min; count += 1) start = this.#build(node.item, start);
        return start;
      }
      default:
        throw new PatternRefused("it looks around, or refers back to a group");
    }
  }

  #add(step: Step): number {
    this.#steps.push(step);
    return this.#steps.length - 1;
  }

  // The runtime's engine decides about one character at a time, so that classes and escapes mean what it says.
  #test(source: string): RegExp {
    let test = this.#tests.get(source);
    if (test === undefined) this.#tests.set(source, (test = new RegExp(`^(?:${source})$`, this.#flags)));
    return test;
  }
}

function holds(source: "^" | "$" | "\\b" | "\\B", text: string, at: number): boolean {
  if (source === "^") return at === 0;
  if (source === "$") return at === text.length;
  return (isWord(text[at - 1]) !== isWord(text[at])) === (source === "\\b");
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character);
