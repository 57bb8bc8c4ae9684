import type { RunnableTool, ToolGroup, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { AppOfTools } from "./app-of-tools.js";
import type { AgentTool } from "./collect-tools.js";
import { entryTools } from "./entry-tools.js";
import { isHostedTool } from "./hosted-tools.js";
import { isToolName } from "./tool-info.js";

/** Options of {@link toolNamespace}. */
export interface ToolNamespaceOptions<Tools> {
  /** Up to 64 letters, digits, _ and -. */
  readonly name: string;
  /** What the tools are about: with deferred tools, it is all that the model knows of them at first. */
  readonly description: string;
  /** Instances of built tool classes, registries, `defineTool` and `customTool` tools. The API advises fewer than ten. */
  readonly tools: Tools;
  /** True has the API's own search load the tools when the model looks for them; the agent then needs `{ type: "tool_search" }`. Default false. */
  readonly deferred?: boolean | undefined;
}

const optionNames = ["name", "description", "tools", "deferred"];

/**
 * Groups tools under one name for the model, for models and providers that have namespaces. Calls carry the name and are
 * answered like any others. The tools keep names of their own, which must differ from those of all other tools of the agent.
 *
 * @example
 * const crm = toolNamespace({ name: "crm", description: "Customers and their orders.", tools: [new CrmTools()], deferred: true });
 * new Agent({ model, tools: [crm, { type: "tool_search" }] });
 * @throws ToolwrightError `TOOL_DEFINITION` for a wrong option, and what is thrown for something that is no tool.
 */
export function toolNamespace<const Tools extends readonly Exclude<AgentTool<never>, { readonly type: string }>[]>(
  options: ToolNamespaceOptions<Tools>,
): ToolSource<AppOfTools<Tools>> {
  const { name, description, tools, deferred = false } = checked(options);
  const group: ToolGroup = Object.freeze({ name, description, deferred });
  const grouped = tools.flatMap((entry, index): RunnableTool[] => {
    const place = `toolNamespace({ tools })[${index}]`;
    if (isHostedTool(entry)) throw wrong(name, `holds a tool of the provider's own, "${entry.type}"`, "Put it beside the namespace.");
    return entryTools(entry, place).map((tool) => {
      if (tool.group !== undefined) throw wrong(name, `holds another one, ${tool.group.name}`, "Put them beside each other.");
      return { ...tool, group };
    });
  });
  if (grouped.length === 0) throw wrong(name, "holds no tool", "Give it tools, or leave it out.");
  return { "~toolwright.tools": { tools: () => grouped } };
}

function checked<Tools>(options: ToolNamespaceOptions<Tools>): ToolNamespaceOptions<readonly unknown[]> {
  const given = (options ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const { name, description, tools, deferred } = given;
  const stranger = Object.keys(given).find((key) => !optionNames.includes(key));
  if (!isToolName(name)) throw wrong(name, "has a name that the API does not take", "Use up to 64 letters, digits, _ and -.");
  if (stranger !== undefined) throw wrong(name, `has no option ${JSON.stringify(stranger)}`, `The options are ${optionNames.join(", ")}.`);
  if (typeof description !== "string" || description.trim() === "")
    throw wrong(name, "has no description", "Say what its tools are about: the model chooses by it.");
  if (!Array.isArray(tools)) throw wrong(name, "has no list of tools", "Write `tools: [new CrmTools()]`.");
  if (deferred !== undefined && typeof deferred !== "boolean")
    throw wrong(name, `has a \`deferred\` that is a ${typeof deferred}`, "Use true or false.");
  return options as ToolNamespaceOptions<readonly unknown[]>; // looked at just now
}

const wrong = (name: unknown, what: string, fix: string): ToolwrightError =>
  new ToolwrightError(
    "TOOL_DEFINITION",
    `The namespace ${typeof name === "string" ? name : `with a name that is a ${typeof name}`} ${what}.`,
    {
      fix,
    },
  );
