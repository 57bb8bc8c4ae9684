import type { Definition } from "typescript-json-schema";
import { ConstantPattern } from "../constant.js";
import type { Rules } from "../rules/rules.js";
import type { MutableSchema } from "./mutable-schema.js";
import { safePattern } from "../rules/safe-pattern.js";

/** The formats that OpenAI lists for strings. */
const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

/** The restrictions that doc tags such as `@minimum 1` give to a type: typescript-json-schema reads them. */
export function documentedRules(raw: Definition): Rules {
  const words: string[] = [];
  const { pattern, format } = raw;
  const safe = pattern === undefined ? undefined : safePattern(new ConstantPattern(pattern, ""));
  if (pattern !== undefined && safe === undefined) words.push(`Matches the regular expression /${pattern}/.`);
  const known = format !== undefined && formats.has(format) ? format : undefined;
  if (format !== undefined && known === undefined) words.push(`Format: ${format}.`);
  if (raw.minLength !== undefined) words.push(`At least ${raw.minLength} characters.`);
  if (raw.maxLength !== undefined) words.push(`At most ${raw.maxLength} characters.`);
  if (raw.uniqueItems === true) words.push("No two items are equal.");
  const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  return {
    minimum: number(raw.minimum),
    maximum: number(raw.maximum),
    exclusiveMinimum: number(raw.exclusiveMinimum),
    exclusiveMaximum: number(raw.exclusiveMaximum),
    multipleOf: number(raw.multipleOf),
    minLength: number(raw.minLength),
    maxLength: number(raw.maxLength),
    minItems: number(raw.minItems),
    maxItems: number(raw.maxItems),
    pattern: safe,
    format: known,
    words,
  };
}

const keywords = {
  text: ["pattern", "format", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["minItems", "maxItems", "uniqueItems"],
} as const;

/** The doc tags that came to nothing in a schema: the model may read them in the description, but nobody checks them. */
export function unenforcedTags(raw: Definition, schema: MutableSchema): readonly string[] {
  const branches = schema.anyOf ?? [schema];
  const types = new Set(branches.flatMap(({ type = [] }) => type));
  const patterns = branches.map(({ pattern }) => pattern);
  const isKept = (tag: string): boolean => {
    if (tag === "pattern") return patterns.includes(raw.pattern);
    if (tag === "format") return branches.some(({ format }) => format === raw.format);
    // They are sent as a pattern, unless there is another one or they are too large.
    if (tag === "minLength" || tag === "maxLength") return patterns.some((pattern) => pattern?.startsWith(String.raw`^[\s\S]{`));
    return tag !== "uniqueItems";
  };
  const kinds = [
    [types.has("string"), keywords.text],
    [types.has("number") || types.has("integer"), keywords.number],
    [types.has("array"), keywords.array],
  ] as const;
  return kinds.flatMap(([fits, tags]) => tags.filter((tag) => raw[tag] !== undefined && raw[tag] !== false && !(fits && isKept(tag))));
}
