import { declaredTypes } from "./json-type.js";
import type { StrictNode } from "./strict-context.js";

/** The node, or null: what strict schemas have in place of "may be left out". */
export function nullable({ schema, plan }: StrictNode): StrictNode {
  const { description, ...bare } = schema;
  const described = description === undefined ? {} : { description };
  if (schema.anyOf !== undefined) return { schema: { ...schema, anyOf: [...schema.anyOf, { type: "null" }] }, plan };
  const types = declaredTypes(schema);
  if (schema.$ref !== undefined || types.includes("object")) {
    return { schema: { ...described, anyOf: [bare, { type: "null" }] }, plan: plan === undefined ? undefined : { anyOf: [plan, null] } };
  }
  return { schema: { ...schema, type: [...types, "null"], ...(schema.enum !== undefined && { enum: [...schema.enum, null] }) }, plan };
}
