import type { Middleware } from "../contracts/middleware.js";
import { checkOption, checkOptions, oneOf, positiveInteger } from "./options.js";
import { answerOnly, endOfRun, type OnExhausted, unread, usedUp } from "./used-up.js";

/** Options of {@link stepBudget}. */
export interface StepBudgetOptions {
  /**
   * - `"throw"` (default): the run rejects with `RUN_BUDGET`; `error.result` holds the work done.
   * - `"answer"`: the last step is kept for an answer, its tools switched off.
   * - `"stop"`: the run resolves with `stopReason: "budget"`.
   */
  readonly onExhausted?: OnExhausted | undefined;
}

/**
 * Bounds a run to `steps` replies of the model. Calls of the last reply are not run but `skipped`, since no model would
 * read their outputs; there is never a step beyond the budget. Repeated requests of one step count as that one step.
 *
 * @param steps - a positive integer.
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong argument; during a run, `RUN_BUDGET` with
 * `details: { budget: "steps", limit }`.
 */
export function stepBudget(steps: number, options: StepBudgetOptions = {}): Middleware {
  checkOption("stepBudget", "steps", steps, positiveInteger);
  checkOptions("stepBudget", options, { onExhausted: oneOf("throw", "answer", "stop") });
  const { onExhausted = "throw" } = options;
  const over = usedUp("steps", steps, "steps");
  return {
    name: "stepBudget",
    kind: "stepBudget",
    boundsSteps: steps,
    options: { steps, onExhausted },
    async wrapModelCall(call, next) {
      if (call.step >= steps) throw endOfRun(over, onExhausted);
      return next(onExhausted === "answer" && call.step === steps - 1 ? answerOnly(call) : call);
    },
    async wrapToolCall(call, next) {
      return call.step < steps - 1 ? next(call) : unread(over);
    },
  };
}
