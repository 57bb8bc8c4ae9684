import type { Middleware, ModelCall, RunInfo } from "../contracts/middleware.js";
import type { Usage } from "../contracts/usage.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { askedModel } from "./asked-model.js";
import { abortedIn, endedRequest, timeLimit } from "./deadline.js";
import { checkOptions, positiveInteger } from "./options.js";
import { RateLane, type RateLimits } from "./rate-lane.js";
import { estimateInputTokens } from "./token-estimate.js";

/** Options of {@link rateLimit}: any of the first three, but at least one. Each holds for every model by itself. */
export interface RateLimitOptions {
  /** Requests that may begin within any minute. */
  readonly requestsPerMinute?: number | undefined;
  /** Tokens that requests which begin within any minute may use. */
  readonly tokensPerMinute?: number | undefined;
  /** Requests that may be under way at once. */
  readonly concurrency?: number | undefined;
  /** A request that would wait for longer fails with `MODEL_RATE_LIMIT`, in milliseconds. Default: it waits. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * Holds requests back, so that a provider's limits are kept rather than run into. Give one and the same `rateLimit()` to
 * all agents that share the limits: it counts for each model's name what all of them ask, first come first served.
 *
 * Tokens are estimated before a request, and corrected by what the reply says. A wait ends at once when the run is aborted.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; in a run, `MODEL_RATE_LIMIT` after `maxWaitMs`, with
 * `details.retryAfterMs`, which `modelRetry` does not repeat and `fallback` goes on from.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions("rateLimit", options, {
    requestsPerMinute: positiveInteger,
    tokensPerMinute: positiveInteger,
    concurrency: positiveInteger,
    maxWaitMs: timeLimit,
  });
  const unbounded = Number.POSITIVE_INFINITY;
  const { requestsPerMinute = unbounded, tokensPerMinute = unbounded, concurrency = unbounded, maxWaitMs = unbounded } = options;
  if (Math.min(requestsPerMinute, tokensPerMinute, concurrency) === unbounded) {
    throw new ToolwrightError("RUN_OPTIONS", "rateLimit() limits nothing.", {
      fix: "Give one of requestsPerMinute, tokensPerMinute, concurrency.",
    });
  }
  const limiter = new Limiter({ requestsPerMinute, tokensPerMinute, concurrency, maxWaitMs });
  return {
    name: "rateLimit",
    kind: "rateLimit",
    options: Object.fromEntries(Object.entries(options).filter(([, limit]) => limit !== undefined)),
    // A repeat is a request like any other.
    order: { inside: ["modelRetry", "fallback"] },
    async wrapModelCall(call, next, { run, signal }) {
      const begun = await limiter.begin(call, run, signal);
      let used: number | undefined;
      try {
        const response = await next(call);
        used = response.usage.totalTokens;
        limiter.note(askedModel(call), run, response.usage);
        return response;
      } catch (error) {
        used = toldUsage(error);
        throw error;
      } finally {
        begun.end(used);
      }
    },
  };
}

/** What the agents that share one limit know of each model. */
class Limiter {
  readonly #limits: RateLimits;
  readonly #lanes = new Map<string, RateLane>();
  /** Output tokens of each model's replies: a moving average. */
  readonly #outputs = new Map<string, number>();
  /** Tokens of a run's last reply, which the server of a chain or a conversation reads again. */
  readonly #context = new WeakMap<RunInfo, number>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  begin(call: ModelCall, run: RunInfo, signal: AbortSignal): ReturnType<RateLane["begin"]> {
    const model = askedModel(call);
    const { signal: own } = call;
    const either = own === undefined ? signal : AbortSignal.any([signal, own]);
    const ended = (): Error => (signal.aborted || own === undefined ? abortedIn("rateLimit", signal) : endedRequest(own));
    return this.#lane(model).begin(this.#estimate(model, call, run), either, ended);
  }

  note(model: string, run: RunInfo, { outputTokens, totalTokens }: Omit<Usage, "requests">): void {
    const known = this.#outputs.get(model) ?? outputTokens;
    this.#outputs.set(model, known + (outputTokens - known) / 4);
    this.#context.set(run, totalTokens);
  }

  #estimate(model: string, { request }: ModelCall, run: RunInfo): number {
    if (!Number.isFinite(this.#limits.tokensPerMinute)) return 0;
    const kept = request.state.kind === "local" ? 0 : (this.#context.get(run) ?? 0);
    const most = request.settings.max_output_tokens ?? Number.POSITIVE_INFINITY;
    return kept + estimateInputTokens(request) + Math.ceil(Math.min(this.#outputs.get(model) ?? 0, most));
  }

  #lane(model: string): RateLane {
    const known = this.#lanes.get(model);
    if (known !== undefined) return known;
    // Models that nobody has asked for a while are forgotten, so that this holds no more than what is in use.
    for (const [name, lane] of this.#lanes) if (lane.idle) this.#lanes.delete(name);
    const lane = new RateLane(model, this.#limits);
    this.#lanes.set(model, lane);
    return lane;
  }
}

/** Tokens that a failed request has used all the same. */
function toldUsage(error: unknown): number | undefined {
  const usage = ToolwrightError.is(error) ? (error.details["usage"] as { readonly totalTokens?: unknown } | undefined) : undefined;
  return typeof usage?.totalTokens === "number" ? usage.totalTokens : undefined;
}
