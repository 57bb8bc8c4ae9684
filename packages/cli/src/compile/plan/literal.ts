import { ts } from "typescript-json-schema";
import type { Literal } from "../rules/rules.js";

/** The value of a literal type, enum members included. */
export function literalOf(type: ts.Type): Literal | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (type.flags & ts.TypeFlags.BooleanLiteral) return (type as { intrinsicName?: string }).intrinsicName === "true";
  return undefined;
}
