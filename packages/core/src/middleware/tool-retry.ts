import type { Middleware, ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { backOffDelay, backOffOf } from "./back-off.js";
import { checkOptions, milliseconds, positiveInteger } from "./options.js";
import { wait } from "./wait.js";

/** Options of {@link toolRetry}. */
export interface ToolRetryOptions {
  /** Attempts of one call in all, the first one included. Default 3. */
  readonly attempts?: number | undefined;
  /** Least wait before a repeat, in milliseconds. Default 100. */
  readonly minDelayMs?: number | undefined;
  /** Longest wait before a repeat, in milliseconds. Default 5,000. */
  readonly maxDelayMs?: number | undefined;
}

/**
 * Repeats a tool call that failed and may succeed later: of tools declared `effect: "read"` or `idempotent` only, and
 * only `failed` outcomes marked retryable. Everything else is left as it is: wrong arguments, writes of unknown outcome,
 * refusals, calls waiting for a person, tools whose effect was never declared, and a run that was aborted.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function toolRetry(options: ToolRetryOptions = {}): Middleware {
  checkOptions("toolRetry", options, { attempts: positiveInteger, minDelayMs: milliseconds, maxDelayMs: milliseconds });
  const { attempts = 3 } = options;
  const backOff = backOffOf("toolRetry", options, { minDelayMs: 100, maxDelayMs: 5_000 });
  return {
    name: "toolRetry",
    kind: "toolRetry",
    repeats: true,
    traits: ["repeats-tool"],
    options: { attempts, ...backOff },
    async wrapToolCall(call, next, { run, signal }) {
      let outcome = await next(call);
      for (let attempt = 1; attempt < attempts && mayRepeat(call, outcome) && !signal.aborted; attempt += 1) {
        // An abort ends the wait; the outcome there is stands, and the kernel ends the run.
        if (!(await wait(backOffDelay(backOff, attempt), signal))) break;
        run.nextAttempt(call.callId);
        outcome = await next(call);
      }
      return outcome;
    },
  };
}

function mayRepeat({ tool }: ToolCall, outcome: ToolOutcome): boolean {
  if (tool === undefined || !tool.effectDeclared || !(tool.effect === "read" || tool.idempotent)) return false;
  return outcome.kind === "failed" && outcome.error.retryable && outcome.error.code !== "TOOL_ABORTED";
}
