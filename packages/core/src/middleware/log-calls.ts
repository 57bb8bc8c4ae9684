import type { RunEvent } from "../contracts/event.js";
import type { LoggedCall } from "./log-content.js";

/** Arguments of the calls of each run's present step, so that nothing is kept for longer than a step. */
export class StepCalls {
  readonly #runs = new Map<string, Map<string, LoggedCall>>();

  note(runId: string, callId: string, call: LoggedCall): void {
    let run = this.#runs.get(runId);
    if (run === undefined) this.#runs.set(runId, (run = new Map()));
    run.set(callId, { ...run.get(callId), ...call });
  }

  /** Undefined for a call of which nothing was told. */
  get(runId: string, callId: string): LoggedCall | undefined {
    return this.#runs.get(runId)?.get(callId);
  }

  all(runId: string): readonly LoggedCall[] {
    return [...(this.#runs.get(runId)?.values() ?? [])];
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }
}

const perTarget = new WeakMap<object, WeakSet<RunEvent>>();

/** An agent used as a tool passes its events up: when both agents log to one place, each still has one line. */
export function eventsLoggedBy(target: object): { first(event: RunEvent): boolean } {
  let events = perTarget.get(target);
  if (events === undefined) perTarget.set(target, (events = new WeakSet()));
  const known = events;
  return {
    first(event) {
      if (known.has(event)) return false;
      known.add(event);
      return true;
    },
  };
}
