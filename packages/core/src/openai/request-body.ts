import type { ModelRequest, ToolSpec } from "../contracts/model.js";
import { revealed } from "../errors/secret-fields.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Background } from "./background-options.js";
import { bodyText } from "./body-text.js";
import { sendableTools } from "./deferred-tools.js";
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
  "background",
  "background_options",
]);

/**
 * The body of a request, joined from ready pieces: each item and each list of tools was serialised when it was new.
 *
 * @param model - the model's name on the wire.
 */
export function requestBody(
  model: string,
  request: ModelRequest,
  stream: boolean,
  provider: Provider = "openai",
  background?: Background,
): string {
  const { instructions, toolChoice, settings, state } = request;
  const { include: _include, tool_choice: _choice, parallel_tool_calls, ...rest } = settings;
  const tools = sendableTools(request.tools, request.input);
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
  // A response in the background is kept until it is fetched, and nothing can be fetched that is not stored.
  if (background !== undefined) fields.push(`"background":true`, `"store":true`);
  else if (state.kind === "local") fields.push(`"store":false`);
  if (background !== undefined && background.completionWindow !== "soonest")
    add("background_options", { completion_window: background.completionWindow });
  if (state.kind === "chained") add("previous_response_id", state.previousResponseId);
  if (state.kind === "conversation") add("conversation", state.id);
  add("include", includedFields(request, provider));
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

/** What is asked for beyond the usual. Without encrypted reasoning, reasoning cannot be sent back to a server that keeps nothing. */
export function includedFields({ settings: { include }, state }: ModelRequest, provider: Provider): readonly string[] | undefined {
  if (state.kind !== "local" || !takesEncryptedReasoning(provider)) return include;
  return [...new Set([...(include ?? []), "reasoning.encrypted_content"])];
}

function toolsText(tools: readonly ToolSpec[]): string {
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = JSON.stringify(revealed(tools));
    toolTexts.set(tools, text);
  }
  return text;
}
