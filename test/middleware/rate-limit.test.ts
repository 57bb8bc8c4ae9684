import { Agent, type Item, type Middleware, type Model, type ModelRequest, type ModelResponse, ToolwrightError } from "@toolwright/core";
import { budget, fallback, modelRetry, rateLimit, type RateLimitOptions } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { serve } from "../support/serve.js";
import { numberTool } from "../support/tools.js";
import { ends, untilAborted } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

interface Answer {
  /** How long the reply takes. */
  readonly ms?: number;
  readonly tokens?: number;
  readonly error?: ToolwrightError;
  readonly output?: readonly Item[];
}

const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] };

/** A model without a server, that notes when and what it is asked. */
function clockwork(name: string, answer: (index: number, request: ModelRequest) => Answer = () => ({})) {
  const askedAt: number[] = [];
  const inputs: string[] = [];
  const model: Model = {
    name,
    async respond(request, { signal }): Promise<ModelResponse> {
      askedAt.push(Math.round(performance.now()));
      inputs.push(String((request.input.at(-1) as { content?: unknown }).content));
      const { ms = 0, tokens = 0, error, output = [message] } = answer(askedAt.length - 1, request);
      const timer = Promise.withResolvers<void>();
      if (ms > 0) setTimeout(timer.resolve, ms);
      else timer.resolve();
      await Promise.race([timer.promise, untilAborted(signal)]);
      if (error !== undefined) throw error;
      return {
        id: undefined,
        output,
        usage: { inputTokens: tokens, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: tokens },
      };
    },
  };
  return { model, askedAt, inputs };
}

const agentWith = (model: Model, ...middleware: Middleware[]): Agent => new Agent({ model, middleware });
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe("rateLimit", () => {
  let start = 0;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    start = performance.now();
  });
  afterEach(() => {
    const left = vi.getTimerCount();
    vi.useRealTimers();
    if (left > 0) throw new Error(`${left} timers were left behind.`);
  });
  const since = (at: readonly number[]): number[] => at.map((each) => Math.round(each - start));

  it("begins no more requests in any minute than it may, first come first served", async () => {
    const { model, askedAt, inputs } = clockwork("a");
    const agent = agentWith(model, rateLimit({ requestsPerMinute: 3 }));
    const runs = Promise.all(range(8).map((n) => agent.run(`Question ${n}`)));
    await vi.advanceTimersByTimeAsync(200_000);
    await runs;
    expect(since(askedAt)).toEqual([0, 0, 0, 60_000, 60_000, 60_000, 120_000, 120_000]);
    expect(inputs).toEqual(range(8).map((n) => `Question ${n}`));
  });

  it("looks at the last minute, not at the minutes of the clock", async () => {
    const { model, askedAt } = clockwork("a");
    const agent = agentWith(model, rateLimit({ requestsPerMinute: 2 }));
    await agent.run("One");
    await vi.advanceTimersByTimeAsync(50_000);
    const runs = Promise.all([agent.run("Two"), agent.run("Three"), agent.run("Four")]);
    await vi.advanceTimersByTimeAsync(100_000);
    await runs;
    expect(since(askedAt)).toEqual([0, 50_000, 60_000, 110_000]);
  });

  it("is shared by all agents that were given it, and counts each model by itself", async () => {
    const first = clockwork("a");
    const second = clockwork("b");
    const shared = rateLimit({ requestsPerMinute: 1 });
    const agents = [
      agentWith(first.model, shared),
      agentWith(first.model, { ...shared, name: "renamed" }),
      agentWith(second.model, shared),
    ];
    const runs = Promise.all(agents.map((agent) => agent.run("Hello?")));
    await vi.advanceTimersByTimeAsync(60_000);
    await runs;
    expect(since(first.askedAt)).toEqual([0, 60_000]);
    expect(since(second.askedAt)).toEqual([0]);
    // Two of them are two limits.
    const apart = clockwork("a");
    await Promise.all(range(2).map(() => agentWith(apart.model, rateLimit({ requestsPerMinute: 1 })).run("Hello?")));
    expect(apart.askedAt).toHaveLength(2);
  });

  it("holds back repeats too, wherever it was put", async () => {
    const { model, askedAt } = clockwork("a", (index) => (index < 2 ? { error: new ToolwrightError("MODEL_SERVER", "Oh.") } : {}));
    const agent = agentWith(model, rateLimit({ requestsPerMinute: 1 }), modelRetry({ minDelayMs: 1, maxDelayMs: 1 }));
    const run = agent.run("Hello?");
    await vi.advanceTimersByTimeAsync(200_000);
    await run;
    expect(since(askedAt)).toEqual([0, 60_000, 120_000]);
  });

  it("reckons tokens by the request, then by what the reply says", async () => {
    // 400 characters are about 100 tokens, and the item around them some more.
    const question = "x".repeat(400);
    const { model, askedAt } = clockwork("a", (index) => ({ tokens: index === 0 ? 850 : 10 }));
    const agent = agentWith(model, rateLimit({ tokensPerMinute: 1_000 }));
    await agent.run(question);
    // 850 are used: one more of about 115 fits, two do not, until it has told that it was only ten.
    await Promise.all([agent.run(question), agent.run(question)]);
    expect(since(askedAt)).toEqual([0, 0, 0]);
    const large = agent.run("x".repeat(600));
    await vi.advanceTimersByTimeAsync(100_000);
    await large;
    expect(since(askedAt)).toEqual([0, 0, 0, 60_000]);
  });

  it("expects as many output tokens as the model's replies had, but no more than the settings allow", async () => {
    const at = async (settings: { readonly max_output_tokens?: number }): Promise<number[]> => {
      const asked: number[] = [];
      const model: Model = {
        name: "a",
        async respond() {
          asked.push(performance.now());
          return {
            id: undefined,
            output: [message],
            usage: { inputTokens: 0, outputTokens: 600, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 600 },
          };
        },
      };
      const agent = new Agent({ model, settings, middleware: [rateLimit({ tokensPerMinute: 1_000 })] });
      const began = performance.now();
      await agent.run("Hello?");
      const again = agent.run("Hello?");
      await vi.advanceTimersByTimeAsync(60_000);
      await again;
      return asked.map((each) => Math.round(each - began));
    };
    expect(await at({})).toEqual([0, 60_000]);
    expect(await at({ max_output_tokens: 100 })).toEqual([0, 0]);
  });

  it("lets a request that is larger than the limit go alone", async () => {
    const { model, askedAt } = clockwork("a", () => ({ tokens: 5_000 }));
    const agent = agentWith(model, rateLimit({ tokensPerMinute: 100 }));
    const runs = Promise.all([agent.run("x".repeat(40_000)), agent.run("x".repeat(40_000))]);
    await vi.advanceTimersByTimeAsync(60_000);
    await runs;
    expect(since(askedAt)).toEqual([0, 60_000]);
  });

  it("does not let a small request overtake a large one", async () => {
    const { model, inputs } = clockwork("a", () => ({ tokens: 600 }));
    const agent = agentWith(model, rateLimit({ tokensPerMinute: 1_000 }));
    await agent.run("first");
    const large = agent.run("x".repeat(3_000));
    const small = agent.run("small");
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all([large, small]);
    expect(inputs.map((input) => input.slice(0, 5))).toEqual(["first", "xxxxx", "small"]);
  });

  it("bounds how many are under way at once, and goes on when one fails", async () => {
    let running = 0;
    let most = 0;
    const model: Model = {
      name: "a",
      async respond(request, options) {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 100));
        running -= 1;
        if (most % 2 === 0) throw new ToolwrightError("MODEL_SERVER", "Oh.");
        return clockwork("a").model.respond(request, options);
      },
    };
    const agent = agentWith(model, rateLimit({ concurrency: 2 }));
    const runs = Promise.allSettled(range(10).map(() => agent.run("Hello?")));
    await vi.advanceTimersByTimeAsync(499);
    expect(running).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    await runs;
    expect(most).toBe(2);
  });

  it("ends a wait at once when its run is aborted, and the next one takes its place", async () => {
    const { model, askedAt, inputs } = clockwork("a");
    const agent = agentWith(model, rateLimit({ requestsPerMinute: 1 }));
    await agent.run("first");
    const controller = new AbortController();
    const gone = agent.run("gone", { signal: controller.signal });
    const stays = agent.run("stays");
    const reason = new Error("enough");
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(reason);
    await expect(gone).rejects.toMatchObject({ code: "RUN_ABORTED", cause: reason });
    await vi.advanceTimersByTimeAsync(59_000);
    await stays;
    expect(since(askedAt)).toEqual([0, 60_000]);
    expect(inputs).toEqual(["first", "stays"]);
  });

  it("leaves no timer when the last one that waited is aborted", async () => {
    const { model } = clockwork("a");
    const agent = agentWith(model, rateLimit({ requestsPerMinute: 1, maxWaitMs: 100_000 }));
    await agent.run("first");
    const controller = new AbortController();
    const gone = agent.run("gone", { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: "RUN_ABORTED" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fails at once when the wait is certain to be too long, and does not repeat that", async () => {
    const { model, askedAt } = clockwork("a");
    const agent = agentWith(model, modelRetry(), rateLimit({ requestsPerMinute: 1, maxWaitMs: 5_000 }));
    await agent.run("first");
    const error = await failureOf(agent.run("second"));
    expect(error).toMatchObject({
      code: "MODEL_RATE_LIMIT",
      retryable: false,
      details: { model: "a", maxWaitMs: 5_000, retryAfterMs: 60_000 },
    });
    expect(error.message).toMatch(/rateLimit\(\): a request to a would wait for more than 5000 ms\.\nFix: /);
    await vi.advanceTimersByTimeAsync(56_000);
    const third = agent.run("third");
    await vi.advanceTimersByTimeAsync(4_000);
    await third;
    expect(since(askedAt)).toEqual([0, 60_000]);
  });

  it("fails after maxWaitMs when nobody can tell how long it will be, and the next model is asked", async () => {
    const slow = clockwork("slow", () => ({ ms: 30_000 }));
    const other = clockwork("other");
    const agent = agentWith(slow.model, fallback({ models: [other.model] }), rateLimit({ concurrency: 1, maxWaitMs: 2_000 }));
    const runs = Promise.all([agent.run("one"), agent.run("two")]);
    await vi.advanceTimersByTimeAsync(30_000);
    await runs;
    expect(since(slow.askedAt)).toEqual([0]);
    expect(since(other.askedAt)).toEqual([2_000]);
  });

  it("ends a wait when a layer outside ends the request", async () => {
    const { model, askedAt } = clockwork("a");
    const limit = rateLimit({ requestsPerMinute: 1 });
    await agentWith(model, limit).run("first");
    const agent = agentWith(model, limit, budget({ wallMs: 3_000 }));
    const error = failureOf(agent.run("second"));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await error).toMatchObject({ code: "RUN_BUDGET", result: { usage: { requests: 0 } } });
    expect(askedAt).toHaveLength(1);
  });

  it("remembers no more than a minute, however many runs there were", async () => {
    const { model, askedAt } = clockwork("a");
    const agent = agentWith(model, rateLimit({ requestsPerMinute: 1_000, tokensPerMinute: 1_000_000 }));
    for (const _ of range(5)) {
      await Promise.all(range(1_000).map(() => agent.run("Hello?")));
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(new Set(since(askedAt))).toEqual(new Set([0, 60_000, 120_000, 180_000, 240_000]));
  });
});

describe("rateLimit over HTTP", () => {
  it("counts the whole chain, which its server reads again", async () => {
    await using stand = await serve([
      reply.calls({ name: "look", callId: "call_1", arguments: { n: 1 } }).with({ usage: { inputTokens: 900, outputTokens: 50 } }),
    ]);
    const tools = [numberTool("look", () => "seen")];
    const middleware = [rateLimit({ tokensPerMinute: 1_500, maxWaitMs: 10 })];
    const agent = new Agent({ model: "test", client: stand.client, tools, history: { kind: "chained" }, middleware });
    // The output alone is a few tokens; with the 950 before it, it is too much for this minute.
    expect(await ends(failureOf(agent.run("Look.")))).toMatchObject({ code: "MODEL_RATE_LIMIT", details: { maxWaitMs: 10 } });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("does not take the length of an image for tokens", async () => {
    await using stand = await serve(() => reply.text("A cat.").with({ usage: { inputTokens: 800, outputTokens: 5 } }));
    const image = { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(100_000)}` } as const;
    const agent = new Agent({
      model: "test",
      client: stand.client,
      middleware: [rateLimit({ tokensPerMinute: 3_000, maxWaitMs: 10 })],
    });
    const see = () => agent.run([{ role: "user", content: [image] }]);
    expect(await ends(see())).toMatchObject({ output: "A cat." });
    expect(await ends(see())).toMatchObject({ output: "A cat." });
  });
});

describe("options of rateLimit", () => {
  it.each([
    [{ requestsPerMinute: 0 }, /rateLimit\(\): `requestsPerMinute` must be a positive integer; it is 0\./],
    [{ tokensPerMinute: 1.5 }, /`tokensPerMinute` must be a positive integer; it is 1\.5\./],
    [{ concurrency: "2" }, /`concurrency` must be a positive integer; it is "2"\./],
    [{ concurrency: 1, maxWaitMs: 0 }, /`maxWaitMs` must be more than 0 milliseconds; it is 0\./],
    [{ requests: 5 }, /rateLimit\(\) has no option "requests"; it has requestsPerMinute/],
    [{ maxWaitMs: 5 }, /rateLimit\(\) limits nothing\.\nFix: /],
    [{}, /rateLimit\(\) limits nothing\./],
    [undefined, /rateLimit\(\) takes an object of options; it got undefined\./],
  ])("%j are refused, with the bad value", (options, expected) => {
    expect(() => rateLimit(options as RateLimitOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(expected) }),
    );
  });
});
