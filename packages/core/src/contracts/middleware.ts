import type { RunEvent } from "./event.js";
import type { InputItem } from "./item.js";
import type { JsonObject } from "./json.js";
import type { Model, ModelRequest, ModelResponse } from "./model.js";
import type { ToolOutcome } from "./outcome.js";
import type { RunResult } from "./run.js";
import type { Issue } from "./schema.js";
import type { ToolInfo } from "./tool.js";
import type { Usage } from "./usage.js";

/** What a middleware may read of the run it is in. Counters live here, never in the middleware. */
export interface RunInfo {
  readonly id: string;
  /** Names of the agents-as-tools above this run. */
  readonly path: readonly string[];
  /** Zero-based index of the present step. */
  readonly step: number;
  /** The present step's response, once known. */
  readonly responseId: string | undefined;
  readonly usage: Usage;
  /** The same by the model's name, agents used as tools included: what a cost is counted from. A resumed run counts from its pause on. */
  readonly usageByModel: { readonly [model: string]: Usage };
  /** The agent's model. A model call may ask another one: {@link ModelCall.model}. */
  readonly model: string;
  /** The agent's name; undefined when it was given none. */
  readonly agent: string | undefined;
  /** The caller's context. */
  readonly app: unknown;
  /** Characters of one tool output that the model reads; the kernel cuts what is longer. */
  readonly maxOutputChars: number;
  /** All tools of the agent, whatever the present request offers. */
  readonly tools: readonly ToolInfo[];
  /** True when the consumer of this run's stream has already been given text of the present step. */
  readonly outputSeen: boolean;
  /** Tells a stream's consumer that the text of this step so far is void; resets `outputSeen`. */
  restartStep(): void;
  /** Tells that an attempt of a call begins anew; gives the attempt's number from 2 on. */
  nextAttempt(callId: string): number;
}

/** What each hook gets. */
export interface MiddlewareContext<State extends JsonObject = JsonObject> {
  /** This run's own state; change it in place. JSON, kept when the run is paused. */
  readonly state: Mutable<State>;
  readonly run: RunInfo;
  /** Aborted when the run is: every wait must end with it. */
  readonly signal: AbortSignal;
}

/** State is written in place, so its own properties are not read-only. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A run, as `wrapRun` sees it. */
export interface RunCall {
  readonly input: readonly InputItem[];
}

/** A model call, as `wrapModelCall` sees it. Frozen. */
export interface ModelCall {
  readonly step: number;
  readonly request: ModelRequest;
  /** The model that is asked. `next({ ...call, model })` asks another one: a Model, or a name for the agent's own adapter. */
  readonly model: Model;
  /**
   * Set by a middleware to end this request alone: `next({ ...call, signal })` rejects as soon as it is aborted, with the
   * signal's reason when that is a ToolwrightError, else with `MODEL_TIMEOUT`. The run's own signal holds beside it.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What `next` of `wrapModelCall` takes: a call whose model may be a name. */
export type NextModelCall = Omit<ModelCall, "model"> & { readonly model: Model | string };

/** A request that is about to be made. */
export interface OutgoingRequest {
  /** The model's name. */
  readonly model: string;
  /** Names of the agents-as-tools that make it; empty for the run's own. */
  readonly path: readonly string[];
}

/** A tool call, as `wrapToolCall` sees it. Frozen; `next({ ...call, arguments })` may change `arguments`, `timeoutMs` and
 * `approval` only. */
export interface ToolCall {
  readonly callId: string;
  /** The name the model used. */
  readonly name: string;
  /** Undefined for an unknown tool. */
  readonly tool: ToolInfo | undefined;
  /** Checked, normalised JSON: what the tool will get, absent optionals removed. Empty when invalid. */
  readonly arguments: JsonObject;
  /** The text, exactly as the model wrote it. */
  readonly rawArguments: string;
  /** Set when the call is invalid: `next` then answers `invalid` and runs nothing. */
  readonly issues: readonly Issue[] | undefined;
  readonly step: number;
  /** Constant over attempts and resumes. */
  readonly idempotencyKey: string;
  /** Set by a middleware to give this call less time than its tool has, in milliseconds: `next({ ...call, timeoutMs })`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Set by a middleware to have a person asked before the call runs: `next({ ...call, approval: true })`. It cannot be taken
   * back further in; a call that a person has decided already is not asked about again.
   */
  readonly approval?: true | undefined;
  /** What a person has decided about it; undefined when nobody was asked. `next` acts on it. */
  readonly decided?: "approved" | "denied" | undefined;
}

/** The way inward. */
export type Next<Call, Result> = (call: Call) => Promise<Result>;

/** A layer around a call. It gives back what `next` gave, or something of its own. */
export type Wrap<Call, Result, State extends JsonObject, NextCall = Call> = (
  call: Call,
  next: Next<NextCall, Result>,
  context: MiddlewareContext<State>,
) => Promise<Result>;

/**
 * What a middleware does that others must know of, whatever it is called:
 *
 * - `repeats-model`, `repeats-tool`: it may ask the model, or call a tool, again.
 * - `throws-outcomes`: it ends the run for outcomes that it is given, so that nothing outside of it sees them.
 * - `changes-arguments`: it may pass on other arguments than it was given.
 * - `asks-approval`: it may make a call wait for a person.
 * - `answers-model`, `answers-tool`: it may answer by itself, without `next`.
 */
export type MiddlewareTrait =
  | "repeats-model"
  | "repeats-tool"
  | "throws-outcomes"
  | "changes-arguments"
  | "asks-approval"
  | "answers-model"
  | "answers-tool";

/** Where a middleware stands relative to others, by name or by kind. */
export interface MiddlewareOrder {
  /** This one is outside those. */
  readonly outside?: readonly string[] | undefined;
  /** This one is inside those. */
  readonly inside?: readonly string[] | undefined;
  /** Those must be in the pipeline. */
  readonly requires?: readonly string[] | undefined;
}

/** A middleware. Make one with `defineMiddleware`, which infers its state. First in the list is outermost. */
// oxlint-disable-next-line typescript/no-explicit-any -- a list holds middlewares of every state, and `any` alone is both more and less than each
export interface Middleware<State extends JsonObject = any> {
  /** Unique in a pipeline. To have one twice, rename one: `{ ...logging(), name: "logging2" }`. */
  readonly name: string;
  /** What it is, whatever its name: `order` of others finds it by either. Default: its name. */
  readonly kind?: string | undefined;
  readonly traits?: readonly MiddlewareTrait[] | undefined;
  /** Never there: without it, a function such as `logging` in place of `logging()` would count as a middleware, having a name. */
  readonly apply?: never;
  /** Fresh state for each run. */
  readonly state?: (() => State) | undefined;
  readonly order?: MiddlewareOrder | undefined;
  /** True when a wrap may call `next` more than once. */
  readonly repeats?: boolean | undefined;
  /** Shown by `agent.explain()`. */
  readonly options?: JsonObject | undefined;
  /** Set by a middleware that bounds the run's steps itself: the kernel's own default of 20 then gives way. */
  readonly boundsSteps?: number | undefined;
  readonly wrapRun?: Wrap<RunCall, RunResult<unknown>, State> | undefined;
  readonly wrapModelCall?: Wrap<ModelCall, ModelResponse, State, NextModelCall> | undefined;
  readonly wrapToolCall?: Wrap<ToolCall, ToolOutcome, State> | undefined;
  /**
   * Asked right before each request to a model, of the run itself and of agents used as its tools; throwing refuses the
   * request. A wrap sees only the run's own.
   */
  readonly onRequest?: ((request: OutgoingRequest, context: MiddlewareContext<State>) => void) | undefined;
  /** Observes. What it throws is logged, never felt. */
  readonly onEvent?: ((event: RunEvent, context: MiddlewareContext<State>) => void) | undefined;
}
