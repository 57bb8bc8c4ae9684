import type { ModelCall, NextModelCall, ToolCall } from "../contracts/middleware.js";
import type { ModelRequest, ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { Usage } from "../contracts/usage.js";
import { safely } from "../errors/safely.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { callsIn } from "../run/history-calls.js";
import { replyItems } from "./reply-items.js";
import type { Attributes } from "./trace-api.js";

// Names by the GenAI semantic conventions of OpenTelemetry (status: development):
// https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai.

/** The name of the model that is asked: a layer outside may have put the name alone. */
export function modelName({ model }: ModelCall | NextModelCall): string {
  return typeof model === "string" ? model : String(model?.name);
}

/** Of a request, before it is made. */
export function requestAttributes(request: ModelRequest): Attributes {
  const { settings, state } = request;
  const format = (settings.text?.format ?? {}) as { readonly type?: unknown };
  return {
    "gen_ai.conversation.id": state.kind === "conversation" ? state.id : undefined,
    "gen_ai.output.type": format.type === "json_schema" || format.type === "json_object" ? "json" : undefined,
    "gen_ai.request.max_tokens": settings.max_output_tokens,
    "gen_ai.request.temperature": settings.temperature,
    "gen_ai.request.top_p": settings.top_p,
  };
}

/** Of a completed response. */
export function responseAttributes(response: ModelResponse): Attributes {
  const called = callsIn(replyItems(response)).length > 0;
  return {
    "gen_ai.response.id": response.id,
    "gen_ai.response.finish_reasons": [called ? "tool_call" : "stop"],
    ...usageAttributes(response.usage),
  };
}

/** Tokens of a request, or of a run. */
export function usageAttributes(usage: Omit<Usage, "requests"> | undefined): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoningTokens,
  };
}

/** Of a call. A name that no tool has is the model's own text, so that it is left out of what is counted by it. */
export function toolAttributes(call: ToolCall): Attributes {
  return {
    "gen_ai.tool.name": call.tool === undefined ? "_OTHER" : call.name,
    "gen_ai.tool.type": call.tool === undefined ? undefined : "function",
    "gen_ai.tool.call.id": call.callId.slice(0, 128),
  };
}

/** What an outcome says of the operation's success: `error.type`, or undefined when it is no error. */
export function outcomeError(outcome: ToolOutcome): string | undefined {
  return outcome.kind === "invalid" || outcome.kind === "failed" || outcome.kind === "unknown" ? outcome.error.code : undefined;
}

/** What something thrown is: a code of the catalogue, or the name of an error. Never its message, which may quote a prompt. */
export function errorType(thrown: unknown): string {
  if (ToolwrightError.is(thrown)) return thrown.code;
  return safely(() => (thrown instanceof Error && /^\w{1,60}$/.test(thrown.name) ? thrown.name : "_OTHER"), "_OTHER");
}
