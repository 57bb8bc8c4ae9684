import type { FunctionToolSpec, ToolSpec } from "../contracts/model.js";
import type { HostedTool, RunnableTool, ToolkitFromGeneratedModule, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { registeredBase, toolkitRecord } from "./toolkit-table.js";
import { toolkitTools } from "./toolkit-tools.js";

/** What an agent's `tools` may hold: instances of built classes, `defineTool` tools, registries, agents as tools, hosted tools. */
export type AgentTool<App> = ToolkitFromGeneratedModule<App> | ToolSource<App> | HostedTool;

/** Tools ready to be called and to be sent. */
export interface CollectedTools {
  readonly byName: ReadonlyMap<string, RunnableTool>;
  readonly specs: readonly ToolSpec[];
}

/**
 * Turns what an agent was given into tools.
 *
 * @throws ToolwrightError `TOOL_UNREGISTERED` or `RUN_OPTIONS` for something that is no tool, `TOOL_NAME_CLASH` for two of one name.
 */
export function collectTools(given: readonly unknown[]): CollectedTools {
  const tools: RunnableTool[] = [];
  const hosted: HostedTool[] = [];
  for (const [index, entry] of given.entries()) {
    if (isSource(entry)) tools.push(...entry["~toolwright.tools"].tools());
    else if (isHosted(entry)) hosted.push(entry);
    else tools.push(...instanceTools(entry, index));
  }
  assertDistinct(tools);
  const byName = new Map(tools.map((tool) => [tool.info.name, tool]));
  return { byName, specs: Object.freeze([...tools.map(functionSpec), ...hosted]) };
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

function isSource(entry: unknown): entry is ToolSource {
  return typeof entry === "object" && entry !== null && "~toolwright.tools" in entry;
}

function isHosted(entry: unknown): entry is HostedTool {
  if (typeof entry !== "object" || entry === null || toolkitRecord(entry) !== undefined) return false;
  const plain = Object.getPrototypeOf(entry) === Object.prototype || Object.getPrototypeOf(entry) === null;
  const type = (entry as { type?: unknown }).type;
  return plain && typeof type === "string" && type !== "function";
}

function instanceTools(entry: unknown, index: number): readonly RunnableTool[] {
  if (typeof entry === "function") {
    throw new ToolwrightError("RUN_OPTIONS", `tools[${index}] is the class or function ${entry.name || "without a name"}, not an instance.`, {
      fix: `Write \`new ${entry.name || "Toolkit"}(…)\`, or \`defineTool({ … })\` for a function.`,
    });
  }
  if (typeof entry !== "object" || entry === null) {
    throw new ToolwrightError("RUN_OPTIONS", `tools[${index}] is ${entry === null ? "null" : typeof entry}.`, { fix: "Pass an instance of a tool class." });
  }
  const record = toolkitRecord(entry);
  if (record !== undefined) return toolkitTools(entry, record);
  throw unregistered(entry, index);
}

function unregistered(entry: object, index: number): ToolwrightError {
  const name = (entry.constructor as { name?: string } | undefined)?.name ?? "";
  if (name === "" || name === "Object") {
    return new ToolwrightError("RUN_OPTIONS", `tools[${index}] is a plain object, not a tool.`, { fix: "Make it with `defineTool({ … })`." });
  }
  const base = registeredBase(entry);
  const why =
    base === undefined
      ? `The class ${name} is not registered: it was not built, or it was imported from its own source file`
      : `The class ${name} is not registered, only its base class ${base.className} is`;
  return new ToolwrightError("TOOL_UNREGISTERED", `${why} (tools[${index}]).`, {
    fix: `Export ${name}, run \`npx toolwright build\`, and write \`import { ${name} } from "./toolwright.generated.js"\`.`,
    details: { className: name },
  });
}

// Names that differ in case only are told apart by the API, but not reliably by a model.
function assertDistinct(tools: readonly RunnableTool[]): void {
  const owners = new Map<string, RunnableTool>();
  for (const tool of tools) {
    const key = tool.info.name.toLowerCase();
    const other = owners.get(key);
    if (other !== undefined) {
      throw new ToolwrightError("TOOL_NAME_CLASH", `Two tools are named ${tool.info.name}: ${other.info.identity} and ${tool.info.identity}.`, {
        details: { name: tool.info.name, owners: [other.info.identity, tool.info.identity] },
      });
    }
    owners.set(key, tool);
  }
}
