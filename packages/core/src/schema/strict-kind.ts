import { isPlainObject } from "./json-type.js";
import type { RawSchema, StrictContext } from "./strict-context.js";

/** What a raw node can take, as far as can be told without converting it: definitions may be recursive. */
export interface Kind {
  /** JSON types; empty when nothing is known. */
  readonly types: readonly string[];
  /** The values, when there are only so many. */
  readonly values: readonly unknown[] | undefined;
}

const UNKNOWN: Kind = { types: [], values: undefined };

export function kindOf(context: StrictContext, raw: unknown, path: string, known = new Map<unknown, Kind>()): Kind {
  if (!isPlainObject(raw)) return UNKNOWN;
  const before = known.get(raw);
  if (before !== undefined) return before;
  // Until it is known, for what leads back to it.
  known.set(raw, UNKNOWN);
  const kind = known.size > MAX_NODES ? UNKNOWN : kindOfNode(context, raw, path, known);
  known.set(raw, kind);
  return kind;
}

/** More are not looked at, one within the other or side by side. */
const MAX_NODES = 1000;

function kindOfNode(context: StrictContext, raw: RawSchema, path: string, known: Map<unknown, Kind>): Kind {
  if (raw["$ref"] !== undefined) return kindOf(context, context.target(raw["$ref"], path), path, known);
  const values = raw["const"] !== undefined ? [raw["const"]] : Array.isArray(raw["enum"]) ? (raw["enum"] as unknown[]) : undefined;
  const nested = raw["anyOf"] ?? raw["oneOf"] ?? (Array.isArray(raw["allOf"]) && raw["allOf"].length === 1 ? raw["allOf"] : undefined);
  if (Array.isArray(nested)) {
    const kinds = nested.map((branch) => kindOf(context, branch, path, known));
    const isUnknown = kinds.some(({ types }) => types.length === 0);
    return { types: isUnknown ? [] : [...new Set(kinds.flatMap(({ types }) => types))], values: undefined };
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
