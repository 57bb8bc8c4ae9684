import type { RunEvent } from "../contracts/event.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { LoggedCall } from "./log-content.js";

/** Arguments of the calls of each run's present step, so that nothing is kept for longer than a step. */
export class StepCalls {
  readonly #runs = new Map<string, Map<string, LoggedCall>>();

  note(runId: string, callId: string, call: LoggedCall): void {
    let run = this.#runs.get(runId);
    if (run === undefined) this.#runs.set(runId, (run = new Map()));
    run.set(callId, { ...run.get(callId), ...call });
  }

  get(runId: string, callId: string): LoggedCall {
    return this.#runs.get(runId)?.get(callId) ?? {};
  }

  all(runId: string): readonly LoggedCall[] {
    return [...(this.#runs.get(runId)?.values() ?? [])];
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }
}

/** Which outcomes a log has a line for already. */
export interface LoggedOutcomes {
  /** True the first time that an outcome is given. */
  first(event: Extract<RunEvent, { readonly type: "tool-outcome" }>): boolean;
}

const perTarget = new WeakMap<object, WeakMap<ToolOutcome, Set<string>>>();

/**
 * An agent used as a tool passes its events up: when both agents log to one place, each call still has one line.
 * One outcome object may serve several calls, so that the call's identity is kept with it.
 */
export function outcomesLoggedBy(target: object): LoggedOutcomes {
  let outcomes = perTarget.get(target);
  if (outcomes === undefined) perTarget.set(target, (outcomes = new WeakMap()));
  const known = outcomes;
  return {
    first({ outcome, runId, step, callId }) {
      const key = `${runId} ${step} ${callId}`;
      const keys = known.get(outcome);
      if (keys === undefined) known.set(outcome, new Set([key]));
      else if (keys.has(key)) return false;
      else keys.add(key);
      return true;
    },
  };
}
