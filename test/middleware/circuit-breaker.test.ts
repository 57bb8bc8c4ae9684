import { Agent, type DefinedTool, type Middleware, type Model, ToolError, ToolwrightError } from "@toolwright/core";
import {
  circuitBreaker,
  type CircuitBreakerOptions,
  fallback,
  modelRetry,
  rateLimit,
  toolErrors,
  toolRetry,
} from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";

/** A model without a server: what it throws next, or nothing for an answer. */
function moody(name = "test") {
  const moods: unknown[] = [];
  let requests = 0;
  let hold: Promise<void> | undefined;
  const model: Model = {
    name,
    async respond(_request, { signal }) {
      requests += 1;
      const mood = moods.shift();
      if (hold !== undefined)
        await Promise.race([hold, new Promise((_, reject) => signal.addEventListener("abort", reject, { once: true }))]);
      if (mood !== undefined) throw mood;
      return {
        id: undefined,
        output: [{ type: "message", role: "assistant", content: "Hi." }],
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 0 },
      };
    },
  };
  return {
    model,
    /** What the next requests fail with. */
    fails: (...errors: unknown[]) => void moods.push(...errors),
    holds: (until: Promise<void> | undefined) => void (hold = until),
    get requests() {
      return requests;
    },
  };
}

const server = (): ToolwrightError => new ToolwrightError("MODEL_SERVER", "Oh.");

/** What runs end with, one after the other. */
async function ask(agent: Agent, times = 1): Promise<readonly string[]> {
  const ended: string[] = [];
  for (let time = 0; time < times; time += 1) {
    ended.push(
      await agent.run("Hello?").then(
        ({ stopReason }) => stopReason,
        (error: ToolwrightError) => error.code,
      ),
    );
  }
  return ended;
}

describe("circuitBreaker", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => {
    const left = vi.getTimerCount();
    vi.useRealTimers();
    if (left > 0) throw new Error(`${left} timers were left behind.`);
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  function watched(options: CircuitBreakerOptions = { failures: 2 }, ...more: Middleware[]) {
    const model = moody();
    return { fails: model.fails, model, agent: new Agent({ model: model.model, middleware: [circuitBreaker(options), ...more] }) };
  }

  it("opens after so many failures, and then answers at once without asking", async () => {
    const { agent, fails, model } = watched({ failures: 3, cooldownMs: 10_000 });
    fails(server(), server(), server());
    expect(await ask(agent, 5)).toEqual(["MODEL_SERVER", "MODEL_SERVER", "MODEL_SERVER", "MODEL_CIRCUIT_OPEN", "MODEL_CIRCUIT_OPEN"]);
    expect(model.requests).toBe(3);
    await pass(4_000);
    await expect(agent.run("Hello?")).rejects.toMatchObject({
      code: "MODEL_CIRCUIT_OPEN",
      retryable: false,
      details: { model: "test", retryAfterMs: 6_000 },
      message: expect.stringContaining("not asked for another 6000 ms"),
      result: { usage: { requests: 0 } },
    });
  });

  it("lets one request through after the cooldown, and closes when that is answered", async () => {
    const { agent, fails, model } = watched({ failures: 2, cooldownMs: 10_000 });
    fails(server(), server());
    await ask(agent, 2);
    await pass(10_000);
    const hold = Promise.withResolvers<void>();
    model.holds(hold.promise);
    const probe = ask(agent);
    expect(await ask(agent, 2)).toEqual(["MODEL_CIRCUIT_OPEN", "MODEL_CIRCUIT_OPEN"]);
    expect(model.requests).toBe(3);
    hold.resolve();
    expect(await probe).toEqual(["completed"]);
    expect(await ask(agent, 2)).toEqual(["completed", "completed"]);
    // Closed as it was at first: it takes as many failures again.
    fails(server(), server());
    expect(await ask(agent, 3)).toEqual(["MODEL_SERVER", "MODEL_SERVER", "MODEL_CIRCUIT_OPEN"]);
  });

  it("opens anew when the probe fails", async () => {
    const { agent, fails, model } = watched({ failures: 2, cooldownMs: 10_000 });
    fails(server(), server(), server());
    await ask(agent, 2);
    await pass(10_000);
    expect(await ask(agent, 2)).toEqual(["MODEL_SERVER", "MODEL_CIRCUIT_OPEN"]);
    await pass(9_999);
    expect(await ask(agent)).toEqual(["MODEL_CIRCUIT_OPEN"]);
    await pass(1);
    expect(await ask(agent)).toEqual(["completed"]);
    expect(model.requests).toBe(4);
  });

  it("lets the next request be the probe when one was aborted", async () => {
    const { agent, fails, model } = watched({ failures: 1, cooldownMs: 1_000 });
    fails(server());
    await ask(agent);
    await pass(1_000);
    model.holds(new Promise(() => {}));
    const controller = new AbortController();
    const probe = agent.run("Hello?", { signal: controller.signal });
    await pass(10);
    controller.abort();
    await expect(probe).rejects.toMatchObject({ code: "RUN_ABORTED" });
    model.holds(undefined);
    expect(await ask(agent)).toEqual(["completed"]);
  });

  it("takes a refusal of the probe for a sign of life", async () => {
    const { agent, fails } = watched({ failures: 1, cooldownMs: 1_000 });
    fails(server(), new ToolwrightError("MODEL_BAD_REQUEST", "No."));
    await ask(agent);
    await pass(1_000);
    expect(await ask(agent, 2)).toEqual(["MODEL_BAD_REQUEST", "completed"]);
  });

  it("counts failures in a row, and only within its window", async () => {
    const { agent, fails, model } = watched({ failures: 2, windowMs: 5_000 });
    fails(server(), undefined, server());
    expect(await ask(agent, 4)).toEqual(["MODEL_SERVER", "completed", "MODEL_SERVER", "completed"]);
    fails(server());
    await ask(agent);
    await pass(5_000);
    fails(server());
    expect(await ask(agent, 2)).toEqual(["MODEL_SERVER", "completed"]);
    expect(model.requests).toBe(7);
  });

  it.each(["MODEL_SERVER", "MODEL_CONNECTION", "MODEL_TIMEOUT", "MODEL_STREAM_ENDED"] as const)("counts %s", async (code) => {
    const { agent, fails } = watched();
    fails(new ToolwrightError(code, "Oh."), new ToolwrightError(code, "Oh."));
    expect(await ask(agent, 3)).toEqual([code, code, "MODEL_CIRCUIT_OPEN"]);
  });

  it("counts a response that failed by the server's fault, and one that failed by its content not", async () => {
    for (const [detail, ended] of [
      ["server_error", "MODEL_CIRCUIT_OPEN"],
      ["invalid_prompt", "completed"],
    ] as const) {
      const { agent, fails } = watched();
      const failed = () => new ToolwrightError("MODEL_FAILED", "Oh.", { details: { code: detail } });
      fails(failed(), failed());
      expect((await ask(agent, 3)).at(-1)).toBe(ended);
    }
  });

  it.each([
    "MODEL_BAD_REQUEST",
    "MODEL_AUTHENTICATION",
    "MODEL_NOT_FOUND",
    "MODEL_QUOTA",
    "MODEL_RATE_LIMIT",
    "MODEL_INCOMPLETE",
    "MODEL_PROTOCOL",
  ] as const)("does not count %s", async (code) => {
    const { agent, fails, model } = watched();
    fails(...Array.from({ length: 6 }, () => new ToolwrightError(code, "No.")));
    expect(await ask(agent, 6)).toEqual(Array(6).fill(code));
    expect(model.requests).toBe(6);
  });

  it("does not count aborts", async () => {
    const { agent, model } = watched({ failures: 1 });
    model.holds(new Promise(() => {}));
    for (let time = 0; time < 3; time += 1) {
      const controller = new AbortController();
      const run = agent.run("Hello?", { signal: controller.signal });
      await pass(1);
      controller.abort();
      await expect(run).rejects.toMatchObject({ code: "RUN_ABORTED" });
    }
    model.holds(undefined);
    expect(await ask(agent)).toEqual(["completed"]);
  });

  it("forgets what began before it opened", async () => {
    const { agent, fails, model } = watched({ failures: 2, cooldownMs: 1_000 });
    const hold = Promise.withResolvers<void>();
    model.holds(hold.promise);
    fails(server(), server(), undefined, server());
    const runs = Promise.all([ask(agent), ask(agent), ask(agent), ask(agent)]);
    await pass(0);
    hold.resolve();
    expect(await runs).toEqual([["MODEL_SERVER"], ["MODEL_SERVER"], ["completed"], ["MODEL_SERVER"]]);
    model.holds(undefined);
    // Neither did the late answer close it, nor the late failure prolong it.
    expect(await ask(agent)).toEqual(["MODEL_CIRCUIT_OPEN"]);
    await pass(1_000);
    expect(await ask(agent)).toEqual(["completed"]);
  });

  it("is shared by all agents that were given it, and has a circuit for each model", async () => {
    const first = moody("a");
    const second = moody("b");
    const shared = circuitBreaker({ failures: 2 });
    const one = new Agent({ model: first.model, middleware: [shared] });
    const two = new Agent({ model: first.model, middleware: [shared] });
    const other = new Agent({ model: second.model, middleware: [shared] });
    const apart = new Agent({ model: first.model, middleware: [circuitBreaker({ failures: 2 })] });
    first.fails(server(), server());
    expect([...(await ask(one)), ...(await ask(two)), ...(await ask(one))]).toEqual(["MODEL_SERVER", "MODEL_SERVER", "MODEL_CIRCUIT_OPEN"]);
    expect(await ask(other)).toEqual(["completed"]);
    expect(await ask(apart)).toEqual(["completed"]);
  });

  it("counts each repeat, and ends the repeats when it opens, wherever it was put", async () => {
    const { agent, fails, model } = watched({ failures: 2 }, modelRetry({ attempts: 9, minDelayMs: 1, maxDelayMs: 1 }));
    fails(...Array.from({ length: 9 }, server));
    const ended = ask(agent);
    await pass(10);
    expect(await ended).toEqual(["MODEL_CIRCUIT_OPEN"]);
    expect(model.requests).toBe(2);
  });

  it("does not take a full rate limit for a failure of the server", async () => {
    const { agent, model } = watched({ failures: 1 }, rateLimit({ requestsPerMinute: 1, maxWaitMs: 5 }));
    expect(await ask(agent, 3)).toEqual(["completed", "MODEL_RATE_LIMIT", "MODEL_RATE_LIMIT"]);
    await pass(60_000);
    expect(await ask(agent)).toEqual(["completed"]);
    expect(model.requests).toBe(2);
  });

  it("has fallback ask another model at once", async () => {
    const first = moody("a");
    const second = moody("b");
    const agent = new Agent({ model: first.model, middleware: [circuitBreaker({ failures: 1 }), fallback({ models: [second.model] })] });
    first.fails(server());
    expect(await ask(agent, 3)).toEqual(["completed", "completed", "completed"]);
    expect([first.requests, second.requests]).toEqual([1, 3]);
  });
});

describe("circuitBreaker({ tools: true })", () => {
  /** Calls of one step each, then an answer; gives what each call came to. */
  async function play(names: readonly string[], tools: readonly DefinedTool[], middleware: readonly Middleware[]) {
    const script: Reply[] = [...names.map((name, n) => reply.calls(callOf(name, `call_${n}`, n))), reply.text("Done.")];
    await using stand = await serve(script);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware });
    const result = await ends(agent.run("Go."));
    stand.server.assertDone();
    const outputs = outputsIn([...inputOf(stand.server.request(names.length))]);
    return { outcomes: result.steps.slice(0, -1).map(({ calls }) => calls[0]?.outcome), outputs: outputs.map(([, output]) => output) };
  }

  it("does not call a read that keeps failing, and tells the model so, without a word of why it failed", async () => {
    let calls = 0;
    const look = numberTool("look", () => {
      calls += 1;
      throw new Error("connect postgres://app:pw@db failed");
    });
    const other = numberTool("other", () => "fine");
    const breaker = circuitBreaker({ failures: 2, tools: true });
    const { outcomes, outputs } = await play(["look", "look", "look", "other"], [look, other], [toolErrors({ expose: false }), breaker]);
    expect(calls).toBe(2);
    expect(outcomes.map((outcome) => outcome?.kind)).toEqual(["failed", "failed", "failed", "ok"]);
    expect(outcomes[2]).toEqual({
      kind: "failed",
      error: { code: "TOOL_CIRCUIT_OPEN", message: expect.stringContaining("look has failed too often"), retryable: false },
    });
    expect(errorIn(outputs[2])).toMatchObject({ code: "TOOL_CIRCUIT_OPEN", retryable: false });
    expect(JSON.stringify(outputs)).not.toContain("pw@");
  });

  it("inside of a retry counts each attempt, and a repeat ends when it opens; outside each call", async () => {
    for (const inside of [true, false]) {
      let calls = 0;
      const look = numberTool("look", () => {
        calls += 1;
        throw new Error("flaky");
      });
      const layers = [toolRetry({ attempts: 4, minDelayMs: 1, maxDelayMs: 1 }), circuitBreaker({ failures: 2, tools: true })];
      const middleware = [toolErrors({ rethrow: ["NEVER"] }), ...(inside ? layers : layers.toReversed())];
      const { outcomes } = await play(["look", "look", "look"], [look], middleware);
      const code = (index: number) => (outcomes[index]?.kind === "failed" ? outcomes[index].error.code : "");
      expect([0, 1, 2].map(code)).toEqual(
        inside ? Array(3).fill("TOOL_CIRCUIT_OPEN") : ["TOOL_FAILED", "TOOL_FAILED", "TOOL_CIRCUIT_OPEN"],
      );
      expect(calls).toBe(inside ? 2 : 8);
    }
  });

  it("is moved inside of modelRetry alone, though failures end the run", () => {
    const middleware = [circuitBreaker({ tools: true }), toolErrors({ rethrow: ["GONE"] }), modelRetry(), toolRetry()];
    expect(new Agent({ model: moody().model, middleware }).explain().hooks.wrapToolCall).toEqual([
      "toolErrors",
      "circuitBreaker",
      "toolRetry",
    ]);
  });

  it("tries again after the cooldown", async () => {
    let calls = 0;
    const look = numberTool("look", async () => {
      calls += 1;
      if (calls === 1) throw new Error("flaky");
      return "seen";
    });
    const other = numberTool("other", async () => (await sleep(150), "fine"));
    const breaker = circuitBreaker({ failures: 1, cooldownMs: 100, tools: true });
    const { outcomes } = await play(["look", "look", "other", "look", "look"], [look, other], [breaker]);
    expect(outcomes.map((outcome) => outcome?.kind)).toEqual(["failed", "failed", "ok", "ok", "ok"]);
    expect(calls).toBe(3);
  });

  it.each([
    ["what will not pass", () => new ToolError({ code: "NO_SUCH_CITY", message: "There is no such city." }), {}],
    ["a write", () => new ToolError({ code: "LOCKED", message: "It is locked.", retryable: true }), { effect: "write" }],
  ] as const)("does not count %s", async (_, thrown, options) => {
    let calls = 0;
    const look = numberTool(
      "look",
      () => {
        calls += 1;
        throw thrown();
      },
      options,
    );
    await play(["look", "look", "look"], [look], [circuitBreaker({ failures: 1, tools: true })]);
    expect(calls).toBe(3);
  });

  it("leaves wrong calls to be told what is wrong with them", async () => {
    const { outcomes } = await play(["nothing"], [numberTool("look", () => "seen")], [circuitBreaker({ failures: 1, tools: true })]);
    expect(outcomes[0]).toMatchObject({ kind: "invalid", error: { code: "TOOL_UNKNOWN" } });
  });

  it("without the option tools have no circuit", () => {
    expect(circuitBreaker()).not.toHaveProperty("wrapToolCall");
    expect(circuitBreaker()).not.toHaveProperty("traits");
    expect(circuitBreaker({ tools: true }).traits).toEqual(["answers-tool"]);
  });
});

describe("options of circuitBreaker", () => {
  it.each([
    [{ failures: 0 }, /circuitBreaker\(\): `failures` must be a positive integer; it is 0\./],
    [{ windowMs: 0 }, /`windowMs` must be more than 0 milliseconds; it is 0\./],
    [{ cooldownMs: "30s" }, /`cooldownMs` must be a number of milliseconds.*; it is "30s"\./],
    [{ tools: ["look"] }, /`tools` must be true or false; it is \["look"\]\./],
    [{ failure: 3 }, /circuitBreaker\(\) has no option "failure"; it has failures, windowMs, cooldownMs, tools\./],
  ])("%j are refused, with the bad value", (options, message) => {
    expect(() => circuitBreaker(options as CircuitBreakerOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });

  it("are shown with their defaults", () => {
    expect(circuitBreaker().options).toEqual({ failures: 5, windowMs: 60_000, cooldownMs: 30_000, tools: false });
  });
});
