import { isObject, type JsonObject, listAt, textAt } from "./json.js";

/** Says something of a value, and nothing of which values it takes. */
export const annotations = [
  "description",
  "summary",
  "title",
  "deprecated",
  "nullable",
  "default",
  "example",
  "examples",
  "readOnly",
  "writeOnly",
  "externalDocs",
  "xml",
];
/** The one schema that another one is, but for words: `{ $ref }`, or `allOf` with nothing else. */
export function soleReference(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const keys = Object.keys(schema).filter((key) => !annotations.includes(key));
  if (keys.length !== 1) return undefined;
  if (keys[0] === "$ref") return textAt(schema, "$ref");
  const parts = listAt(schema, "allOf");
  return keys[0] === "allOf" && parts.length === 1 ? soleReference(parts[0]) : undefined;
}

export function typesOf(flat: JsonObject): readonly string[] {
  const { type } = flat;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((each): each is string => typeof each === "string");
  if (flat["properties"] !== undefined) return ["object"];
  return flat["items"] !== undefined ? ["array"] : [];
}

export const isPlainObject = (flat: JsonObject): boolean =>
  typesOf(flat)
    .filter((type) => type !== "null")
    .join() === "object" &&
  flat["oneOf"] === undefined &&
  flat["anyOf"] === undefined;

export const onlyRequires = (choice: unknown): boolean =>
  isObject(choice) && Object.keys(choice).every((key) => ["required", "title", "description"].includes(key));
