import type { KnownHostedTool } from "../contracts/hosted-tools.js";
import type { FunctionToolSpec, ToolSpec } from "../contracts/model.js";
import type { HostedTool, RunnableTool, ToolGroup, ToolInfo, ToolkitFromGeneratedModule, ToolSource } from "../contracts/tool.js";
import { entryTools, isToolSource } from "./entry-tools.js";
import { isHostedTool, keptHostedTool } from "./hosted-tools.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { assertDistinctNames, type NamedTool } from "./tool-name-clash.js";
import { ToolRegistry } from "./tool-registry.js";

/**
 * An instance of a tool class that was imported from `./toolwright.generated.js`. An instance of the same class imported
 * from its own source file lacks the mark.
 */
export interface InstanceFromToolwrightGenerated<App> extends ToolkitFromGeneratedModule<App> {
  // Takes nothing away and lets everything in: with it, and last in the union, this is the type that the compiler names
  // in its error about some other object, and not the one of hosted tools.
  // oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would keep instances of classes out
  readonly [member: string]: any;
}

/** What an agent's `tools` may hold: instances of built classes, `defineTool` tools, registries, agents as tools, hosted tools. */
export type AgentTool<App> = KnownHostedTool | HostedTool | ToolSource<App> | InstanceFromToolwrightGenerated<App>;

/** Tools ready to be called and to be sent. */
export interface CollectedTools {
  readonly byName: ReadonlyMap<string, RunnableTool>;
  readonly specs: readonly ToolSpec[];
  readonly infos: readonly ToolInfo[];
}

/**
 * Turns what an agent was given into tools.
 *
 * @throws ToolwrightError `TOOL_UNREGISTERED` or `RUN_OPTIONS` for something that is no tool, `TOOL_NAME_CLASH` for two of one name.
 */
export function collectTools(given: readonly unknown[]): CollectedTools {
  const hosted: HostedTool[] = [];
  const named: NamedTool[] = [];
  const tools: RunnableTool[] = [];
  for (const [index, entry] of given.entries()) {
    const place = `tools[${index}]`;
    if (isHostedTool(entry)) {
      hosted.push(keptHostedTool(entry, place));
      continue;
    }
    for (const tool of entryTools(entry, place)) {
      tools.push(tool);
      named.push(namedTool(tool, entry, place));
    }
  }
  assertDistinctNames(named);
  const byName = new Map(tools.map((tool) => [tool.info.name, tool]));
  const infos = Object.freeze(tools.map(({ info }) => info));
  return { byName, infos, specs: Object.freeze([...sentTools(tools), ...hosted]) };
}

/**
 * The definitions that an agent with these tools sends: name, description and strict schema of each.
 *
 * @example
 * const response = await client.responses.create({ model, input, tools: [...toolDefinitions([new Calculator()])] });
 */
export function toolDefinitions(tools: readonly AgentTool<never>[]): FunctionToolSpec[] {
  return [...collectTools(tools).byName.values()].map(functionSpec);
}

/** The tools as they are sent; those of a namespace in it, where the first of them stood. */
function sentTools(tools: readonly RunnableTool[]): readonly ToolSpec[] {
  const namespaces = new Map<string, { readonly group: ToolGroup; readonly members: ToolSpec[] }>();
  return tools.flatMap((tool): readonly ToolSpec[] => {
    const spec = tool.spec ?? functionSpec(tool);
    const { group } = tool;
    if (group === undefined) return [spec];
    const member = group.deferred ? Object.freeze({ ...spec, defer_loading: true }) : spec;
    const known = namespaces.get(group.name);
    if (known === undefined) {
      const members = [member];
      namespaces.set(group.name, { group, members });
      return [{ type: "namespace", name: group.name, description: group.description, tools: members }];
    }
    if (known.group !== group) throw twoNamespaces(group);
    known.members.push(member);
    return [];
  });
}

function twoNamespaces({ name }: ToolGroup): ToolwrightError {
  return new ToolwrightError("TOOL_NAME_CLASH", `Two namespaces of the agent are called ${name}.`, {
    fix: "Put their tools into one `toolNamespace`, or give one of them another name.",
  });
}

function functionSpec({ info }: RunnableTool): FunctionToolSpec {
  return Object.freeze({ type: "function", name: info.name, description: info.description, parameters: info.parameters, strict: true });
}

function namedTool({ info: { name, identity } }: RunnableTool, entry: unknown, place: string): NamedTool {
  return { name, identity, owner: `${identity} (${place})`, rename: (prefix) => renaming(entry, identity, place, prefix) };
}

/** How the one who composes the agent gives a tool another name. */
function renaming(entry: unknown, identity: string, place: string, prefix: string): string {
  const [owner = "", member = ""] = identity.split("#");
  if (entry instanceof ToolRegistry) return `Add \`prefix: "${prefix}"\` to \`allow["${owner}"]\`.`;
  const wrapped = `Write \`prefixed("${prefix}", …)\` around ${place}`;
  if (isToolSource(entry)) return owner === "app" && member.endsWith(".execute") ? `Give one of them another \`name\`.` : `${wrapped}.`;
  const byHand = `Write \`prefixed("${prefix}", new ${member.split(".")[0]}(…))\` in \`tools\``;
  return owner === "app" ? `${byHand}, or \`@Toolkit({ prefix: "${prefix}" })\` above the class.` : `${byHand}.`;
}
