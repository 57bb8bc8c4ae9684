import type { JsonObject } from "./json.js";
import { rulesOf } from "./rules.js";
import { scalar, type TypeText } from "./type-text.js";
import { Unsayable } from "./unsayable.js";

export function literalTypes(values: readonly unknown[]): readonly TypeText[] {
  if (!values.every((value) => value === null || ["string", "number", "boolean"].includes(typeof value)))
    throw new Unsayable("its values are no plain ones");
  // A strict schema may list a thousand.
  if (values.length > 500) return [...new Set(values.map((value) => (value === null ? "null" : typeof value)))].map((text) => scalar(text));
  return values.map((value) => scalar(JSON.stringify(value)));
}

export function textType(flat: JsonObject): TypeText {
  const encoding = flat["contentEncoding"];
  const isBinary = flat["format"] === "binary" || (flat["contentMediaType"] !== undefined && encoding === undefined);
  if (isBinary) throw new Unsayable("it is binary");
  const { tags, words } = rulesOf(flat, "string");
  return scalar("string", tags, encoding === undefined && flat["format"] !== "byte" ? words : ["Encoded in base64."]);
}

export function wordsFor(standard: unknown, example: unknown): readonly string[] {
  const isShort = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value) && String(value).length <= 60;
  return [
    ...(isShort(standard) ? [`Default: ${JSON.stringify(standard)}.`] : []),
    ...(isShort(example) ? [`E.g. ${JSON.stringify(example)}.`] : []),
  ];
}
