import { snakeCase } from "./tool-name.js";

const fillers = new Set([
  ...["the", "a", "an", "this", "that", "it", "its", "of", "to", "for", "in", "is", "be", "used", "given"],
  ...["tool", "method", "function", "parameter", "param", "argument", "value", "field", "property"],
  ...["string", "number", "boolean", "object", "array", "list", "text"],
]);

const longest = 100;

/** Whether a description says no more than the name does: every word of it is in the name, or says nothing. */
export function repeatsName(description: string, name: string): boolean {
  // So much can not all be in a name.
  if (description.length > longest) return false;
  // Words of other scripts are not always parted by spaces.
  if (/[^\p{Script=Latin}]/u.test(description.replaceAll(/\P{L}/gu, ""))) return false;
  const ofName = new Set(
    snakeCase(name)
      .split(/[^a-z0-9]+/)
      .map(stem),
  );
  return wordsOf(description).every((word) => fillers.has(word) || ofName.has(stem(word)));
}

export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const stem = (word: string): string => word.replace(/s$/, "");
