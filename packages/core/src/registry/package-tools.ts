import type { JsonObject } from "../contracts/json.js";
import type { ToolManifest, ToolkitManifest } from "../contracts/manifest.js";
import type { RunnableTool, ToolContext } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compileArguments } from "../schema/compile-schema.js";
import type { ToolListing } from "./offer.js";
import type { PackageSource } from "./package-source.js";
import { toolInfo } from "./tool-info.js";

/** The offered tools of a package. They are listed, sent and checked from the manifest; the code comes in at the first call. */
export function packageTools(source: PackageSource, listing: readonly ToolListing[]): readonly RunnableTool[] {
  return source.manifest.toolkits.flatMap((toolkit) =>
    toolkit.tools.flatMap((tool) => {
      const offeredAs = listing.find(({ name }) => name === tool.name)?.offeredAs;
      return offeredAs === undefined ? [] : [lazyTool(source, toolkit, tool, offeredAs)];
    }),
  );
}

function lazyTool(source: PackageSource, toolkit: ToolkitManifest, tool: ToolManifest, name: string): RunnableTool {
  const { description, parameters, approval, query, compensate } = tool;
  const checker = compileArguments(parameters, tool.decode, `the tool "${name}"`);
  const identity = `${source.manifest.package}#${toolkit.className}.${tool.method}`;
  const real = async (): Promise<RunnableTool> => {
    const found = (await source.open()).get(tool.name);
    if (found === undefined) throw new ToolwrightError("REGISTRY_MISMATCH", `${identity} is not there any more.`);
    return found;
  };
  return {
    info: toolInfo({ name, identity, description, parameters, needsApproval: approval !== undefined }, tool),
    check: (value) => checker.check(value),
    prepare: async (checked) => (await real()).prepare(checked),
    ...(approval !== undefined && {
      approve: async (checked: JsonObject, context: ToolContext) => approval === true || ((await (await real()).approve?.(checked, context)) ?? true),
    }),
    ...(query !== undefined && {
      query: async (checked: JsonObject, context: ToolContext) => (await (await real()).query?.(checked, context)) ?? { unknown: true as const },
    }),
    ...(compensate !== undefined && {
      compensate: async (checked, outcome, context) => (await real()).compensate?.(checked, outcome, context),
    }),
  };
}
