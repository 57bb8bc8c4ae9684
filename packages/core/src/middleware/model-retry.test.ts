import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MiddlewareContext, ModelCall } from "../contracts/middleware.js";
import type { Model, ModelRequest, ModelResponse } from "../contracts/model.js";
import type { ErrorCode } from "../errors/catalogue.js";
import { ToolwrightError, type ToolwrightErrorOptions } from "../errors/toolwright-error.js";
import { modelRetry, type ModelRetryOptions } from "./model-retry.js";

const reply: ModelResponse = {
  id: "resp_1",
  output: [],
  usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, totalTokens: 2 },
};

// It is never asked: the tests answer in the place of what is inside.
const model: Model = { name: "test", respond: () => Promise.reject(new Error("unused")) };

function modelCall(state: ModelRequest["state"] = { kind: "local" }): ModelCall {
  return { step: 0, model, request: { instructions: undefined, input: [], tools: [], toolChoice: undefined, settings: {}, state } };
}

function harness(failures: readonly unknown[], options: ModelRetryOptions = {}, state?: ModelRequest["state"]) {
  const controller = new AbortController();
  const told: string[] = [];
  const startedAt: number[] = [];
  const run = { outputSeen: false, restartStep: () => told.push("step-restart") };
  const next = async (): Promise<ModelResponse> => {
    told.push("request");
    startedAt.push(performance.now());
    const failure = failures[startedAt.length - 1];
    if (failure !== undefined) throw failure;
    return reply;
  };
  // Of the context, a retry needs these alone.
  const context = { state: {}, run, signal: controller.signal } as unknown as MiddlewareContext;
  const { wrapModelCall } = modelRetry(options);
  const start = () => wrapModelCall!(modelCall(state), next, context);
  return { start, controller, run, told, startedAt };
}

const failure = (code: ErrorCode, options: ToolwrightErrorOptions = {}) => new ToolwrightError(code, `${code} happened.`, options);

describe("modelRetry", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Runs all timers to the end. */
  async function settle<T>(promise: Promise<T>): Promise<T | { readonly thrown: unknown }> {
    const settled = promise.catch((thrown: unknown) => ({ thrown }));
    await vi.runAllTimersAsync();
    return settled;
  }

  it.each(["MODEL_RATE_LIMIT", "MODEL_SERVER", "MODEL_CONNECTION", "MODEL_TIMEOUT", "MODEL_CONFLICT", "MODEL_STREAM_ENDED"] as const)(
    "repeats after %s, three requests in all",
    async (code) => {
      const error = failure(code);
      const { start, startedAt } = harness([error, error, error, error]);
      expect(await settle(start())).toEqual({ thrown: error });
      expect(startedAt).toHaveLength(3);
    },
  );

  it.each([
    "MODEL_QUOTA",
    "MODEL_BAD_REQUEST",
    "MODEL_AUTHENTICATION",
    "MODEL_NOT_FOUND",
    "MODEL_INCOMPLETE",
    "MODEL_FAILED",
    "RUN_BUDGET",
    "RUN_ABORTED",
  ] as const)("does not repeat after %s", async (code) => {
    const error = failure(code);
    const { start, startedAt } = harness([error]);
    expect(await settle(start())).toEqual({ thrown: error });
    expect(startedAt).toHaveLength(1);
  });

  it("heeds an error's own word on whether it may succeed later", async () => {
    const never = harness([failure("MODEL_SERVER", { retryable: false })]);
    await settle(never.start());
    expect(never.startedAt).toHaveLength(1);
    const again = harness([failure("MODEL_FAILED", { retryable: true })]);
    expect(await settle(again.start())).toBe(reply);
  });

  it("does not repeat what is not an error of a model", async () => {
    for (const error of [new TypeError("a bug"), "text", undefined, failure("TOOL_TIMEOUT")]) {
      const next = vi.fn<() => Promise<ModelResponse>>(async () => {
        throw error;
      });
      const { run } = harness([]);
      const context = { state: {}, run, signal: new AbortController().signal } as unknown as MiddlewareContext;
      await settle(modelRetry().wrapModelCall!(modelCall(), next, context));
      expect(next).toHaveBeenCalledTimes(1);
    }
  });

  it("counts attempts in all", async () => {
    const error = failure("MODEL_SERVER");
    for (const attempts of [1, 2, 5]) {
      const { start, startedAt } = harness(Array(9).fill(error), { attempts });
      await settle(start());
      expect(startedAt).toHaveLength(attempts);
    }
  });

  it("backs off within its bounds", async () => {
    const { start, startedAt } = harness(Array(9).fill(failure("MODEL_SERVER")), { attempts: 6, minDelayMs: 100, maxDelayMs: 400 });
    await settle(start());
    const waits = startedAt.slice(1).map((at, index) => at - (startedAt[index] as number));
    expect(waits).toHaveLength(5);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(100);
      expect(wait).toBeLessThanOrEqual(Math.min(400, 100 * 2 ** (index + 1)) + 1);
    }
  });

  it.each([2_000, 61_000, 540_000])("waits at least as long as the server says: %i ms", async (retryAfterMs) => {
    const { start, startedAt } = harness([failure("MODEL_RATE_LIMIT", { details: { retryAfterMs } })]);
    expect(await settle(start())).toBe(reply);
    const waited = (startedAt[1] as number) - (startedAt[0] as number);
    expect(waited).toBeGreaterThanOrEqual(retryAfterMs);
    expect(waited).toBeLessThan(retryAfterMs + 2_000);
  });

  it("fails at once rather than too early when the server's wait does not fit", async () => {
    const error = failure("MODEL_RATE_LIMIT", { details: { retryAfterMs: 5_000 } });
    const bounded = harness([error], { totalMs: 4_000 });
    expect(await settle(bounded.start())).toEqual({ thrown: error });
    expect(bounded.startedAt).toHaveLength(1);
    const fits = harness([error], { totalMs: 6_000 });
    expect(await settle(fits.start())).toBe(reply);
    const hours = failure("MODEL_RATE_LIMIT", { details: { retryAfterMs: 7_200_000 } });
    const unbounded = harness([hours]);
    expect(await settle(unbounded.start())).toEqual({ thrown: hours });
    expect(unbounded.startedAt).toHaveLength(1);
  });

  it("begins no request after totalMs", async () => {
    const { start, startedAt } = harness(Array(99).fill(failure("MODEL_SERVER")), {
      attempts: 99,
      minDelayMs: 300,
      maxDelayMs: 300,
      totalMs: 1_000,
    });
    await settle(start());
    expect(startedAt).toHaveLength(4);
  });

  it("ends its wait at once when the run is aborted, leaving neither timer nor listener", async () => {
    const { start, controller, startedAt } = harness([failure("MODEL_RATE_LIMIT", { details: { retryAfterMs: 60_000 } })]);
    const ended = start().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    const reason = new Error("enough");
    controller.abort(reason);
    const error = await ended;
    expect(ToolwrightError.is(error, "RUN_ABORTED")).toBe(true);
    expect((error as Error).cause).toBe(reason);
    expect(startedAt).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("does not wait at all when the run is aborted already", async () => {
    const error = failure("MODEL_CONNECTION");
    const { start, controller, startedAt } = harness([error]);
    controller.abort();
    expect(await settle(start())).toEqual({ thrown: error });
    expect(startedAt).toHaveLength(1);
  });

  describe("when text has reached the consumer", () => {
    it("does not repeat", async () => {
      const error = failure("MODEL_STREAM_ENDED");
      const { start, run, told } = harness([error]);
      run.outputSeen = true;
      expect(await settle(start())).toEqual({ thrown: error });
      expect(told).toEqual(["request"]);
    });

    it("tells the consumer first, if a restart is allowed", async () => {
      const { start, run, told } = harness([failure("MODEL_STREAM_ENDED")], { afterOutput: "restart" });
      run.outputSeen = true;
      expect(await settle(start())).toBe(reply);
      expect(told).toEqual(["request", "step-restart", "request"]);
    });

    it("tells nothing when nothing was seen", async () => {
      const { start, told } = harness([failure("MODEL_STREAM_ENDED")], { afterOutput: "restart" });
      await settle(start());
      expect(told).toEqual(["request", "request"]);
    });
  });

  describe("in a conversation", () => {
    const conversation = { kind: "conversation", id: "conv_1" } as const;
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const reset = Object.assign(new Error("read"), { code: "ECONNRESET" });

    it.each([
      ["a broken connection", failure("MODEL_CONNECTION", { cause: reset })],
      ["a timeout", failure("MODEL_TIMEOUT")],
      ["a stream that ended early", failure("MODEL_STREAM_ENDED")],
      ["an answer of a gateway", failure("MODEL_SERVER", { details: { status: 504 } })],
    ])("does not repeat after %s", async (_name, error) => {
      const { start, startedAt } = harness([error], {}, conversation);
      expect(await settle(start())).toEqual({ thrown: error });
      expect(startedAt).toHaveLength(1);
    });

    it.each([
      ["a rate limit", failure("MODEL_RATE_LIMIT", { details: { status: 429 } })],
      ["a server error", failure("MODEL_SERVER", { details: { status: 503 } })],
      ["a lock", failure("MODEL_CONFLICT", { details: { status: 400 } })],
      ["a connection that never was", failure("MODEL_CONNECTION", { cause: new Error("fetch failed", { cause: refused }) })],
    ])("repeats after %s", async (_name, error) => {
      const { start, startedAt } = harness([error], {}, conversation);
      expect(await settle(start())).toBe(reply);
      expect(startedAt).toHaveLength(2);
    });

    it("repeats the same failures where nothing is appended", async () => {
      const { start } = harness([failure("MODEL_CONNECTION", { cause: reset })], {}, { kind: "chained", previousResponseId: "resp_0" });
      expect(await settle(start())).toBe(reply);
    });
  });
});
