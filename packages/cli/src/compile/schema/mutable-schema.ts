import type { DecodePlan, SchemaNode } from "@toolwright/core";

/** A schema while it is being made. */
export type MutableSchema = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] };

/** A schema with what it can not say about decoding. */
export interface BuiltSchema {
  readonly schema: MutableSchema;
  readonly decode: DecodePlan | undefined;
}

/** Also null, in the form that the API documents for each kind of node. */
export function nullable({ schema, decode }: BuiltSchema): BuiltSchema {
  if (schema.anyOf !== undefined) {
    const branches = decode?.anyOf === undefined ? undefined : { anyOf: [...decode.anyOf, null] };
    return { schema: { ...schema, anyOf: [...schema.anyOf, { type: "null" }] }, decode: branches };
  }
  if (schema.$ref !== undefined || schema.type === "object") {
    return { schema: { anyOf: [schema, { type: "null" }] }, decode: decode === undefined ? undefined : { anyOf: [decode, null] } };
  }
  const types = typeof schema.type === "string" ? [schema.type] : [...(schema.type ?? [])];
  const both = { ...schema, type: [...types, "null"] };
  return { schema: schema.enum === undefined ? both : { ...both, enum: [...schema.enum, null] }, decode };
}

/** The decoding of an object; undefined when nothing of it needs any. */
export function decodeOf(parts: {
  readonly optional: readonly string[];
  readonly properties: Readonly<Record<string, DecodePlan>>;
  readonly dto: string | undefined;
}): DecodePlan | undefined {
  const decode: DecodePlan = {
    ...(parts.optional.length === 0 ? {} : { optional: parts.optional }),
    ...(Object.keys(parts.properties).length === 0 ? {} : { properties: parts.properties }),
    ...(parts.dto === undefined ? {} : { dto: parts.dto }),
  };
  return Object.keys(decode).length === 0 ? undefined : decode;
}
