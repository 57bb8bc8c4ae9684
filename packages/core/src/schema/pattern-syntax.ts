/**
 * A regular expression as a tree. An atom is kept as its source and matched by a native expression for one character, under
 * the flags that hold where it stands.
 */
export type PatternNode =
  | { readonly kind: "atom"; readonly source: string; readonly flags: string }
  | { readonly kind: "assertion"; readonly source: "^" | "$" | "\\b" | "\\B"; readonly flags: string }
  | { readonly kind: "look"; readonly ahead: boolean; readonly negative: boolean; readonly item: PatternNode }
  /** What no automaton can run: a reference back to a group, or a class of whole strings. It matches in so many ways at most. */
  | { readonly kind: "irregular"; readonly ways: number }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly item: PatternNode; readonly min: number; readonly max: number };

/** What {@link parsePattern} throws: the reason as a phrase. */
export class PatternRefused extends Error {}

/** What an expression may have. */
export interface Dialect {
  readonly maxSource: number;
  readonly maxGroups: number;
  readonly maxCount: number;
  /** Lookaround, flags within groups, references back. */
  readonly isFull: boolean;
}

/** In a schema: the API's engine knows neither lookaround nor references back, nor higher counts. */
export const SCHEMA: Dialect = { maxSource: 5000, maxGroups: 50, maxCount: 1000, isFull: false };
/** In the author's own code: whatever the native engine takes, unless it is out of all proportion. */
export const FULL: Dialect = { maxSource: 100_000, maxGroups: 2000, maxCount: Infinity, isFull: true };

const GROUP = /^\((?:\?(?:<([=!])|([=!])|<[^>]*>|([ims]*)(?:-([ims]*))?:))?/;
/** Emoji that begin each other, such as a person, a profession and their skin. */
const MOST_STRINGS = 16;
const STRINGS = /\\q\{|\\p\{(?:Basic_Emoji|Emoji_Keycap|RGI_)/;

/**
 * Reads a pattern that is known to be a valid expression with `flags`.
 *
 * @throws PatternRefused for what the dialect has no place for
 */
export function parsePattern(source: string, flags: string, dialect: Dialect): PatternNode {
  if (source.length > dialect.maxSource) throw new PatternRefused(`it is longer than ${dialect.maxSource} characters`);
  return new Reader(source, flags.replaceAll(/[^imsuv]/g, ""), dialect).all();
}

class Reader {
  private at = 0;
  private groups = 0;

  constructor(
    private readonly source: string,
    private flags: string,
    private readonly dialect: Dialect,
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
      return { kind: "assertion", source: character, flags: this.flags };
    }
    if (character === "[") return this.take(this.classEnd());
    if (character === "\\") return this.escape();
    const code = this.source.codePointAt(this.at) as number;
    return this.take(this.at + (this.isUnicode() && code > 0xffff ? 2 : 1));
  }

  private isUnicode(): boolean {
    return /[uv]/.test(this.flags);
  }

  private take(end: number): PatternNode {
    const source = this.source.slice(this.at, end);
    this.at = end;
    if (this.flags.includes("v") && STRINGS.test(source)) return { kind: "irregular", ways: MOST_STRINGS };
    return { kind: "atom", source, flags: this.flags };
  }

  private group(): PatternNode {
    this.groups += 1;
    if (this.groups > this.dialect.maxGroups) throw new PatternRefused(`it has more than ${this.dialect.maxGroups} groups`);
    const [open = "(", behind, ahead, on = "", off = ""] = GROUP.exec(this.source.slice(this.at, this.at + 1000)) ?? [];
    const look = behind ?? ahead;
    if (!this.dialect.isFull && (look !== undefined || on !== "" || off !== "")) {
      throw new PatternRefused("it looks around, or sets flags in a group");
    }
    this.at += open.length;
    const outer = this.flags;
    this.flags = [...new Set(outer + on)].filter((flag) => !off.includes(flag)).join("");
    const item = this.choice();
    this.flags = outer;
    this.at += 1;
    return look === undefined ? item : { kind: "look", ahead: behind === undefined, negative: look === "!", item };
  }

  private classEnd(): number {
    let end = this.at + 1;
    // Classes within classes exist under the flag v alone.
    for (let open = 1; open > 0; end += 1) {
      const character = this.source[end];
      if (character === "\\") end += 1;
      else if (character === "]") open -= 1;
      else if (character === "[" && this.flags.includes("v")) open += 1;
    }
    return end;
  }

  private escape(): PatternNode {
    const rest = this.source.slice(this.at, this.at + 100);
    if (/^\\[bB]/.test(rest)) {
      this.at += 2;
      return { kind: "assertion", source: rest.slice(0, 2) as "\\b" | "\\B", flags: this.flags };
    }
    const [reference] = /^\\(?:[1-9]\d*|k<[^>]*>)/.exec(rest) ?? [];
    if (reference !== undefined) {
      if (!this.dialect.isFull) throw new PatternRefused("it refers back to a group");
      this.at += reference.length;
      return { kind: "irregular", ways: 1 };
    }
    const unicode = /^\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[pP]\{[^}]*\})/;
    const [text] =
      (this.isUnicode() ? unicode.exec(rest) : null) ?? /^\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|0[0-7]{0,2}|[^])/.exec(rest) ?? [];
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
    const { maxCount } = this.dialect;
    if (min > maxCount || (max > maxCount && max !== Infinity)) throw new PatternRefused(`it counts beyond ${maxCount}`);
    return this.repeated({ kind: "repeat", item, min, max });
  }
}
