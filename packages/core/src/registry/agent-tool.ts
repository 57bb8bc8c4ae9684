import type { InputItem } from "../contracts/item.js";
import type { NestedAgent, RunnableTool, ToolEffect } from "../contracts/tool.js";
import { type DefinedTool, defineTool, type DefineToolOptions } from "./define-tool.js";

/** How an agent becomes a tool of another one. */
export interface AgentToolOptions<Parameters extends object, App> extends Pick<
  DefineToolOptions<Parameters, App>,
  "name" | "description" | "approval" | "maxCalls" | "tags"
> {
  /** The tool's arguments. Default: one text, `input`. */
  readonly parameters?: Parameters | undefined;
  /** Makes the inner run's input of the arguments. Default: `input`, or the arguments as JSON. */
  readonly input?: ((args: Record<string, unknown>) => string | readonly InputItem[]) | undefined;
  /** Makes what the outer model reads of the answer. Default: the answer itself. */
  readonly show?: ((output: unknown) => unknown) | undefined;
  /** Milliseconds that one inner run may take. Default 600 000. */
  readonly timeoutMs?: number | undefined;
}

const oneText = {
  type: "object",
  properties: {
    input: { type: "string", description: "The task, with all that is needed to do it: nothing else of this conversation is known there." },
  },
  required: ["input"],
} as const;

/**
 * A tool whose calls are answered by runs of another agent.
 *
 * @param reads - whether the inner agent certainly does nothing but read.
 */
export function agentTool<App>(options: AgentToolOptions<object, App>, kernel: () => object, reads: boolean): DefinedTool<App> {
  const { parameters = oneText, input, show = (output) => output, timeoutMs = 600_000, ...rest } = options;
  const effect: ToolEffect = reads ? "read" : "write";
  const defined = defineTool({
    ...rest,
    parameters,
    timeoutMs,
    effect,
    execute: (args: Record<string, unknown>) =>
      input?.(args) ?? (typeof args["input"] === "string" && parameters === oneText ? args["input"] : JSON.stringify(args)),
  } as DefineToolOptions<object, App>);
  const agent: NestedAgent = { kernel, show };
  const nested = defined["~toolwright.tools"].tools().map((tool): RunnableTool => {
    const info = Object.freeze({ ...tool.info, identity: `app#${tool.info.name}.agent` });
    return { ...tool, info, agent };
  });
  return { name: options.name, "~toolwright.tools": { tools: () => nested } };
}
