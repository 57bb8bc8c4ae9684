import { isPlainObject } from "./json-type.js";
import type { RawSchema, StrictContext } from "./strict-context.js";

/** What a raw node can take, as far as can be told without converting it: definitions may be recursive. */
export interface Kind {
  /** JSON types; empty when nothing is known. */
  readonly types: readonly string[];
  /** The values, when there are only so many. */
  readonly values: readonly unknown[] | undefined;
}

export function kindOf(context: StrictContext, raw: unknown, path: string, depth = 0): Kind {
  if (!isPlainObject(raw) || depth > 20) return { types: [], values: undefined };
  if (raw["$ref"] !== undefined) return kindOf(context, context.target(raw["$ref"], path), path, depth + 1);
  const values = raw["const"] !== undefined ? [raw["const"]] : Array.isArray(raw["enum"]) ? (raw["enum"] as unknown[]) : undefined;
  const nested = raw["anyOf"] ?? raw["oneOf"] ?? (Array.isArray(raw["allOf"]) && raw["allOf"].length === 1 ? raw["allOf"] : undefined);
  if (Array.isArray(nested)) {
    const kinds = nested.map((branch) => kindOf(context, branch, path, depth + 1));
    return { types: kinds.some(({ types }) => types.length === 0) ? [] : kinds.flatMap(({ types }) => [...types]), values: undefined };
  }
  return { types: typesOf(raw, values), values };
}

function typesOf(raw: RawSchema, values: readonly unknown[] | undefined): readonly string[] {
  const { type } = raw;
  const declared = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];
  if (declared.length > 0) return declared.flatMap((name) => (name === "number" ? ["number", "integer"] : [name]));
  if (values !== undefined)
    return values.flatMap((value) => (value === null ? ["null"] : typeof value === "number" ? ["number", "integer"] : [typeof value]));
  return raw["properties"] === undefined ? [] : ["object"];
}
