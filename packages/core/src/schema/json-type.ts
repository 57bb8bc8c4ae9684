import type { SchemaNode } from "../contracts/schema.js";
import { listed } from "./issue-text.js";

/** Names of JSON Schema, and "nothing" for what JSON can not carry. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export const JSON_TYPES: ReadonlySet<string> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** True for `{}`, for what `JSON.parse` makes and for objects without a prototype, of any realm; false for instances of classes. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The JSON type of a value; undefined for what JSON can not carry. */
export function jsonType(value: unknown): JsonType | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return typeof value as "string" | "boolean";
    case "number":
      return Number.isInteger(value) ? "integer" : Number.isFinite(value) ? "number" : undefined;
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return "array";
      return isPlainObject(value) ? "object" : undefined;
    default:
      return undefined;
  }
}

/** What was received, by kind and never by value. */
export function received(value: unknown): string {
  const type = jsonType(value);
  if (type !== undefined) return type;
  if (value === undefined) return "nothing";
  return `a ${typeof value} that JSON can not carry`;
}

/** `type` of a node as a list; empty when it has none. */
export function declaredTypes(node: SchemaNode): readonly string[] {
  if (node.type === undefined) return [];
  return typeof node.type === "string" ? [node.type] : node.type;
}

/** What a node takes, in a few words for a model. */
export function expectedOf(node: SchemaNode, resolve: (ref: string) => SchemaNode | undefined = () => undefined, depth = 0): string {
  if (node.enum !== undefined) return node.enum.length === 1 ? listed(node.enum) : `one of ${listed(node.enum)}`;
  const types = declaredTypes(node);
  if (types.length > 0) return types.join(" or ");
  if (depth > 4) return "a value";
  if (node.$ref !== undefined) {
    const target = resolve(node.$ref);
    return target === undefined ? "a value" : expectedOf(target, resolve, depth + 1);
  }
  return [...new Set((node.anyOf ?? []).map((branch) => expectedOf(branch, resolve, depth + 1)))].join(" or ");
}
