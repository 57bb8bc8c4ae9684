import type { Middleware, ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome, ToolOutput } from "../contracts/outcome.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { outcomeOutput } from "../run/history-outcome.js";
import { outputSize } from "./log-content.js";
import { callDigest, countInvalid, countOutcome, type LoopState, newLoopState, seenCall } from "./loop-state.js";
import { checkOptions, oneOf, type OptionCheck, positiveInteger, textList } from "./options.js";
import { isHostedApproval } from "./tool-kinds.js";

/** Options of {@link loopGuard}. */
export interface LoopGuardOptions {
  /** How often one call may come to the same outcome before the model is told, at least 2. Default 3. */
  readonly repeats?: number | undefined;
  /** How many invalid calls in a row there may be before the model is told. Default 3. */
  readonly invalid?: number | undefined;
  /**
   * How the run ends when the model goes on after it was told. `"throw"` (default): it rejects with `RUN_BUDGET`;
   * `error.result` holds the work done. `"stop"`: it resolves with `stopReason: "budget"`.
   */
  readonly onLoop?: "throw" | "stop" | undefined;
  /** Names of tools that are meant to be called again and again, such as one that asks whether a job is done. */
  readonly ignore?: readonly string[] | undefined;
}

/**
 * Notices that the model turns in a circle: the same call (tool and arguments) with the same outcome for the third time,
 * or the third invalid call in a row. The model is told so in that call's output. If it makes the call once more in a later
 * step, the call is not run and the run ends before the next request.
 *
 * A write with a new outcome starts all counts anew, since what was read before may be different now. The counts belong to
 * the run and are kept while it is paused.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, `RUN_BUDGET` with
 * `details: { budget: "loop", limit }`.
 */
export function loopGuard(options: LoopGuardOptions = {}): Middleware {
  checkOptions("loopGuard", options, {
    repeats: atLeastTwo,
    invalid: positiveInteger,
    onLoop: oneOf("throw", "stop"),
    ignore: textList,
  });
  const { repeats = 3, invalid = 3, onLoop = "throw", ignore = [] } = options;
  const guard: Middleware<LoopState> = {
    name: "loopGuard",
    kind: "loopGuard",
    options: { repeats, invalid, onLoop, ...(ignore.length === 0 ? {} : { ignore: [...ignore] }) },
    // It counts calls and not attempts, what a cache answers too; and what it tells must stand outside of a fence, and not be
    // formatted away.
    order: { outside: ["toolErrors", "toolRetry", "cache", "untrusted"] },
    state: newLoopState,

    async wrapModelCall(call, next, { state }) {
      if (state.end === null) return next(call);
      const { reason, limit } = state.end;
      if (onLoop === "stop") throw new RunStop("budget", reason);
      throw new ToolwrightError("RUN_BUDGET", reason, { details: { budget: "loop", limit }, fix: loopFix });
    },

    async wrapToolCall(call, next, { state, run }) {
      // A person looks at each call of a hosted server, and what it came to is not known here.
      const isHosted = call.tool !== undefined && isHostedApproval(call.tool);
      if (isHosted || ignore.includes(call.name)) return next(call);
      if (isToldRepeat(state, call)) {
        const reason = `The model called ${named(call)} again with the same arguments, after it was told that it repeats itself.`;
        state.end = { reason, limit: repeats };
        return { kind: "skipped", reason: "it repeats a call that came to the same again and again, and the run ends here." };
      }
      const outcome = await next(call);
      if (outcome.kind === "interrupted") return outcome;
      const seen = countOutcome(state, call, outcome, run.maxOutputChars);
      countInvalid(state, outcome);
      if (outcome.kind === "invalid" && isLater(state.invalidTold, call)) {
        state.end ??= { reason: "The model went on with invalid calls after it was told.", limit: invalid };
        return outcome;
      }
      if (seen.count >= repeats && seen.told === -1) {
        seen.told = call.step;
        return withNote(outcome, repeatNote(seen.count), run.maxOutputChars);
      }
      if (state.invalid >= invalid && state.invalidTold === -1) {
        state.invalidTold = call.step;
        return withNote(outcome, invalidNote(state.invalid));
      }
      return outcome;
    },
  };
  return guard;
}

const repeatNote = (count: number): string =>
  `[You have made this very call ${count} times, and it came to the same each time. Do not make it again: use what you know, ` +
  "try something else, or say what is missing.]";
const invalidNote = (count: number): string =>
  `[Your last ${count} calls were invalid. Read what is wrong with this one and correct it, or answer without the tool.]`;

const loopFix = "Look at the calls in `error.result.steps`: the tool's answer may not say what to do next.";

// Calls of the same reply were made before the model could read that it repeats itself.
const isLater = (told: number, { step }: ToolCall): boolean => told !== -1 && step > told;

function isToldRepeat(state: LoopState, call: ToolCall): boolean {
  return isLater(seenCall(state, callDigest(call))?.told ?? -1, call);
}

// The model's own word, unless the agent has the tool: it may be anything of any length.
const named = ({ tool }: ToolCall): string => tool?.name ?? "a tool that does not exist";

/**
 * Says it before the output, where no limit cuts it off.
 *
 * @param maxChars - beyond it the end of the output would be cut off, and with it that of a fence. The model has the same
 * output already, so it is left out then.
 */
function withNote(outcome: ToolOutcome, note: string, maxChars = Number.POSITIVE_INFINITY): ToolOutcome {
  const output = outcomeOutput(outcome);
  const shown = note.length + 1 + outputSize(output) > maxChars ? "[The output is the same as before and left out here.]" : output;
  const noted: ToolOutput = typeof shown === "string" ? `${note}\n${shown}` : [{ type: "input_text", text: note }, ...shown];
  const copy = { ...outcome, output: noted };
  // Not enumerable, so that it is never printed by accident: a spread alone would lose it.
  if ("cause" in outcome) Object.defineProperty(copy, "cause", { value: outcome.cause, enumerable: false });
  return copy;
}

const atLeastTwo: OptionCheck = (value) => (positiveInteger(value) === undefined && value !== 1 ? undefined : "a whole number from 2");
