import type { Item } from "./item.js";
import type { SchemaNode } from "./schema.js";
import type { Usage } from "./usage.js";
import type { HostedTool } from "./tool.js";

/** A function tool as it is sent: flat, and strict said explicitly. */
export interface FunctionToolSpec {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: SchemaNode;
  readonly strict: boolean;
}

export type ToolSpec = FunctionToolSpec | HostedTool;

/** Which tools the model may or must call. */
export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly name: string }
  | { readonly type: string; readonly [key: string]: unknown };

/**
 * Settings of the model, in the wire's names, sent as they are. What the kernel owns (input, tools, state, streaming) is
 * excluded here and refused by name at run time.
 */
export interface ModelSettings {
  readonly reasoning?:
    | {
        readonly effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | undefined;
        readonly summary?: "auto" | "concise" | "detailed" | undefined;
        readonly context?: "auto" | "current_turn" | "all_turns" | undefined;
        readonly mode?: "standard" | "pro" | undefined;
      }
    | undefined;
  readonly text?: { readonly verbosity?: "low" | "medium" | "high" | undefined; readonly format?: object | undefined } | undefined;
  readonly tool_choice?: ToolChoice | undefined;
  /** Sent only together with tools: some models refuse it otherwise. */
  readonly parallel_tool_calls?: boolean | undefined;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_logprobs?: number | undefined;
  /** Reasoning tokens count too. */
  readonly max_output_tokens?: number | undefined;
  /** Bounds hosted tool calls only. */
  readonly max_tool_calls?: number | undefined;
  readonly service_tier?: "auto" | "default" | "flex" | "scale" | "priority" | "fast" | "ultrafast" | undefined;
  readonly prompt_cache_key?: string | undefined;
  readonly prompt_cache_options?: object | undefined;
  readonly safety_identifier?: string | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
  readonly truncation?: "auto" | "disabled" | undefined;
  readonly context_management?: readonly object[] | undefined;
  /** `reasoning.encrypted_content` is added by the kernel where it is needed. */
  readonly include?: readonly string[] | undefined;
  readonly prompt?: object | undefined;
  readonly input?: never;
  readonly tools?: never;
  readonly model?: never;
  readonly instructions?: never;
  readonly store?: never;
  readonly previous_response_id?: never;
  readonly conversation?: never;
  readonly stream?: never;
  readonly stream_options?: never;
  readonly background?: never;
}

/** One request to a model. Frozen; a middleware changes it by `next({ ...call, request: { ...call.request, … } })`. */
export interface ModelRequest {
  readonly instructions: string | undefined;
  readonly input: readonly Item[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice | undefined;
  readonly settings: ModelSettings;
  /** Who keeps the history: `local` sends `store: false`. Set by the kernel. */
  readonly state:
    | { readonly kind: "local" }
    | { readonly kind: "chained"; readonly previousResponseId: string | undefined }
    | { readonly kind: "conversation"; readonly id: string };
  /** Set for the last step that a budget keeps for an answer: tools are then switched off, whatever else is set. */
  readonly answerOnly?: boolean | undefined;
}

/** A completed response. Anything else is thrown. */
export interface ModelResponse {
  /** Left out when the server gave none; never invented. */
  readonly id: string | undefined;
  readonly output: readonly Item[];
  /** Without `requests`, which the kernel counts. */
  readonly usage: Omit<Usage, "requests">;
}

/** What an adapter tells while a response comes in. Observation only: nothing acts on it. */
export type ModelDelta =
  | { readonly type: "response-start"; readonly responseId: string | undefined }
  /** A message begins, of a model that tells its comments from its answer: the texts that follow are its. */
  | { readonly type: "message-start"; readonly phase: string }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "refusal-delta"; readonly text: string }
  | { readonly type: "tool-input-start"; readonly callId: string; readonly tool: string }
  | { readonly type: "tool-input-delta"; readonly callId: string; readonly delta: string }
  | { readonly type: "tool-input-end"; readonly callId: string; readonly arguments: string };

/** How a request is made. */
export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** True asks for a stream, false for one JSON reply. */
  readonly stream: boolean;
  /** May give back a promise: the adapter then waits before it reads on (back-pressure). */
  onDelta(delta: ModelDelta): void | Promise<void>;
}

/**
 * An adapter to a model.
 *
 * `respond` resolves after the response is `completed`, and rejects with a `ToolwrightError` (`MODEL_…`) for everything
 * else: `failed`, `incomplete`, an `error` event, a cut connection, a bare end of stream.
 */
export interface Model {
  readonly name: string;
  respond(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse>;
}
