import type { JsonObject } from "./json.js";
import type { ToolOutcome } from "./outcome.js";
import type { StopReason } from "./run.js";
import type { Usage } from "./usage.js";

/** What every event carries. */
export interface EventBase {
  readonly runId: string;
  /** Zero-based. */
  readonly step: number;
  /** Of the response that the event belongs to; undefined before it is known. */
  readonly responseId: string | undefined;
  /** Names of the agents-as-tools the event came through; empty for the outermost run. */
  readonly path: readonly string[];
}

/** What happens in a run, without the fields that every event carries. */
export type EventBody =
  | { readonly type: "run-start" }
  | { readonly type: "step-start" }
  /** A message begins, of a model that tells its comments (`"commentary"`) from its answer (`"final_answer"`). */
  | { readonly type: "message-start"; readonly phase: string }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "refusal-delta"; readonly text: string }
  | { readonly type: "tool-input-start"; readonly callId: string; readonly tool: string }
  | { readonly type: "tool-input-delta"; readonly callId: string; readonly delta: string }
  | { readonly type: "tool-input-end"; readonly callId: string; readonly arguments: string }
  | { readonly type: "tool-start"; readonly callId: string; readonly tool: string; readonly arguments: JsonObject | undefined }
  | { readonly type: "tool-attempt"; readonly callId: string; readonly tool: string; readonly attempt: number }
  | { readonly type: "tool-progress"; readonly callId: string; readonly tool: string; readonly update: string | JsonObject }
  | {
      readonly type: "tool-outcome";
      readonly callId: string;
      readonly tool: string;
      readonly outcome: ToolOutcome;
      readonly attempts: number;
      readonly durationMs: number;
    }
  /** What happened in the run of an agent used as a tool, told by that run: its text is not this agent's. */
  | { readonly type: "agent-event"; readonly callId: string; readonly tool: string; readonly event: RunEvent }
  | { readonly type: "interruption"; readonly callId: string; readonly tool: string; readonly reason: "approval" | "unknown-outcome" }
  /** Another agent answers from the next step on. */
  | { readonly type: "handoff"; readonly from: string | undefined; readonly to: string | undefined }
  /** The text of this step so far is void: the model is asked again. */
  | { readonly type: "step-restart" }
  | { readonly type: "step-end"; readonly usage: Usage }
  | { readonly type: "run-end"; readonly stopReason: StopReason | "error"; readonly usage: Usage };

/** An event of a run. Outcomes come in the order in which calls finish. */
export type RunEvent = EventBase & EventBody;
