import type { JsonObject } from "./json.js";

/** What the doc tags of a property say besides its type, and what only words can say. */
export interface Rules {
  readonly tags: readonly string[];
  readonly words: readonly string[];
}

/** Formats that a strict schema may name. */
const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/** Formats that are only about how a number or text is kept. */
const silentFormats = ["int32", "int64", "float", "double", "password", "string"];

/** The rules of a number, a text or an array. A pair that lets nothing through is left to the server. */
export function rulesOf(schema: JsonObject, kind: "number" | "string" | "array"): Rules {
  if (kind === "number") return numberRules(schema);
  if (kind === "string") return stringRules(schema);
  return {
    tags: range(schema, "minItems", "maxItems"),
    words: [...(schema["uniqueItems"] === true ? ["No two items are equal."] : []), ...impossible(schema, "minItems", "maxItems")],
  };
}

function numberRules(schema: JsonObject): Rules {
  const tags = [...range(withExclusive(schema), "minimum", "maximum"), ...exclusiveTags(schema)];
  const { multipleOf } = schema;
  if (typeof multipleOf === "number" && multipleOf > 0) tags.push(`@multipleOf ${multipleOf}`);
  else if (schema["type"] === "integer" || (Array.isArray(schema["type"]) && schema["type"].includes("integer")))
    tags.push("@multipleOf 1");
  return { tags, words: impossible(schema, "minimum", "maximum") };
}

/** In OpenAPI 3.0 `exclusiveMinimum: true` says something about `minimum`. */
const withExclusive = (schema: JsonObject): JsonObject => ({
  ...schema,
  minimum: schema["exclusiveMinimum"] === true ? undefined : schema["minimum"],
  maximum: schema["exclusiveMaximum"] === true ? undefined : schema["maximum"],
});

function exclusiveTags(schema: JsonObject): readonly string[] {
  const bound = (exclusive: unknown, plain: unknown): unknown => (exclusive === true ? plain : exclusive);
  return range(
    {
      exclusiveMinimum: bound(schema["exclusiveMinimum"], schema["minimum"]),
      exclusiveMaximum: bound(schema["exclusiveMaximum"], schema["maximum"]),
    },
    "exclusiveMinimum",
    "exclusiveMaximum",
  );
}

function stringRules(schema: JsonObject): Rules {
  const { pattern, format } = schema;
  const tags = range(schema, "minLength", "maxLength");
  const words = [...impossible(schema, "minLength", "maxLength")];
  if (typeof format === "string" && !silentFormats.includes(format)) {
    if (formats.includes(format)) tags.push(`@format ${format}`);
    else words.push(`Format: ${format}.`);
  }
  if (typeof pattern === "string") {
    if (isPlainPattern(pattern)) tags.push(`@pattern ${pattern}`);
    else words.push(`Matches the regular expression /${pattern}/.`);
  }
  return { tags, words };
}

/** What a doc comment can hold as it is, and what every server's expressions understand alike. */
const isPlainPattern = (pattern: string): boolean =>
  /^\^?[\w\s[\]{}().|+?,:\\-]+\*?\$?$/.test(pattern) &&
  !/\(\?|\\[^dDwWsSb.\-+*?()[\]{}|/]|\s{2}|^\s|\s$/.test(pattern) &&
  compiles(pattern);

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}

/** The compiler refuses a pair that lets nothing through; whatever is meant, the server knows. */
function impossible(schema: JsonObject, low: string, high: string): readonly string[] {
  return Number(schema[low]) > Number(schema[high])
    ? [`The API says ${low} ${String(schema[low])} and ${high} ${String(schema[high])}.`]
    : [];
}

function range(schema: JsonObject, low: string, high: string): string[] {
  const [least, most] = [schema[low], schema[high]];
  const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
  if (isCount(least) && isCount(most) && least > most) return [];
  return [...(isCount(least) ? [`@${low} ${least}`] : []), ...(isCount(most) ? [`@${high} ${most}`] : [])];
}
