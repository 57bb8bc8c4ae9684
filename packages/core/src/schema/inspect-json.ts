import type { Issue } from "../contracts/schema.js";
import { dottedPath, MAX_DEPTH, MAX_ISSUES } from "./issue-text.js";

/** Longer number literals carry no meaning that a double could hold. */
const MAX_NUMBER = 400;

/**
 * Reads JSON text slowly and exactly, and says what is wrong with it: a syntax error with its position, and what
 * `JSON.parse` accepts but loses: a key given twice, an integer that would be rounded, a number too big for a double, half
 * of a surrogate pair, nesting without end. Builds no value. Stops at the first syntax error.
 */
export function inspectJson(text: string): Issue[] {
  const inspector = new Inspector(text);
  try {
    inspector.document();
  } catch (error) {
    if (error !== STOP) throw error;
  }
  return inspector.issues;
}

/** Thrown to leave the recursion; never leaves this file. */
const STOP: unique symbol = Symbol("stop");

class Inspector {
  readonly issues: Issue[] = [];
  private at = 0;
  private readonly path: string[] = [];

  constructor(private readonly text: string) {}

  document(): void {
    this.value();
    this.space();
    if (this.at < this.text.length) this.syntax("nothing after the closing brace");
  }

  private value(): void {
    this.space();
    const character = this.text[this.at];
    if (character === "{") this.object();
    else if (character === "[") this.array();
    else if (character === '"') this.string("a string");
    else if (character === "-" || isDigit(character)) this.number();
    else if (!this.word("true") && !this.word("false") && !this.word("null")) this.syntax("a JSON value");
  }

  private object(): void {
    this.enter();
    const keys = new Set<string>();
    if (!this.next("}")) {
      do {
        this.space();
        if (this.text[this.at] !== '"') this.syntax("a key in double quotes");
        const start = this.at;
        const key = this.string("a key");
        this.path.push(key);
        if (keys.has(key)) this.report("each key once", "the key twice", start);
        keys.add(key);
        if (!this.next(":")) this.syntax('":" after the key');
        this.value();
        this.path.pop();
      } while (this.next(","));
      if (!this.next("}")) this.syntax('"," or "}"');
    }
    this.depth -= 1;
  }

  private array(): void {
    this.enter();
    let index = 0;
    if (!this.next("]")) {
      do {
        this.path.push(String(index));
        this.value();
        this.path.pop();
        index += 1;
      } while (this.next(","));
      if (!this.next("]")) this.syntax('"," or "]"');
    }
    this.depth -= 1;
  }

  private depth = 0;

  private enter(): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      this.report(`at most ${MAX_DEPTH} levels of nesting`, "more", this.at);
      throw STOP;
    }
    this.at += 1;
  }

  /** Leaves the position after the closing quote, and gives back what the literal means. */
  private string(what: string): string {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (Number.isNaN(code)) this.syntax("a closing double quote");
      if (code < 0x20) this.syntax("an escaped control character");
      if (code === 0x5c) this.escape();
      else this.at += 1;
    }
    this.at += 1;
    const meaning = JSON.parse(this.text.slice(start, this.at)) as string;
    if (!meaning.isWellFormed()) this.report(`${what} of whole characters`, "half of a surrogate pair", start);
    return meaning;
  }

  private escape(): void {
    const kind = this.text[this.at + 1];
    if (kind === "u") {
      if (!/^[0-9a-fA-F]{4}$/.test(this.text.slice(this.at + 2, this.at + 6))) {
        this.at += 1;
        this.syntax('four hexadecimal digits after "\\u"');
      }
      this.at += 6;
    } else if (kind !== undefined && '"\\/bfnrt'.includes(kind)) this.at += 2;
    else {
      this.at += 1;
      this.syntax('one of " \\ / b f n r t u after a backslash');
    }
  }

  private number(): void {
    const start = this.at;
    if (this.text[this.at] === "-") this.at += 1;
    if (this.text[this.at] === "0") this.at += 1;
    else this.digits();
    if (isDigit(this.text[this.at])) this.syntax("a number without leading zeros");
    let plain = true;
    if (this.text[this.at] === ".") {
      plain = false;
      this.at += 1;
      this.digits();
    }
    if (this.text[this.at] === "e" || this.text[this.at] === "E") {
      plain = false;
      this.at += 1;
      if (this.text[this.at] === "+" || this.text[this.at] === "-") this.at += 1;
      this.digits();
    }
    this.precision(this.text.slice(start, this.at), plain, start);
  }

  private digits(): void {
    if (!isDigit(this.text[this.at])) this.syntax("a digit");
    while (isDigit(this.text[this.at])) this.at += 1;
  }

  private precision(literal: string, plain: boolean, start: number): void {
    if (literal.length > MAX_NUMBER) return this.report("a number of fewer digits, or a string", `${literal.length} characters`, start);
    const value = Number(literal);
    if (!Number.isFinite(value)) return this.report("a number below 1.8e308", "a greater one", start);
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return;
    if (plain || isRoundedInteger(literal, value)) {
      this.report("an integer of at most 9007199254740991, or a string if it is an id", "an integer that would be rounded", start);
    }
  }

  private word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private next(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private syntax(expected: string): never {
    this.report(expected, characterName(this.text[this.at]), this.at);
    throw STOP;
  }

  private report(expected: string, received: string, at: number): void {
    this.issues.push({ path: dottedPath(this.path), expected, received: `${received} at ${this.position(at)}` });
    if (this.issues.length >= MAX_ISSUES) throw STOP;
  }

  /** Where the line begins that holds the issue before this one, and its number: issues come in the order of the text. */
  private lineStart = 0;
  private line = 1;

  private position(at: number): string {
    for (let end = this.text.indexOf("\n", this.lineStart); end !== -1 && end < at; end = this.text.indexOf("\n", this.lineStart)) {
      this.lineStart = end + 1;
      this.line += 1;
    }
    return `line ${this.line}, column ${at - this.lineStart + 1}`;
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

/** For literals with a fraction or an exponent: `1e21` is exact, `12345678901234567891.0` and `1.2345678901234567891e19` are not. */
function isRoundedInteger(literal: string, value: number): boolean {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/0+$/, "");
  const scale = Number(exponent) - fraction.length + (whole.length + fraction.length - digits.length);
  if (scale < 0) return false;
  return BigInt(digits) * 10n ** BigInt(scale) !== BigInt(Math.abs(value));
}

/** Names one character of the text: punctuation as it is, letters and digits only by kind, since they belong to a value. */
function characterName(character: string | undefined): string {
  if (character === undefined) return "the end of the text";
  if (/[0-9]/.test(character)) return "a digit";
  if (/[\x21-\x7e]/.test(character) && !/[a-zA-Z]/.test(character)) return character === '"' ? "a double quote" : `"${character}"`;
  if (/\p{L}/u.test(character)) return "a letter";
  return character.trim() === "" || character < " " ? "a space or control character" : "another character";
}
