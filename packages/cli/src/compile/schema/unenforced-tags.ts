import type { DocumentedRules } from "../rules/doc-rules.js";
import type { MutableSchema } from "./mutable-schema.js";

const keywords = {
  text: ["pattern", "format", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["minItems", "maxItems", "uniqueItems"],
} as const;

/** The doc tags that came to nothing in a schema: the model may read them in the description, but nobody checks them. */
export function unenforcedTags({ tags, items }: DocumentedRules, schema: MutableSchema): readonly string[] {
  const branches = schema.anyOf ?? [schema];
  const types = new Set(branches.flatMap(({ type = [] }) => type));
  const patterns = branches.map(({ pattern }) => pattern);
  const isKept = (tag: string): boolean => {
    if (tag === "pattern") return patterns.some((pattern) => pattern === tags["pattern"]);
    if (tag === "format") return branches.some(({ format }) => format === tags["format"]);
    // They are sent as a pattern, unless there is another one or they are too large.
    if (tag === "minLength" || tag === "maxLength") return patterns.some((pattern) => pattern?.startsWith(String.raw`^[\s\S]{`));
    return tag !== "uniqueItems";
  };
  const kinds = [
    [types.has("string"), keywords.text],
    [types.has("number") || types.has("integer"), keywords.number],
    [types.has("array"), keywords.array],
  ] as const;
  const own = kinds.flatMap(([fits, all]) => all.filter((tag) => tags[tag] !== undefined && !(fits && isKept(tag))));
  const itemSchema = branches.find((branch) => branch.items !== undefined)?.items;
  return items === undefined || itemSchema === undefined ? own : [...own, ...unenforcedTags(items, itemSchema)];
}
