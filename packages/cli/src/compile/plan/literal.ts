import { ts } from "typescript-json-schema";
import type { Literal } from "../rules/rules.js";

/** The value of a literal type, enum members and literals with a brand included. */
export function literalOf(type: ts.Type): Literal | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (type.flags & ts.TypeFlags.BooleanLiteral) return (type as { intrinsicName?: string }).intrinsicName === "true";
  const branded = brandedPart(type);
  return branded === undefined ? undefined : literalOf(branded);
}

/** Whether it is a number that JSON cannot write: infinite, or none at all. */
export function isEndless(type: ts.Type): boolean {
  const value = literalOf(type);
  return typeof value === "number" && !Number.isFinite(value);
}

/** The one part of an intersection that is no object: what a brand is on. */
export function brandedPart(type: ts.Type): ts.Type | undefined {
  if (!type.isIntersection()) return undefined;
  const [primitive, ...others] = type.types.filter((part) => !(part.flags & ts.TypeFlags.Object));
  return others.length === 0 ? primitive : undefined;
}
