import { replyText } from "../run/history-items.js";
import type { Item } from "../contracts/item.js";
import type { ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** A response object as it may come: nothing in it is taken for granted. */
export interface WireResponse {
  readonly id?: unknown;
  readonly status?: unknown;
  readonly output?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly incomplete_details?: unknown;
}

/**
 * A completed response, from a plain reply.
 *
 * @throws ToolwrightError `MODEL_FAILED`, `MODEL_INCOMPLETE`, `MODEL_PROTOCOL` for anything else, though the HTTP status was 200.
 */
export function completedResponse(reply: unknown): ModelResponse {
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) {
    throw new ToolwrightError(
      "MODEL_PROTOCOL",
      `The server answered with ${Array.isArray(reply) ? "a list" : reply === null ? "null" : typeof reply} instead of a response.`,
    );
  }
  const response = reply as WireResponse;
  if (response.status === undefined && response.error) throw failedResponse(response, "");
  return finishedResponse(response, Array.isArray(response.output) ? (response.output as Item[]) : undefined, "");
}

/** A response that its server calls finished, with the items to take. */
export function finishedResponse(response: WireResponse, output: readonly Item[] | undefined, partialText: string): ModelResponse {
  switch (response.status) {
    case "failed":
    case "cancelled":
      throw failedResponse(response, partialText);
    case "incomplete":
      throw incompleteResponse(response, partialText);
    case "completed":
    case undefined: // Some compatible servers leave it out.
      break;
    default:
      throw new ToolwrightError("MODEL_PROTOCOL", `The response has the status ${JSON.stringify(response.status)}, which is not an end.`, {
        details: { responseId: idOf(response) },
      });
  }
  if (output === undefined) {
    throw new ToolwrightError("MODEL_PROTOCOL", "The server's answer has no list of output items, so it is not a response.", {
      details: { responseId: idOf(response) },
    });
  }
  return { id: idOf(response), output, usage: usageOf(response) };
}

export function failedResponse(response: WireResponse, partialText: string): ToolwrightError {
  const error = (typeof response.error === "object" && response.error !== null ? response.error : {}) as {
    code?: unknown;
    message?: unknown;
  };
  const code = typeof error.code === "string" ? error.code : undefined;
  const reason = typeof error.message === "string" ? error.message : "no reason was given";
  // Passing states of the server; whatever else a response fails with would fail again.
  const retryable = code === "server_error" || code === "rate_limit_exceeded";
  return new ToolwrightError("MODEL_FAILED", `The response ${response.status === "cancelled" ? "was cancelled" : "failed"}: ${reason}`, {
    retryable,
    details: withPartialText({ code, responseId: idOf(response), usage: usageIfAny(response) }, partialText),
  });
}

function incompleteResponse(response: WireResponse, partialText: string): ToolwrightError {
  const reason = (response.incomplete_details as { reason?: unknown } | null | undefined)?.reason;
  const text = partialText || (Array.isArray(response.output) ? replyText(response.output as Item[]).text : "");
  return new ToolwrightError(
    "MODEL_INCOMPLETE",
    `The response was cut off (${typeof reason === "string" ? reason : "no reason was given"}). None of its calls was run.`,
    {
      details: withPartialText({ reason, responseId: idOf(response), usage: usageIfAny(response) }, text),
    },
  );
}

/** Adds the text that came before the break. Not enumerable: it is the model's words, and printing an error must not show them. */
export function withPartialText<Details extends object>(details: Details, partialText: string): Details {
  return Object.defineProperty(details, "partialText", { value: partialText, enumerable: false });
}

/** The id of a response, if it has one. */
export function idOf({ id }: WireResponse): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

function usageIfAny(response: WireResponse): ModelResponse["usage"] | undefined {
  return typeof response.usage === "object" && response.usage !== null ? usageOf(response) : undefined;
}

function usageOf(response: WireResponse): ModelResponse["usage"] {
  const usage = (response.usage ?? {}) as Record<string, unknown>;
  const inner = (key: string, field: string): number => count((usage[key] as Record<string, unknown> | null | undefined)?.[field]);
  const inputTokens = count(usage["input_tokens"]);
  const outputTokens = count(usage["output_tokens"]);
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: inner("input_tokens_details", "cached_tokens"),
    reasoningTokens: inner("output_tokens_details", "reasoning_tokens"),
    totalTokens: count(usage["total_tokens"]) || inputTokens + outputTokens,
  };
}

const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
