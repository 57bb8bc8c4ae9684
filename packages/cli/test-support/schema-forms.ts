import type { ObjectSchema, SchemaNode } from "@toolwright/core";

/** A closed object with every property required: what every object of a strict schema is. */
export function closed(properties: Readonly<Record<string, SchemaNode>>, more: Partial<SchemaNode> = {}): ObjectSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more } as ObjectSchema;
}

export const text: SchemaNode = { type: "string" };
export const number: SchemaNode = { type: "number" };
export const textOrNull: SchemaNode = { type: ["string", "null"] };
export const numberOrNull: SchemaNode = { type: ["number", "null"] };

export const reference = (name: string): SchemaNode => ({ $ref: `#/$defs/${name}` });
export const orNull = (node: SchemaNode): SchemaNode => ({ anyOf: [node, { type: "null" }] });
