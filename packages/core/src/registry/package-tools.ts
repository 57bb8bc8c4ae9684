import type { JsonObject } from "../contracts/json.js";
import type { ToolManifest } from "../contracts/manifest.js";
import type { ObjectSchema, SchemaNode } from "../contracts/schema.js";
import type { RunnableTool, ToolContext } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compileArguments } from "../schema/compile-schema.js";
import { capped, longestDescription, type OfferedPackage } from "./offer.js";
import { toolInfo } from "./tool-info.js";

/** Where tools come from whose code comes in at the first call of one of them. */
export interface LazySource {
  /** The tools by their names in the manifest, once they are there. */
  readonly tools: ReadonlyMap<string, RunnableTool> | undefined;
  /** @param fix - what gives it more time, as a sentence. */
  openWithin(timeoutMs: number, fix: string): Promise<ReadonlyMap<string, RunnableTool>>;
}

/** The offered tools of a package. They are listed, sent and checked from the manifest; the code comes in at the first call. */
export function packageTools(source: LazySource, offered: OfferedPackage["tools"]): readonly RunnableTool[] {
  return offered.map((each) => lazyTool(source, { ...each, tool: cappedTool(each.tool) }, preloadFix));
}

const preloadFix = "Call `await registry.preload()` at the start, where it may take its time.";

/**
 * A tool that is listed, sent and checked from its manifest.
 *
 * @param fix - what gives its code more time to come in, as a sentence.
 */
export function lazyTool(
  source: LazySource,
  { tool, identity, name, description }: OfferedPackage["tools"][number],
  fix: string,
): RunnableTool {
  const { approval, query, compensate, parameters } = tool;
  const checker = compileArguments(parameters, tool.decode, `the tool "${name}"`);
  const info = toolInfo({ name, identity, description, parameters, needsApproval: approval !== undefined }, tool);
  const real = async (): Promise<RunnableTool> => {
    // A hanging import hangs this call alone, and no longer than the tool itself may take.
    const found = (source.tools ?? (await source.openWithin(info.timeoutMs, fix))).get(tool.name);
    if (found === undefined)
      throw new ToolwrightError("REGISTRY_MISMATCH", `${identity} is not there any more.`, { details: { tool: identity } });
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

/** The same tool, unless a description in its schema is too long. */
function cappedTool(tool: ToolManifest): ToolManifest {
  // An object with every property of the other one: only texts are shorter.
  return hasLongText(tool.parameters) ? { ...tool, parameters: cappedNode(tool.parameters) as ObjectSchema } : tool;
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
