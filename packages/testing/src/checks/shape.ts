import { ApiError, emptyString, invalidType, invalidValue, missingParameter, tooLong, unknownParameter } from "../api-error.js";
import type { JsonRecord } from "../json-record.js";

/** What a field may hold. */
export interface FieldRule {
  readonly type: "string" | "boolean" | "number" | "integer" | "array" | "object" | "string or object" | "string or array" | "any";
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** The fields that an object may have: none but these. */
export type Shape = Readonly<Record<string, FieldRule>>;

const article = {
  string: "a string",
  boolean: "a boolean",
  number: "a number",
  integer: "an integer",
  array: "an array",
  object: "an object",
} as const;

const expected = (rule: FieldRule): string => {
  if (rule.type === "string or object") return "one of a string or object";
  if (rule.type === "string or array") return "one of a string or array of objects";
  return rule.type === "any" ? "a value" : article[rule.type];
};

function hasType(value: unknown, type: FieldRule["type"]): boolean {
  const isList = Array.isArray(value);
  const isObject = typeof value === "object" && value !== null && !isList;
  switch (type) {
    case "any":
      return true;
    case "array":
      return isList;
    case "object":
      return isObject;
    case "integer":
      return Number.isInteger(value);
    case "string or object":
      return typeof value === "string" || isObject;
    case "string or array":
      return typeof value === "string" || isList;
    default:
      return typeof value === type;
  }
}

/**
 * Refuses what is missing, of a wrong type, or not among the fields of an object.
 *
 * @param place - the object's own path, e.g. `input[1]`; empty for the request itself.
 */
export function checkShape(value: JsonRecord, shape: Shape, place: string): void {
  const path = (field: string): string => (place === "" ? field : `${place}.${field}`);
  for (const [field, rule] of Object.entries(shape)) {
    if (rule.required === true && !Object.hasOwn(value, field)) throw missingParameter(path(field));
  }
  for (const [field, content] of Object.entries(value)) {
    const rule = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (rule === undefined) throw unknownParameter(path(field));
    checkField(content, rule, path(field));
  }
}

function checkField(value: unknown, rule: FieldRule, param: string): void {
  if (value === null && rule.nullable === true) return;
  if (value === null || !hasType(value, rule.type)) throw invalidType(param, expected(rule), value);
  if (typeof value === "string") checkText(value, rule, param);
  if (typeof value === "number") checkNumber(value, rule, param);
}

function checkText(value: string, rule: FieldRule, param: string): void {
  if (rule.values !== undefined && rule.type === "string" && !rule.values.includes(value)) throw invalidValue(param, value, rule.values);
  if (value.length < (rule.minLength ?? 0)) throw emptyString(param);
  if (rule.maxLength !== undefined && value.length > rule.maxLength) throw tooLong(param, rule.maxLength, value.length);
}

function checkNumber(value: number, rule: FieldRule, param: string): void {
  const kind = rule.type === "integer" ? "integer" : "decimal";
  const refusal = (side: string, sign: string, bound: number, code: string): ApiError => {
    const message = `Invalid '${param}': ${kind} ${side} value. Expected a value ${sign} ${bound}, but got ${value} instead.`;
    return new ApiError(message, { param, code: `${kind}_${code}_value` });
  };
  if (rule.min !== undefined && value < rule.min) throw refusal("below minimum", ">=", rule.min, "below_min");
  if (rule.max !== undefined && value > rule.max) throw refusal("above maximum", "<=", rule.max, "above_max");
}
