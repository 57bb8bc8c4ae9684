import type { RunnableTool } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { type DefinedTool, defineTool } from "./define-tool.js";

/** How a handoff is called and described to the model. */
export interface HandoffOptions {
  /** Name of the tool. Default `transfer_to_` and the agent's name in lower case with underscores. */
  readonly name?: string | undefined;
  /** When to hand over. */
  readonly description?: string | undefined;
}

/** What a handoff needs of an agent. */
export interface HandoffTarget<App = unknown> {
  readonly "~toolwright.agent": { readonly name: string | undefined; kernel(): object; readonly app?: ((app: App) => void) | undefined };
}

/**
 * A tool by which the model lets another agent go on with the run. That agent brings its model, instructions, tools, settings
 * and output. The pipeline, the limits and the history stay those of the run: the whole conversation so far, with the call of
 * the handoff and its output, is what the other agent sees. The next run begins with the first agent again.
 *
 * @param target - an agent with a name, or a function that gives it, for agents that hand over to each other.
 * @example
 * const agent = new Agent({ name: "desk", model, tools: [handoff(billing, { description: "For questions about invoices." })] });
 * @throws ToolwrightError `TOOL_DEFINITION` for a name that the API does not take.
 */
export function handoff<App>(target: HandoffTarget<App>, options?: HandoffOptions): DefinedTool<App>;
export function handoff<App>(target: () => HandoffTarget<App>, options: HandoffOptions & { readonly name: string }): DefinedTool<App>;
export function handoff<App>(target: HandoffTarget<App> | (() => HandoffTarget<App>), options: HandoffOptions = {}): DefinedTool<App> {
  const agentOf = (): HandoffTarget<App>["~toolwright.agent"] => {
    const agent = (typeof target === "function" ? target() : target) as HandoffTarget<App> | undefined;
    if (agent?.["~toolwright.agent"] === undefined) {
      throw new ToolwrightError("RUN_OPTIONS", "A handoff is to something that is no agent.", {
        fix: "Write `handoff(agent)`, or `handoff(() => agent, { name })`.",
      });
    }
    return agent["~toolwright.agent"];
  };
  const agentName = typeof target === "function" ? undefined : agentOf().name;
  if (options.name === undefined && agentName === undefined) {
    throw new ToolwrightError("RUN_OPTIONS", "A handoff needs a name, and its agent has none.", {
      fix: 'Write `new Agent({ name: "billing", … })`, or `handoff(agent, { name: "transfer_to_billing" })`.',
    });
  }
  const name = options.name ?? `transfer_to_${snakeCase(agentName as string)}`;
  const description = options.description ?? `Hands the conversation over to ${agentName ?? "another agent"}.`;
  const defined = defineTool({
    name,
    description,
    effect: "read",
    parameters: { type: "object", properties: {}, required: [] },
    execute: () => `Handed over to ${agentOf().name ?? "the other agent"}.`,
  });
  const tools = defined["~toolwright.tools"].tools().map((tool): RunnableTool => {
    const info = Object.freeze({ ...tool.info, identity: `app#${name}.handoff` });
    return { ...tool, info, handoff: { kernel: () => agentOf().kernel() } };
  });
  return { name, "~toolwright.tools": { tools: () => tools } };
}

const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^a-zA-Z0-9]+/g, "_")
    .toLowerCase();
