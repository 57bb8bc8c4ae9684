import type { JsonObject } from "../contracts/json.js";
import type { ObjectSchema, SchemaNode } from "../contracts/schema.js";
import type { RunnableTool, ToolContext } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compileArguments } from "../schema/compile-schema.js";
import { capped, longestDescription, type OfferedPackage } from "./offer.js";
import type { PackageSource } from "./package-source.js";
import { toolInfo } from "./tool-info.js";

/** The offered tools of a package. They are listed, sent and checked from the manifest; the code comes in at the first call. */
export function packageTools(source: PackageSource, offered: OfferedPackage["tools"]): readonly RunnableTool[] {
  return offered.map((each) => lazyTool(source, each));
}

function lazyTool(source: PackageSource, { tool, className, name, description }: OfferedPackage["tools"][number]): RunnableTool {
  const { approval, query, compensate } = tool;
  const { package: owner } = source.manifest;
  const parameters = cappedSchema(tool.parameters);
  const checker = compileArguments(parameters, tool.decode, `the tool "${name}"`);
  const identity = `${owner}#${className}.${tool.method}`;
  const info = toolInfo({ name, identity, description, parameters, needsApproval: approval !== undefined }, tool);
  const real = async (): Promise<RunnableTool> => {
    const found = (source.tools ?? (await opened(source, info.timeoutMs))).get(tool.name);
    if (found === undefined)
      throw new ToolwrightError("REGISTRY_MISMATCH", `${identity} is not there any more.`, { details: { package: owner } });
    return found;
  };
  return {
    info,
    check: (value) => checker.check(value),
    prepare: async (checked) => (await real()).prepare(checked),
    ...(approval !== undefined && {
      approve: async (checked: JsonObject, context: ToolContext) =>
        approval === true || ((await (await real()).approve?.(checked, context)) ?? true),
    }),
    ...(query !== undefined && {
      query: async (checked: JsonObject, context: ToolContext) =>
        (await (await real()).query?.(checked, context)) ?? { unknown: true as const },
    }),
    ...(compensate !== undefined && {
      compensate: async (checked, outcome, context) => (await real()).compensate?.(checked, outcome, context),
    }),
  };
}

/** The package, or an error when it takes longer to come in than a call of the tool may: a hanging import hangs that call alone. */
async function opened(source: PackageSource, timeoutMs: number): ReturnType<PackageSource["open"]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const { package: name } = source.manifest;
      reject(
        new ToolwrightError("REGISTRY_LOAD", `The package ${name} was not imported and created within ${timeoutMs} ms.`, {
          fix: "Call `await registry.preload()` at the start, where it may take its time.",
          details: { package: name },
        }),
      );
    }, timeoutMs);
  });
  try {
    return await Promise.race([source.open(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same schema, unless a description in it is too long. */
function cappedSchema(schema: ObjectSchema): ObjectSchema {
  // An object with every property of the other one: only texts are shorter.
  return hasLongText(schema) ? (cappedNode(schema) as ObjectSchema) : schema;
}

const hasLongText = (node: SchemaNode): boolean =>
  (node.description?.length ?? 0) > longestDescription || childrenOf(node).some(hasLongText);

function childrenOf({ properties = {}, $defs = {}, anyOf = [], items }: SchemaNode): readonly SchemaNode[] {
  return [...Object.values(properties), ...Object.values($defs), ...anyOf, ...(items === undefined ? [] : [items])];
}

function cappedNode(node: SchemaNode): SchemaNode {
  const each = (nodes: Readonly<Record<string, SchemaNode>>) =>
    Object.fromEntries(Object.entries(nodes).map(([key, child]) => [key, cappedNode(child)]));
  return {
    ...node,
    ...(node.description !== undefined && { description: capped(node.description) }),
    ...(node.properties !== undefined && { properties: each(node.properties) }),
    ...(node.$defs !== undefined && { $defs: each(node.$defs) }),
    ...(node.anyOf !== undefined && { anyOf: node.anyOf.map(cappedNode) }),
    ...(node.items !== undefined && { items: cappedNode(node.items) }),
  };
}
