import type { ObjectSchema, OutputManifest, SchemaNode, ToolkitManifest, ToolManifest } from "@toolwright/core";

const schemaKeys = [
  ...["type", "description", "enum", "pattern", "format", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "items", "anyOf", "$ref", "properties", "required", "additionalProperties", "$defs"],
] as const satisfies readonly (keyof SchemaNode)[];

const toolKeys = [
  ...["name", "method", "description", "effect", "resource", "timeoutMs", "idempotent", "approval", "query", "compensate", "maxCalls"],
  ...["echo", "tags", "parameters", "decode", "call"],
] as const satisfies readonly (keyof ToolManifest)[];

const outputKeys = ["format", "className", "name", "description", "schema", "decode"] as const satisfies readonly (keyof OutputManifest)[];

/** The same manifest with all keys in one fixed order, whatever order they were set in. */
export function canonicalManifest(manifest: ToolkitManifest): ToolkitManifest {
  const tools = manifest.tools.map((tool) => pick({ ...tool, parameters: canonicalSchema(tool.parameters) as ObjectSchema }, toolKeys));
  return { ...manifest, tools };
}

export function canonicalOutput(manifest: OutputManifest): OutputManifest {
  return pick({ ...manifest, schema: canonicalSchema(manifest.schema) as ObjectSchema }, outputKeys);
}

function canonicalSchema(node: SchemaNode): SchemaNode {
  const children: { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] } = { ...node };
  if (node.items !== undefined) children.items = canonicalSchema(node.items);
  if (node.anyOf !== undefined) children.anyOf = node.anyOf.map(canonicalSchema);
  if (node.properties !== undefined) children.properties = each(node.properties);
  if (node.$defs !== undefined) children.$defs = each(node.$defs);
  return pick(children, schemaKeys);
}

const each = (nodes: { readonly [name: string]: SchemaNode }): { readonly [name: string]: SchemaNode } =>
  Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, canonicalSchema(node)]));

function pick<Whole extends object>(whole: Whole, keys: readonly (keyof Whole)[]): Whole {
  // All keys of the type are in the list, so what comes out is the whole again.
  return Object.fromEntries(keys.filter((key) => whole[key] !== undefined).map((key) => [key, whole[key]])) as Whole;
}
