import type { Issue } from "../contracts/schema.js";
import { inspectJson } from "./inspect-json.js";
import { MAX_DEPTH } from "./issue-text.js";

/** Characters (UTF-16 units) of arguments text. */
const MAX_LENGTH = 10_000_000;

/** What the arguments text says, or what is wrong with it. */
export type ParsedArguments = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Reads the arguments text of a call. No text at all, blank text and `null` mean `{}`. Never throws, never repairs: malformed
 * JSON, a root that is no object, a key given twice, an integer literal beyond 2^53, half a surrogate pair, more than 100
 * levels and more than 10 million characters are issues.
 *
 * `__proto__` in the text is an own key of the value, for the schema check to refuse by name.
 */
export function parseArguments(text: string | null | undefined): ParsedArguments {
  if (text === null || text === undefined) return { ok: true, value: {} };
  if (typeof text !== "string") return refused("JSON text", typeof text);
  if (text.length > MAX_LENGTH) return refused(`at most ${MAX_LENGTH} characters of JSON`, `${text.length} characters`);
  // Looked at before it is parsed: the parser itself must not meet ten million brackets.
  if (isSuspicious(text)) {
    const issues = inspectJson(text);
    if (issues.length > 0) return blank(text) ?? { ok: false, issues };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const issues = inspectJson(text);
    return blank(text) ?? (issues.length > 0 ? { ok: false, issues } : refused("JSON", "something else"));
  }
  if (value === null) return { ok: true, value: {} };
  if (typeof value !== "object") return refused("object", typeof value);
  if (Array.isArray(value)) return refused("object", "array");
  return { ok: true, value };
}

function refused(expected: string, received: string): ParsedArguments {
  return { ok: false, issues: [{ path: "", expected, received }] };
}

function blank(text: string): ParsedArguments | undefined {
  return text.trim() === "" ? { ok: true, value: {} } : undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Objects with more keys are inspected exactly: comparing each key with each other would take quadratic time. */
const MAX_KEYS = 64;
// Scratch space of one synchronous scan: hashes of the keys of all open objects, and where each open container's begin.
const hashes = new Int32Array(MAX_KEYS * (MAX_DEPTH + 1));
const starts = new Int32Array(MAX_DEPTH + 1);

/**
 * One cheap pass over text that is usually fine. True means "look closer", not "wrong": two keys of one object with the same
 * hash or with an escape, an integer of 16 digits or more, an exponent, an escaped or broken surrogate, deep nesting.
 */
function isSuspicious(text: string): boolean {
  const escapes = text.includes("\\");
  if (!text.isWellFormed() || (escapes && /\\u[dD]/.test(text))) return true;
  let depth = 0;
  let keys = 0;
  let isKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      if (!isKey) {
        at = endOfString(text, at, escapes);
        continue;
      }
      let hash = 0;
      for (at += 1; ; at += 1) {
        const letter = text.charCodeAt(at);
        if (letter === QUOTE) break;
        if (letter === BACKSLASH || at >= text.length) return true;
        hash = (Math.imul(hash, 31) + letter) | 0;
      }
      const start = starts[depth] as number;
      if (keys - start >= MAX_KEYS) return true;
      for (let index = start; index < keys; index += 1) if (hashes[index] === hash) return true;
      hashes[keys] = hash;
      keys += 1;
      isKey = false;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
      starts[depth] = code === OPEN_BRACE ? keys : -1;
      isKey = code === OPEN_BRACE;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return true;
      if (code === CLOSE_BRACE) keys = Math.max(starts[depth] as number, 0);
      depth -= 1;
      isKey = false;
    } else if (code === COMMA) isKey = starts[depth] !== -1;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      at = endOfNumber(text, at);
      if (at < 0) return true;
    }
  }
  return false;
}

/** Index of the quote that closes the string which opens at `at`; the text's length if there is none. */
function endOfString(text: string, at: number, escapes: boolean): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    if (escapes) while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Index of the last character of the number at `at`; -1 if it needs an exact look. */
function endOfNumber(text: string, at: number): number {
  let end = at + 1;
  let code = text.charCodeAt(end);
  while (code >= ZERO && code <= NINE) code = text.charCodeAt(++end);
  if (end - at > 15) return -1;
  if (code === DOT) {
    code = text.charCodeAt(++end);
    while (code >= ZERO && code <= NINE) code = text.charCodeAt(++end);
  }
  return (code | 0x20) === 0x65 ? -1 : end - 1;
}
