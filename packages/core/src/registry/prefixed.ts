import type { RunnableTool, ToolkitFromGeneratedModule, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { entryTools } from "./entry-tools.js";
import { isToolName } from "./tool-info.js";

/**
 * The same tools under other names: `eu` makes `get_stock` into `eu_get_stock`. So one agent can have two instances of one
 * class, or two sources that use the same names.
 *
 * @param prefix - letters, digits, _ and -.
 * @param tools - an instance of a built tool class, or anything else that brings tools, such as a registry.
 * @example
 * new Agent({ model, tools: [prefixed("eu", new StoreTools(europe)), prefixed("us", new StoreTools(america))] });
 * @throws ToolwrightError `RUN_OPTIONS` for a prefix or a name that the API would not take, `TOOL_UNREGISTERED` for an instance of another class.
 */
export function prefixed<App = unknown>(prefix: string, tools: ToolkitFromGeneratedModule<App> | ToolSource<App>): ToolSource<App> {
  if (typeof prefix !== "string" || !/^[a-zA-Z0-9_-]{1,62}$/.test(prefix)) {
    throw wrong(
      `The prefix ${typeof prefix === "string" ? JSON.stringify(prefix) : typeof prefix} cannot begin a tool's name.`,
      "Use letters, digits, _ and -.",
    );
  }
  const renamed = entryTools(tools, "What `prefixed` was given").map((tool) => rename(prefix, tool));
  return { "~toolwright.tools": { tools: () => renamed } };
}

function rename(prefix: string, tool: RunnableTool): RunnableTool {
  const name = `${prefix}_${tool.info.name}`;
  if (!isToolName(name))
    throw wrong(`${name} has ${name.length} characters, and the API takes names of up to 64.`, "Use a shorter prefix.");
  return { ...tool, info: Object.freeze({ ...tool.info, name }) };
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
