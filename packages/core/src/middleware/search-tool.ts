import type { ToolCall } from "../contracts/middleware.js";
import type { FunctionToolSpec } from "../contracts/model.js";
import type { InvalidOutcome, OkOutcome } from "../contracts/outcome.js";
import type { ObjectSchema } from "../contracts/schema.js";
import type { ToolInfo } from "../contracts/tool.js";
import { compileArguments } from "../schema/compile-schema.js";
import { parseArguments } from "../schema/parse-arguments.js";
import { findTools } from "./find-tools.js";

/** A search for tools, as the model calls it. */
export interface SearchTool {
  readonly spec: FunctionToolSpec;
  /** Answers a call; `found` are the names of tools that can be called from the next step on. */
  answer(call: ToolCall, tools: readonly ToolInfo[]): { readonly outcome: OkOutcome | InvalidOutcome; readonly found: readonly string[] };
}

const parameters: ObjectSchema = Object.freeze({
  type: "object",
  properties: { query: { type: "string", description: 'What the tool should do, in a few words, e.g. "cancel an order".' } },
  required: ["query"],
  additionalProperties: false,
});

/** Makes the tool that finds other tools. */
export function searchTool(name: string, limit: number): SearchTool {
  const checker = compileArguments(parameters, undefined, "the search for tools");
  const spec: FunctionToolSpec = Object.freeze({
    type: "function",
    name,
    description: "Finds further tools by what they do. Use it when none of your tools fits: what it finds can be called afterwards.",
    parameters,
    strict: true,
  });
  return {
    spec,
    answer({ rawArguments }, tools) {
      const parsed = parseArguments(rawArguments);
      const checked = parsed.ok ? checker.check(parsed.value) : parsed;
      if (!checked.ok) {
        const message = `The arguments of ${name} do not fit its schema. Nothing was run.`;
        const error = { code: "TOOL_ARGUMENTS_INVALID", message, retryable: false, issues: checked.issues };
        return { outcome: { kind: "invalid", error }, found: [] };
      }
      const found = findTools(tools, String(checked.arguments["query"]), limit);
      const output = JSON.stringify(
        found.length === 0
          ? { tools: [], note: `No tool fits these words. Try others.${topics(tools)}` }
          : { tools: found.map(({ name: tool, description }) => ({ name: tool, description })), note: "You can call these tools now." },
      );
      return { outcome: { kind: "ok", output }, found: found.map((tool) => tool.name) };
    },
  };
}

function topics(tools: readonly ToolInfo[]): string {
  const tags = [...new Set(tools.flatMap((tool) => tool.tags))].slice(0, 30);
  return tags.length === 0 ? "" : ` There are tools about: ${tags.join(", ")}.`;
}
