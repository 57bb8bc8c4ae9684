import type { ToolOutcome } from "../contracts/outcome.js";
import type { CallRecord, Interruption, RunState } from "../contracts/run.js";
import type { Usage } from "../contracts/usage.js";
import { undecided } from "./outcomes.js";

/** A step whose calls wait for a person, those that do not beside them. */
export interface PausedStep {
  readonly interruptions: readonly Interruption[];
  readonly calls: readonly CallRecord[];
  readonly usage: Usage;
}

/** What a store knows a pause by. */
export const pauseOf = ({ runId, pauses }: Pick<RunState, "runId" | "pauses">): string => `${runId}#${pauses}`;

/** The calls of a paused step when its pause is over: those that waited have come to `outcome`. */
export function endedPause({ calls }: PausedStep, outcome: ToolOutcome): readonly CallRecord[] {
  return calls.map((call) =>
    call.outcome.kind === "interrupted" ? Object.freeze({ ...call, outcome: undecided(call.outcome, outcome) }) : call,
  );
}
