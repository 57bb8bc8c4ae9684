import type { DecodePlan, JsonSchema, SchemaNode } from "@toolwright/core";

/**
 * Plain JSON Schema of what a strict schema and its decode plan say together: a key that may be absent is not required, and
 * takes no null instead.
 */
export function plainSchema(schema: SchemaNode, plan: DecodePlan | undefined): JsonSchema {
  const { $defs } = schema;
  const root = plainNode(schema, plan);
  if ($defs === undefined) return root;
  const definitions = Object.entries($defs).map(([name, node]) => [name, plainNode(node, plan?.defs?.[name])] as const);
  return { ...root, $defs: Object.fromEntries(definitions) };
}

function plainNode(node: SchemaNode, plan: DecodePlan | undefined): JsonSchema {
  const { properties, required = [], items, anyOf, $defs: _, ...rest } = node;
  const optional = plan?.optional ?? [];
  return {
    ...rest,
    ...(items !== undefined && { items: plainNode(items, plan?.items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((branch, index) => plainNode(branch, plan?.anyOf?.[index] ?? undefined)) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => {
          const plain = plainNode(child, plan?.properties?.[name]);
          return [name, optional.includes(name) ? withoutNull(plain) : plain];
        }),
      ),
      required: required.filter((name) => !optional.includes(name)),
    }),
  };
}

function withoutNull(node: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf, ...rest } = node as { type?: unknown; enum?: readonly unknown[]; anyOf?: readonly JsonSchema[] };
  const branches = anyOf?.filter((branch) => branch["type"] !== "null");
  const [only] = branches ?? [];
  if (only !== undefined && branches?.length === 1) return { ...only, ...rest };
  const types = Array.isArray(type) ? (type as readonly unknown[]).filter((each) => each !== "null") : type;
  return {
    ...(types !== undefined && { type: Array.isArray(types) && types.length === 1 ? (types[0] as unknown) : types }),
    ...rest,
    ...(values !== undefined && { enum: values.filter((value) => value !== null) }),
    ...(branches !== undefined && { anyOf: branches }),
  };
}
