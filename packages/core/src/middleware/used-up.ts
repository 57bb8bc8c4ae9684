import type { ModelCall } from "../contracts/middleware.js";
import type { SkippedOutcome } from "../contracts/outcome.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/**
 * What a used-up budget does:
 *
 * - `"throw"`: the run rejects with `RUN_BUDGET`; `error.result` holds the work done.
 * - `"answer"`: what is left is kept for an answer, tools switched off.
 * - `"stop"`: the run resolves with `stopReason: "budget"`.
 */
export type OnExhausted = "throw" | "answer" | "stop";

/** A budget that is used up. */
export interface UsedUp {
  readonly budget: string;
  readonly limit: number;
  /** Without capital and full stop, so that it fits into a sentence, e.g. "the budget of 3 steps is used up". */
  readonly what: string;
}

/** @param unit - in the plural, e.g. "steps". */
export function usedUp(budget: string, limit: number, unit: string): UsedUp {
  const counted = limit === 1 && unit.endsWith("s") && unit !== "ms" ? unit.slice(0, -1) : unit;
  return { budget, limit, what: `the budget of ${limit} ${counted} is used up` };
}

/** The error of a run that ends by it. What had failed just before goes along as the cause. */
export function budgetError(over: UsedUp, cause?: unknown): ToolwrightError {
  const { budget, limit } = over;
  return new ToolwrightError("RUN_BUDGET", sentence(over), { details: { budget, limit }, cause });
}

/** What to throw, so that the run ends in the way that was asked for. */
export function endOfRun(over: UsedUp, onExhausted: OnExhausted, cause?: unknown): Error {
  return onExhausted === "stop" ? new RunStop("budget", sentence(over)) : budgetError(over, cause);
}

const sentence = ({ what }: UsedUp): string => `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;

/** The call as a request for an answer: its tools are switched off, whatever else is set. */
export function answerOnly(call: ModelCall): ModelCall {
  return { ...call, request: { ...call.request, answerOnly: true } };
}

/** Of a call whose output nobody would read. */
export function unread({ what }: UsedUp): SkippedOutcome {
  return { kind: "skipped", reason: `${what}, and no model would read the output.` };
}
