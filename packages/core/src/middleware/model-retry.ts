import type { Middleware, ModelCall, RunInfo } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { backOffDelay, backOffOf } from "./back-off.js";
import { checkOptions, milliseconds, oneOf, positiveInteger } from "./options.js";
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
 * Waiting ends at once when the run is aborted.
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
    repeats: true,
    options: { attempts, ...backOff, ...(totalMs === undefined ? {} : { totalMs }), afterOutput },
    async wrapModelCall(call, next, { run, signal }) {
      const firstAt = performance.now();
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await next(call);
        } catch (error) {
          if (attempt >= attempts || signal.aborted || !mayRepeat(error, call, run, afterOutput)) throw error;
          const asked = retryAfterMs(error);
          const waitMs = Math.max(backOffDelay(backOff, attempt), asked);
          const tooLong = totalMs === undefined ? asked > longestServerWaitMs : performance.now() - firstAt + waitMs > totalMs;
          if (tooLong) throw error;
          if (run.outputSeen) run.restartStep();
          if (!(await wait(waitMs, signal))) throw abortedInWait(signal);
        }
      }
    },
  };
}

function mayRepeat(error: unknown, call: ModelCall, run: RunInfo, afterOutput: "fail" | "restart"): error is ToolwrightError {
  if (!ToolwrightError.is(error) || !error.code.startsWith("MODEL_") || !error.retryable) return false;
  if (run.outputSeen && afterOutput === "fail") return false;
  return call.request.state.kind !== "conversation" || surelyNotTaken(error);
}

/** Answers with these statuses come from a gateway that does not know what the server behind it did. */
const ambiguousStatuses: readonly unknown[] = [408, 502, 504];
const ambiguousCodes: readonly string[] = ["MODEL_CONNECTION", "MODEL_TIMEOUT", "MODEL_STREAM_ENDED"];
/** Failures of the network before a connection existed, so that nothing was sent. */
const neverSent: readonly unknown[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/** True when the request certainly left no trace at the server. */
function surelyNotTaken(error: ToolwrightError): boolean {
  if (ambiguousCodes.includes(error.code)) return causes(error).some((cause) => neverSent.includes((cause as { code?: unknown }).code));
  return !ambiguousStatuses.includes(error.details["status"]);
}

/** The chain of causes below an error; a few are enough, and a ring of them must not hang. */
function causes(error: unknown): object[] {
  const found: object[] = [];
  let cause = (error as { cause?: unknown }).cause;
  while (typeof cause === "object" && cause !== null && found.length < 8) {
    found.push(cause);
    cause = (cause as { cause?: unknown }).cause;
  }
  return found;
}

function retryAfterMs(error: ToolwrightError): number {
  const asked = error.details["retryAfterMs"];
  return typeof asked === "number" && asked > 0 ? asked : 0;
}

function abortedInWait(signal: AbortSignal): ToolwrightError {
  return new ToolwrightError("RUN_ABORTED", "The run was aborted while modelRetry waited to repeat a request.", { cause: signal.reason });
}
