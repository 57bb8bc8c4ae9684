import type { Middleware, ModelCall, RunInfo } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { backOffDelay, backOffOf } from "./back-off.js";
import { abortedIn, endedRequest } from "./deadline.js";
import { checkOptions, milliseconds, oneOf, positiveInteger } from "./options.js";
import { surelyNotTaken } from "./surely-not-taken.js";
import { wait } from "./wait.js";

/** Options of {@link modelRetry}. */
export interface ModelRetryOptions {
  /** Requests in all, the first one included. Default 3. */
  readonly attempts?: number | undefined;
  /** Least wait before a repeat, in milliseconds. Default 500. */
  readonly minDelayMs?: number | undefined;
  /** Longest wait that the back-off chooses, in milliseconds. Default 30,000. A longer one that the server asks for is kept to. */
  readonly maxDelayMs?: number | undefined;
  /**
   * No request begins later than this many milliseconds after the first one began. When the server asks for a longer
   * wait, the request fails at once instead of being repeated too early. Default: unbounded, but a wait of more than
   * ten minutes that the server asks for is not sat out.
   */
  readonly totalMs?: number | undefined;
  /**
   * What to do when text of the failed reply has already reached the consumer of a stream. `"fail"` (default) does not
   * repeat, since the consumer would see the text twice. `"restart"` emits `step-restart`, then repeats.
   */
  readonly afterOutput?: "fail" | "restart" | undefined;
}

const longestServerWaitMs = 600_000;

/**
 * Repeats a failed request to the model, and nothing else: tools that ran in earlier steps are not run again.
 *
 * Repeated are errors marked `retryable` (rate limits, server errors, broken connections, timeouts, streams that end
 * early); quota and other refusals never are. `Retry-After` is a least wait. With a conversation kept by the server, a
 * failure that leaves open whether the request was taken is not repeated: the server might append the input twice.
 * Waiting ends at once when the run is aborted, or when a layer outside ends the request.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function modelRetry(options: ModelRetryOptions = {}): Middleware {
  checkOptions("modelRetry", options, {
    attempts: positiveInteger,
    minDelayMs: milliseconds,
    maxDelayMs: milliseconds,
    totalMs: milliseconds,
    afterOutput: oneOf("fail", "restart"),
  });
  const { attempts = 3, totalMs, afterOutput = "fail" } = options;
  const backOff = backOffOf("modelRetry", options, { minDelayMs: 500, maxDelayMs: 30_000 });
  return {
    name: "modelRetry",
    kind: "modelRetry",
    repeats: true,
    traits: ["repeats-model"],
    options: { attempts, ...backOff, ...(totalMs === undefined ? {} : { totalMs }), afterOutput },
    async wrapModelCall(call, next, { run, signal }) {
      const firstAt = performance.now();
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await next(call);
        } catch (error) {
          const over = signal.aborted || call.signal?.aborted === true;
          if (attempt >= attempts || over || !mayRepeat(error, call, run, afterOutput)) throw error;
          const asked = retryAfterMs(error);
          const least = Math.max(backOffDelay(backOff, attempt), asked);
          const leftMs = (totalMs ?? Number.POSITIVE_INFINITY) - (performance.now() - firstAt);
          if (least > leftMs || (totalMs === undefined && asked > longestServerWaitMs)) throw error;
          if (run.outputSeen) run.restartStep();
          // Many clients that were told the same wait would otherwise come back together.
          const waitMs = asked === 0 ? least : Math.min(least + Math.random() * backOff.minDelayMs, leftMs);
          await untilRepeat(waitMs, call, signal);
        }
      }
    },
  };
}

/** @throws ToolwrightError what ended the wait before its time. */
async function untilRepeat(waitMs: number, call: ModelCall, signal: AbortSignal): Promise<void> {
  const either = call.signal === undefined ? signal : AbortSignal.any([signal, call.signal]);
  if (await wait(waitMs, either)) return;
  throw signal.aborted || call.signal === undefined ? abortedIn("modelRetry", signal) : endedRequest(call.signal);
}

function mayRepeat(error: unknown, call: ModelCall, run: RunInfo, afterOutput: "fail" | "restart"): error is ToolwrightError {
  if (!ToolwrightError.is(error) || !error.code.startsWith("MODEL_") || !error.retryable) return false;
  if (run.outputSeen && afterOutput === "fail") return false;
  return call.request.state.kind !== "conversation" || surelyNotTaken(error);
}

function retryAfterMs(error: ToolwrightError): number {
  const asked = error.details["retryAfterMs"];
  return typeof asked === "number" && asked > 0 ? asked : 0;
}
