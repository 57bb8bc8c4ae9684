import type { JsonObject, JsonValue } from "../contracts/json.js";
import { isPlainObject } from "./json-type.js";

/**
 * Why a result does not repeat the arguments that the tool's `echo` names; undefined when it does. An object repeats an
 * argument by a property of its name with an equal value, a list when each of its items does, and text when it is JSON that
 * does or mentions the value as a word of its own. An argument that the model left out is not asked for. Values are never
 * part of the reason.
 */
export function echoMismatch(result: unknown, checked: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const wanted = Object.hasOwn(checked, name) ? checked[name] : undefined;
    if (wanted === undefined) continue;
    const reason = mismatch(result, name, wanted);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function mismatch(result: unknown, name: string, wanted: JsonValue): string | undefined {
  if (typeof result === "string") return textMismatch(result, name, wanted);
  if (Array.isArray(result)) return result.map((item) => mismatch(item, name, wanted)).find((reason) => reason !== undefined);
  if (typeof result !== "object" || result === null || !(name in result)) return `the result has no "${name}"`;
  return isEqual((result as Record<string, unknown>)[name], wanted) ? undefined : `the result's "${name}" is not that of the arguments`;
}

function textMismatch(text: string, name: string, wanted: JsonValue): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return mismatch(value, name, wanted);
  } catch {
    // Plain text.
  }
  const word = typeof wanted === "object" ? JSON.stringify(wanted) : String(wanted);
  return mentions(text, word) ? undefined : `the result's text does not mention the argument "${name}"`;
}

/** "A-1" is no mention of "A-12", nor "3" of "13". */
function mentions(text: string, word: string): boolean {
  if (word === "") return true;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + word.length])) return true;
  }
  return false;
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

function isEqual(found: unknown, wanted: JsonValue): boolean {
  if (found instanceof Date) return typeof wanted === "string" && found.getTime() === new Date(wanted).getTime();
  if (typeof found === "bigint") return String(found) === String(wanted);
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) && found.length === wanted.length && found.every((item, index) => isEqual(item, wanted[index] as JsonValue))
    );
  }
  if (!isPlainObject(wanted)) return found === wanted;
  if (typeof found !== "object" || found === null || Array.isArray(found)) return false;
  return Object.entries(wanted as JsonObject).every(
    ([key, value]) => Object.hasOwn(found, key) && isEqual((found as Record<string, unknown>)[key], value),
  );
}
