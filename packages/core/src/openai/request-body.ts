import type { ModelRequest, ToolSpec } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { bodyText } from "./body-text.js";
import { itemsFor, type Provider, takesEncryptedReasoning } from "./providers.js";

// The tools of an agent are one frozen list for all its steps: serialised once.
const toolTexts = new WeakMap<readonly ToolSpec[], string>();

// Settings that are frozen, such as an output's format, are the same for all steps: serialised once.
const frozenTexts = new WeakMap<object, string>();

function settingText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !Object.isFrozen(value)) return JSON.stringify(value);
  const known = frozenTexts.get(value) ?? JSON.stringify(value);
  frozenTexts.set(value, known);
  return known;
}

const kernelFields: ReadonlySet<string> = new Set([
  "model",
  "input",
  "instructions",
  "tools",
  "store",
  "previous_response_id",
  "conversation",
  "stream",
]);

/**
 * The body of a request, joined from ready pieces: each item and each list of tools was serialised when it was new.
 *
 * @param model - the model's name on the wire.
 */
export function requestBody(model: string, request: ModelRequest, stream: boolean, provider: Provider = "openai"): string {
  const { instructions, tools, toolChoice, settings, state } = request;
  const { include, tool_choice: _, parallel_tool_calls, ...rest } = settings;
  const fields: string[] = [`"model":${JSON.stringify(model)}`];
  const add = (name: string, value: unknown): void => {
    if (value !== undefined) fields.push(`"${name}":${JSON.stringify(value)}`);
  };
  add("instructions", instructions?.toWellFormed());
  if (tools.length > 0) {
    fields.push(`"tools":${toolsText(tools)}`);
    add("tool_choice", toolChoice);
    // Some models refuse it in a request without tools.
    add("parallel_tool_calls", parallel_tool_calls);
  }
  if (state.kind === "local") fields.push(`"store":false`);
  if (state.kind === "chained") add("previous_response_id", state.previousResponseId);
  if (state.kind === "conversation") add("conversation", state.id);
  // Without it, reasoning cannot be sent back to a server that keeps nothing.
  const included =
    state.kind === "local" && takesEncryptedReasoning(provider)
      ? [...new Set([...(include ?? []), "reasoning.encrypted_content"])]
      : include;
  add("include", included);
  if (stream) fields.push(`"stream":true`);
  for (const [name, value] of Object.entries(rest)) {
    if (kernelFields.has(name) && value !== undefined) {
      throw new ToolwrightError("RUN_MIDDLEWARE", `A middleware set \`settings.${name}\` of a request, which belongs to the run.`, {
        fix: "Change the field of the request that it belongs to, such as `input` or `tools`.",
      });
    }
    if (value !== undefined) fields.push(`"${name}":${settingText(value)}`);
  }
  return bodyText(itemsFor(provider, request.input), fields.join(","));
}

function toolsText(tools: readonly ToolSpec[]): string {
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = JSON.stringify(tools);
    toolTexts.set(tools, text);
  }
  return text;
}
