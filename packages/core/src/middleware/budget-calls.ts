import type { Item } from "../contracts/item.js";
import { callsIn } from "../run/history-calls.js";

/** The calls of a run so far, as its state keeps them. */
export type CountedCalls = {
  /** The step that `ids` belong to. */
  step: number;
  /** Calls of the steps before it. */
  before: number;
  /** Call ids of that step, in the order in which they were counted. */
  ids: string[];
  /** Those of them that were let through: a repetition, or a resumed run, does not ask again. */
  passed: string[];
};

export const noCalls = (): CountedCalls => ({ step: 0, before: 0, ids: [], passed: [] });

/** Counts the calls of a reply in the model's order, before any of them starts, so that none can slip past another. */
export function countReply(calls: CountedCalls, step: number, output: readonly Item[]): void {
  turnTo(calls, step);
  // A reply in the place of an earlier one of this step.
  calls.ids = [...new Set(callsIn(output).map((call) => call.call_id))];
  calls.passed = [];
}

/** How many calls were made before this one. One that no reply announced, such as a cache's, counts when it comes. */
export function callsBefore(calls: CountedCalls, step: number, callId: string): number {
  turnTo(calls, step);
  if (!calls.ids.includes(callId)) calls.ids.push(callId);
  return calls.before + calls.ids.indexOf(callId);
}

/** Calls of the run so far. */
export const callsMade = (calls: CountedCalls): number => calls.before + calls.ids.length;

function turnTo(calls: CountedCalls, step: number): void {
  if (calls.step === step) return;
  calls.before = callsMade(calls);
  calls.step = step;
  calls.ids = [];
  calls.passed = [];
}
