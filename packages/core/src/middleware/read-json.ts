import { parseArguments } from "../schema/parse-arguments.js";

/** What a JSON text says, and of which of its numbers that is all. */
export interface ReadJson {
  readonly value: unknown;
  /** False for a number whose literal was another than how the number is written: `1.10`, `1e3`. */
  isExact(holder: object, key: string): boolean;
}

/**
 * Reads an object or a list as strictly as the arguments of a call are read: no key twice, no number that would be rounded,
 * no broken text.
 *
 * @returns undefined when it is not fine.
 */
export function readJson(text: string): ReadJson | undefined {
  // The reader takes objects only, so a list is read as a member of one.
  const isList = text.trimStart().startsWith("[");
  const parsed = parseArguments(isList ? `{"list":${text}}` : text);
  if (!parsed.ok || (isList && Object.keys(parsed.value as object).length !== 1)) return undefined;
  const inexact = new WeakMap<object, Set<string>>();
  // The text of a literal is the third thing that a reviver gets.
  function note(this: object, key: string, value: unknown, literal?: { readonly source?: string }): unknown {
    if (typeof value === "number" && literal?.source !== String(value)) inexact.set(this, (inexact.get(this) ?? new Set()).add(key));
    return value;
  }
  const value: unknown = JSON.parse(text, note);
  return { value, isExact: (holder, key) => inexact.get(holder)?.has(key) !== true };
}
