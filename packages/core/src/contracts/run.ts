import type { HistoryOption } from "./history.js";
import type { Item } from "./item.js";
import type { JsonObject } from "./json.js";
import type { ToolOutcome } from "./outcome.js";
import type { Usage } from "./usage.js";

/** Why a run stopped. The model's own reason is another thing: the field calls that "finish reason". */
export type StopReason = "completed" | "interrupted" | "budget" | "refused";

/** One call of a step and what became of it. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  /** Checked arguments; undefined when they were invalid. */
  readonly arguments: JsonObject | undefined;
  readonly outcome: ToolOutcome;
  /** 0 when the tool never started. */
  readonly attempts: number;
  readonly durationMs: number;
}

/** One reply of the model and the calls it asked for. */
export interface StepRecord {
  /** Zero-based. */
  readonly index: number;
  readonly responseId: string | undefined;
  readonly calls: readonly CallRecord[];
  readonly usage: Usage;
}

/** A call that waits for a person. */
export interface Interruption {
  /** What a decision names it by. Of a call inside an agent used as a tool: the ids from the outermost call on, joined by "/". */
  readonly callId: string;
  /** Names of the agents-as-tools that the call was made in; left out at the top. */
  readonly path?: readonly string[] | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly reason: "approval" | "unknown-outcome";
}

/** A call of a paused step, as it is kept in a {@link RunState}. */
export interface CallState {
  readonly callId: string;
  /** Identity of the tool (`package#Class.method`), undefined for an unknown one. */
  readonly tool: string | undefined;
  /** Hash of the tool's schema and options when the run was paused. */
  readonly toolHash: string | undefined;
  readonly arguments: JsonObject | undefined;
  /** What a person was shown and what would have run, where a middleware had changed the arguments. */
  readonly shown?: JsonObject | undefined;
  readonly attempts: number;
  readonly durationMs: number;
  /** Undefined for a call that waits behind another one on its key. */
  readonly outcome: ToolOutcome | undefined;
  /** The paused inner run of an agent used as a tool. */
  readonly agent?: RunState | undefined;
  /** A person's decision that could not be carried out yet, since the call waits for something else now. */
  readonly decision?: Decision | undefined;
}

/** A paused run as JSON: put it in any store, and give it to `agent.resume()`. */
export interface RunState {
  readonly version: 1;
  readonly runId: string;
  readonly step: number;
  /** The handoff tools by which the run came to the agent that answers now. */
  readonly handoffs?: readonly string[] | undefined;
  readonly history: HistoryOption;
  readonly responseId: string | undefined;
  /** Items of the run so far, the paused step's reply included. */
  readonly items: readonly Item[];
  /** The paused step's reply alone. */
  readonly reply: readonly Item[];
  readonly calls: readonly CallState[];
  readonly steps: readonly StepRecord[];
  readonly usage: Usage;
  /** Usage when the paused step began. */
  readonly usageBefore: Usage;
  /** Calls of each tool so far, for `maxCalls`. */
  readonly toolCalls: { readonly [tool: string]: number };
  /** State of each middleware, by name. */
  readonly middleware: { readonly [name: string]: JsonObject };
  /** How often the run has paused, this time included. */
  readonly pauses: number;
  /** True once a tool that is no read has started. */
  readonly acted?: boolean | undefined;
  /** Answers so far that did not fit the output and were given back to the model. */
  readonly outputRepairs?: number | undefined;
  /** Writes of unknown outcome: the idempotency key of each by tool and arguments. */
  readonly unknownWrites?: { readonly [write: string]: string } | undefined;
  /** Of everything above, where the agent has a `stateSecret`. */
  readonly signature?: string | undefined;
}

/** A person's decision about one interrupted call. */
export type Decision =
  | { readonly callId: string; readonly approve: true; readonly arguments?: JsonObject | undefined }
  | { readonly callId: string; readonly approve: false; readonly reason?: string | undefined }
  /** The unknown write did happen, with this output. */
  | { readonly callId: string; readonly resolve: "done"; readonly output: unknown }
  /** The unknown write did not happen. */
  | { readonly callId: string; readonly resolve: "absent" };

interface ResultBase {
  readonly runId: string;
  /** Name of the agent that answered last; undefined when it was given none. */
  readonly agent: string | undefined;
  /** New items, verbatim: the input, each reply, each output. */
  readonly items: readonly Item[];
  /** What the next run starts from. Always accepted by the API. */
  readonly history: HistoryOption;
  readonly steps: readonly StepRecord[];
  readonly usage: Usage;
  readonly interruptions: readonly Interruption[];
}

/** The model answered. */
export interface CompletedResult<Output> extends ResultBase {
  readonly stopReason: "completed";
  readonly output: Output;
  readonly state?: undefined;
}
/** Calls wait for a person: give `state` to `agent.resume()`. */
export interface InterruptedResult extends ResultBase {
  readonly stopReason: "interrupted";
  readonly output?: undefined;
  readonly state: RunState;
}
/** A budget with `onExhausted: "stop"` ended the run. */
export interface BudgetResult extends ResultBase {
  readonly stopReason: "budget";
  readonly reason: string;
  readonly output?: undefined;
  readonly state?: undefined;
}
/** The model refused. */
export interface RefusedResult extends ResultBase {
  readonly stopReason: "refused";
  readonly refusal: string;
  readonly output?: undefined;
  readonly state?: undefined;
}

/** What a run ended with, told apart by `stopReason`. */
export type RunResult<Output = string> = CompletedResult<Output> | InterruptedResult | BudgetResult | RefusedResult;

/** What `error.result` of a failed run holds: the work done until then. */
export interface FailedResult extends ResultBase {
  readonly stopReason: "error";
  /** Calls whose outcome is unknown: started writes that may have happened. */
  readonly unknownCalls: readonly CallRecord[];
}
