import type { BuiltSchema } from "./schema/mutable-schema.js";

/** One text of a description and the sentences that the schema can not say otherwise. */
function sentences(description: string | undefined, words: readonly string[]): string | undefined {
  // What the author wrote already need not be said again.
  const known = (description ?? "").toLowerCase();
  const missing = words.filter((word) =>
    /\bdefault\b/i.test(word) ? !/\bdefaults?\b/.test(known) : !known.includes(word.replace(/\.$/, "").toLowerCase()),
  );
  const parts = [description, ...missing].filter((part) => part !== undefined && part !== "");
  if (parts.length === 0) return undefined;
  return parts.map((part, index) => (index < parts.length - 1 && !/[.!?:…]$/.test(part ?? "") ? `${part}.` : part)).join(" ");
}

/**
 * Gives a schema its description: the property's, or else the type's. Nothing may stand beside `$ref`, so that is
 * wrapped.
 */
export function describe(built: BuiltSchema, description: string | undefined, words: readonly string[]): BuiltSchema {
  const { schema, decode } = built;
  const text = sentences(description ?? schema.description, words);
  if (text === undefined) return built;
  if (schema.$ref === undefined) return { schema: { ...schema, description: text }, decode };
  return { schema: { anyOf: [schema], description: text }, decode: decode === undefined ? undefined : { anyOf: [decode] } };
}
