/**
 * A regular expression as a tree, in the part of the syntax that finite automata can run: no lookaround, no back
 * references. An atom is kept as its source and matched by a native expression for one character.
 */
export type PatternNode =
  | { readonly kind: "atom"; readonly source: string }
  | { readonly kind: "assertion"; readonly source: "^" | "$" | "\\b" | "\\B" }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly item: PatternNode; readonly min: number; readonly max: number };

/** What {@link parsePattern} throws: the reason as a phrase. */
export class PatternRefused extends Error {}

/** Longer patterns, deeper groups and higher counts are refused by the API too, or serve nobody. */
const MAX_SOURCE = 5000;
const MAX_GROUPS = 50;
const MAX_COUNT = 1000;

/**
 * Reads a pattern that is known to be a valid expression with `flags`.
 *
 * @throws PatternRefused for what an automaton cannot run
 */
export function parsePattern(source: string, flags: "u" | ""): PatternNode {
  if (source.length > MAX_SOURCE) throw new PatternRefused(`it is longer than ${MAX_SOURCE} characters`);
  return new Reader(source, flags).all();
}

class Reader {
  private at = 0;
  private groups = 0;

  constructor(
    private readonly source: string,
    private readonly flags: "u" | "",
  ) {}

  all(): PatternNode {
    const node = this.choice();
    if (this.at < this.source.length) throw new PatternRefused("a bracket is not opened");
    return node;
  }

  private choice(): PatternNode {
    const items = [this.sequence()];
    while (this.source[this.at] === "|") {
      this.at += 1;
      items.push(this.sequence());
    }
    return items.length === 1 ? (items[0] as PatternNode) : { kind: "choice", items };
  }

  private sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.at < this.source.length && this.source[this.at] !== "|" && this.source[this.at] !== ")") {
      items.push(this.repeated(this.term()));
    }
    return items.length === 1 ? (items[0] as PatternNode) : { kind: "sequence", items };
  }

  private term(): PatternNode {
    const character = this.source[this.at] as string;
    if (character === "(") return this.group();
    if (character === "^" || character === "$") {
      this.at += 1;
      return { kind: "assertion", source: character };
    }
    if (character === "[") return this.take(this.classEnd());
    if (character === "\\") return this.escape();
    const code = this.source.codePointAt(this.at) as number;
    return this.take(this.at + (this.flags === "u" && code > 0xffff ? 2 : 1));
  }

  private take(end: number): PatternNode {
    const source = this.source.slice(this.at, end);
    this.at = end;
    return { kind: "atom", source };
  }

  private group(): PatternNode {
    this.groups += 1;
    if (this.groups > MAX_GROUPS) throw new PatternRefused(`it has more than ${MAX_GROUPS} groups`);
    const [open] = /^\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/.exec(this.source.slice(this.at)) ?? [];
    if (open === undefined) throw new PatternRefused("it looks around, or sets flags in a group");
    this.at += open.length;
    const inner = this.choice();
    this.at += 1;
    return inner;
  }

  private classEnd(): number {
    let end = this.at + 1;
    while (this.source[end] !== "]") end += this.source[end] === "\\" ? 2 : 1;
    return end + 1;
  }

  private escape(): PatternNode {
    const rest = this.source.slice(this.at, this.at + 40);
    if (/^\\[bB]/.test(rest)) {
      this.at += 2;
      return { kind: "assertion", source: rest.slice(0, 2) as "\\b" | "\\B" };
    }
    if (/^\\(?:[1-9]|k<)/.test(rest)) throw new PatternRefused("it refers back to a group");
    const unicode = /^\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[pP]\{[^}]*\})/;
    const [text] =
      (this.flags === "u" ? unicode.exec(rest) : null) ??
      /^\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|0[0-7]{0,2}|[^])/.exec(rest) ??
      [];
    return this.take(this.at + (text ?? rest).length);
  }

  private repeated(item: PatternNode): PatternNode {
    const [text, first, comma, second] = /^(?:[*+?]|\{(\d+)(,)?(\d+)?\})/.exec(this.source.slice(this.at, this.at + 30)) ?? [];
    if (text === undefined) return item;
    this.at += text.length;
    // Lazy or greedy makes no difference to whether there is a match.
    if (this.source[this.at] === "?") this.at += 1;
    const min = first === undefined ? (text === "+" ? 1 : 0) : Number(first);
    const max =
      first === undefined ? (text === "?" ? 1 : Infinity) : comma === undefined ? min : second === undefined ? Infinity : Number(second);
    if (min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw new PatternRefused(`it counts beyond ${MAX_COUNT}`);
    return this.repeated({ kind: "repeat", item, min, max });
  }
}
