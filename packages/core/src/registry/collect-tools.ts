import type { FunctionToolSpec, ToolSpec } from "../contracts/model.js";
import type { HostedTool, RunnableTool, ToolInfo, ToolkitFromGeneratedModule, ToolSource } from "../contracts/tool.js";
import { entryTools, isHostedTool, isToolSource } from "./entry-tools.js";
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
export type AgentTool<App> = HostedTool | ToolSource<App> | InstanceFromToolwrightGenerated<App>;

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
  const hosted = given.filter(isHostedTool);
  const named: NamedTool[] = [];
  const tools: RunnableTool[] = [];
  for (const [index, entry] of given.entries()) {
    if (isHostedTool(entry)) continue;
    const place = `tools[${index}]`;
    for (const tool of entryTools(entry, place)) {
      tools.push(tool);
      named.push(namedTool(tool, entry, place));
    }
  }
  assertDistinctNames(named);
  const byName = new Map(tools.map((tool) => [tool.info.name, tool]));
  const infos = Object.freeze(tools.map(({ info }) => info));
  return { byName, infos, specs: Object.freeze([...tools.map((tool) => tool.spec ?? functionSpec(tool)), ...hosted]) };
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
