import type { AcceptedRequest } from "./accept-request.js";
import type { Answer } from "./answer.js";
import { effectiveStrict } from "./checks/schemas.js";
import { isRecord, type JsonRecord } from "./json-record.js";
import type { UsageSpec } from "./reply-options.js";

/** The states that a response object is shown in. */
export type ResponseStatus = "queued" | "in_progress" | "completed" | "failed" | "incomplete" | "cancelled";

/** Characters of one token, roughly. */
const charactersPerToken = 4;

/** The status that the answer ends in. A bare `error` leaves a failed response. */
export function finalStatus({ ending }: Answer): ResponseStatus {
  return ending.kind === "error" ? "failed" : ending.kind;
}

/** The response object, with every field of the API's, as of one moment: under way, or given up, it has no output and no usage. */
export function renderResponse(
  request: AcceptedRequest,
  answer: Answer,
  status: ResponseStatus,
  usage: UsageSpec | null | undefined,
): JsonRecord {
  const { body, conversation, store } = request;
  const { ending, createdAt } = answer;
  const over = status !== "queued" && status !== "in_progress" && status !== "cancelled";
  const failed = status === "failed" && (ending.kind === "failed" || ending.kind === "error");
  return {
    id: answer.id,
    object: "response",
    created_at: createdAt,
    status,
    background: request.background,
    completed_at: status === "completed" ? Math.max(createdAt, Math.floor(Date.now() / 1000)) : null,
    conversation: conversation === undefined ? null : { id: conversation.id },
    error: failed ? { code: ending.error.code, message: ending.error.message } : null,
    incomplete_details: status === "incomplete" && ending.kind === "incomplete" ? { reason: ending.reason } : null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    max_tool_calls: body["max_tool_calls"] ?? null,
    model: body["model"] ?? null,
    output: over ? finishedItems(answer) : [],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    prompt: body["prompt"] ?? null,
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    reasoning: { effort: null, summary: null, ...(isRecord(body["reasoning"]) ? body["reasoning"] : {}) },
    safety_identifier: body["safety_identifier"] ?? null,
    service_tier: over ? serviceTier(body["service_tier"]) : (body["service_tier"] ?? "auto"),
    store,
    temperature: body["temperature"] ?? 1,
    text: { format: { type: "text" }, verbosity: "medium", ...(isRecord(body["text"]) ? body["text"] : {}) },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: echoedTools(body["tools"]),
    top_logprobs: body["top_logprobs"] ?? 0,
    top_p: body["top_p"] ?? 1,
    truncation: body["truncation"] ?? "disabled",
    usage: over && usage !== null ? renderUsage(request, answer, usage ?? {}) : null,
    user: body["user"] ?? null,
    metadata: body["metadata"] ?? {},
  };
}

/** What a finished response lists: an item that stayed open is not there. */
const finishedItems = (answer: Answer): readonly JsonRecord[] => answer.items.slice(0, answer.finished);

const serviceTier = (asked: unknown): unknown =>
  asked === "fast" ? "priority" : asked === undefined || asked === null || asked === "auto" ? "default" : asked;

function echoedTools(tools: unknown): readonly unknown[] {
  if (!Array.isArray(tools)) return [];
  return (tools as readonly unknown[]).map((tool) =>
    isRecord(tool) && tool["type"] === "function" ? { description: null, ...tool, strict: effectiveStrict(tool) } : tool,
  );
}

function renderUsage(request: AcceptedRequest, answer: Answer, spec: UsageSpec): JsonRecord {
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / charactersPerToken);
  const input =
    spec.inputTokens ?? tokens(request.context) + tokens(request.body["instructions"] ?? "") + tokens(request.body["tools"] ?? []);
  const output = spec.outputTokens ?? tokens(answer.items);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: spec.cachedInputTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: spec.reasoningTokens ?? 0 },
    total_tokens: input + output,
  };
}
