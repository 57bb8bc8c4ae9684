import { isPlainObject } from "./json-type.js";

/** JSON types as bits, so that a set of them is a number. Whole numbers and fractions apart: "number" is both. */
export const NULL = 1;
const BOOLEAN = 2;
export const INTEGER = 4;
export const FRACTION = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;

/** The bits of what a schema's `type` names; undefined for a type that does not exist. */
export function bitsNamed(type: string): number | undefined {
  switch (type) {
    case "string":
      return STRING;
    case "integer":
      return INTEGER;
    case "number":
      return INTEGER | FRACTION;
    case "boolean":
      return BOOLEAN;
    case "object":
      return OBJECT;
    case "array":
      return ARRAY;
    case "null":
      return NULL;
    default:
      return undefined;
  }
}

/** The bit of a value that is no container; 0 for a container and for what JSON can not carry. */
export function scalarBit(value: unknown): number {
  switch (typeof value) {
    case "string":
      return STRING;
    case "number":
      return Number.isInteger(value) ? INTEGER : Number.isFinite(value) ? FRACTION : 0;
    case "boolean":
      return BOOLEAN;
    default:
      return value === null ? NULL : 0;
  }
}

/** The bit of a value; 0 for what JSON can not carry. */
export function bitOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return scalarBit(value);
  if (Array.isArray(value)) return ARRAY;
  return isPlainObject(value) ? OBJECT : 0;
}
