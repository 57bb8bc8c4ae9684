import { Agent, type AgentOptions, defineMiddleware, type Middleware, type RunState } from "@toolwright/core";
import { budget, type BudgetOptions, fallback, modelRetry, standard } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep, untilAborted } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const quick = { minDelayMs: 1, maxDelayMs: 1 } as const;
const usage = (inputTokens: number, outputTokens = 0, cachedInputTokens = 0) => ({ inputTokens, outputTokens, cachedInputTokens });

/** A model that calls for ever, unless its tools are off. */
const insatiable = (more: (answer: ReturnType<typeof reply.text>) => Reply = (answer) => answer) =>
  serve(({ body, index }) =>
    more(body["tool_choice"] === "none" ? reply.text("That is all.") : reply.calls(callOf("look", `call_${index}`, index))),
  );

function agentOf(stand: Stand, middleware: readonly Middleware[], options: Partial<AgentOptions> = {}) {
  const runs: number[] = [];
  const look = numberTool("look", (n) => (runs.push(n), `seen ${n}`));
  return { runs, agent: new Agent({ model: "test", client: stand.client, tools: [look], middleware, ...options }) };
}

const kindsOf = ({
  steps,
}: {
  readonly steps: readonly { readonly calls: readonly { readonly outcome: { readonly kind: string } }[] }[];
}) => steps.map(({ calls }) => calls.map(({ outcome }) => outcome.kind));

describe.each(ways)("budget (%s)", (way) => {
  it("ends by steps as stepBudget does, and the kernel's own limit gives way", async () => {
    await using stand = await insatiable();
    const { agent, runs } = agentOf(stand, [budget({ steps: 23 }), ...standard()]);
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "steps", limit: 23 } });
    expect(stand.server.requests).toHaveLength(23);
    expect(runs).toHaveLength(22);
    expect(kindsOf(error.result).at(-1)).toEqual(["skipped"]);
  });

  it("counts every request, repeated ones too, wherever it was put, and tells what failed last", async () => {
    await using stand = await serve(() => reply.http(500));
    const { agent } = agentOf(stand, [budget({ requests: 3 }), modelRetry({ attempts: 9, ...quick })]);
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "requests", limit: 3 }, cause: { code: "MODEL_SERVER" } });
    expect(stand.server.requests).toHaveLength(3);
    expect(error.result.usage.requests).toBe(3);
  });

  it("runs no call whose output no request could carry, and the next run goes on from there", async () => {
    await using stand = await insatiable();
    const { agent, runs } = agentOf(stand, [budget({ requests: 2 })]);
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(kindsOf(error.result)).toEqual([["ok"], ["skipped"]]);
    expect(runs).toEqual([0]);
    expect(errorIn(outputsIn(error.result.items).at(-1)?.[1])).toMatchObject({
      code: "TOOL_SKIPPED",
      message: expect.stringContaining("budget of 2 requests is used up"),
    });
    const again = agentOf(stand, [budget({ requests: 1, onExhausted: "answer" })]).agent;
    const result = await ends(runIn(way, again, "Sum up.", { history: error.result.history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "That is all.", usage: { requests: 1 } });
    stand.server.assertDone();
  });

  it("keeps the last request for an answer, though repeats have used up some", async () => {
    await using stand = await serve(({ body, index }) => {
      if (index === 1) return reply.http(503);
      return body["tool_choice"] === "none" ? reply.text("That is all.") : reply.calls(callOf("look", `call_${index}`, index));
    });
    const { agent } = agentOf(stand, [budget({ requests: 3, onExhausted: "answer" }), modelRetry(quick)]);
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "That is all.", usage: { requests: 3 } });
    expect(stand.server.requests.map(({ body }) => body["tool_choice"])).toEqual([undefined, undefined, "none"]);
  });

  it("stops in order", async () => {
    await using stand = await insatiable();
    const { agent } = agentOf(stand, [...standard(), budget({ requests: 2, onExhausted: "stop" })]);
    const result = await ends(runIn(way, agent, "Look."));
    expect(result).toMatchObject({ stopReason: "budget", reason: "The budget of 2 requests is used up.", usage: { requests: 2 } });
  });

  it("skips calls of the reply that used the tokens up, and asks no more", async () => {
    await using stand = await insatiable((answer) => answer.with({ usage: usage(90, 10) }));
    const { agent, runs } = agentOf(stand, [budget({ tokens: 250 }), ...standard()]);
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "tokens", limit: 250 } });
    expect(kindsOf(error.result)).toEqual([["ok"], ["ok"], ["skipped"]]);
    expect(runs).toEqual([0, 1]);
    expect(error.result.usage).toMatchObject({ requests: 3, totalTokens: 300 });
  });

  it("lets an answer stand that used the tokens up", async () => {
    await using stand = await serve([reply.text("Here.").with({ usage: usage(900, 100) })]);
    const { agent } = agentOf(stand, [budget({ tokens: 1 })]);
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ stopReason: "completed", output: "Here." });
  });

  it.each([
    ["tokens", { tokens: 150 }],
    ["cost", { cost: { usd: 0.00015, prices: { test: { inputPerMillion: 1, outputPerMillion: 1 } } } }],
  ] as const)("asks once more for an answer when %s are used up", async (_, limits) => {
    await using stand = await insatiable((answer) => answer.with({ usage: usage(90, 10) }));
    const { agent } = agentOf(stand, [budget({ ...limits, onExhausted: "answer" })]);
    const result = await ends(runIn(way, agent, "Look."));
    expect(result).toMatchObject({ stopReason: "completed", output: "That is all.", usage: { requests: 3 } });
    expect(kindsOf(result)).toEqual([["ok"], ["skipped"], []]);
  });

  it("asks only once: a model that then calls again ends the run", async () => {
    await using stand = await serve(({ index }) => reply.calls(callOf("look", `call_${index}`, index)).with({ usage: usage(100) }));
    const { agent, runs } = agentOf(stand, [budget({ tokens: 100, onExhausted: "answer" })]);
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "tokens", limit: 100 } });
    expect(stand.server.requests).toHaveLength(2);
    expect(runs).toEqual([]);
  });

  it("repeats the request for an answer where that is allowed, and not beyond the requests", async () => {
    for (const [requests, ended] of [
      [4, "completed"],
      [2, "RUN_BUDGET"],
    ] as const) {
      await using stand = await serve(({ body, index }) => {
        if (body["tool_choice"] !== "none") return reply.calls(callOf("look", "call_1", 1)).with({ usage: usage(100) });
        return index === 1 ? reply.http(500) : reply.text("That is all.");
      });
      const { agent } = agentOf(stand, [budget({ tokens: 100, requests, onExhausted: "answer" }), modelRetry(quick)]);
      const result = await ends(runIn(way, agent, "Look.").catch((error: { code: string }) => ({ stopReason: error.code })));
      expect(result.stopReason).toBe(ended);
      expect(stand.server.requests).toHaveLength(requests === 4 ? 3 : 2);
    }
  });

  it("ends a request that is under way when the time is over, and repeats nothing", async () => {
    for (const onExhausted of ["throw", "answer", "stop"] as const) {
      await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.hang({ afterEvents: 0 }, reply.text("Late."))]);
      const { agent } = agentOf(stand, [budget({ wallMs: 400, onExhausted }), modelRetry(quick)]);
      const run = runIn(way, agent, "Look.");
      const ended = await ends<unknown>(onExhausted === "stop" ? run : failureOf(run));
      expect(ended).toMatchObject(
        onExhausted === "stop"
          ? { stopReason: "budget", reason: "The budget of 400 ms is used up.", usage: { requests: 2 } }
          : { code: "RUN_BUDGET", details: { budget: "wallMs", limit: 400 }, result: { usage: { requests: 2 } } },
      );
    }
  });

  it("begins neither calls nor requests after the time is over, and lets a running tool end", async () => {
    await using stand = await serve([reply.calls(callOf("slow", "call_1", 1)), reply.text("Never.")]);
    const slow = numberTool("slow", async () => (await sleep(500), "done"), { effect: "write" });
    const { agent } = agentOf(stand, [budget({ wallMs: 300 })], { tools: [slow] });
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "wallMs" } });
    expect(kindsOf(error.result)).toEqual([["ok"]]);
    expect(stand.server.requests).toHaveLength(1);
  });

  it("asks once more for an answer when tools have used up the time", async () => {
    await using stand = await insatiable();
    const slow = numberTool("look", async () => (await sleep(200), "done"));
    const { agent } = agentOf(stand, [budget({ wallMs: 100, onExhausted: "answer" })], { tools: [slow] });
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "That is all.", usage: { requests: 2 } });
  });

  it("an abort is an abort, though a budget has its own signal on the request", async () => {
    await using stand = await serve([reply.hang({ afterEvents: 0 }, reply.text("Late."))]);
    const controller = new AbortController();
    const { agent } = agentOf(stand, [budget({ wallMs: 60_000, onExhausted: "stop" })]);
    const run = failureOf(runIn(way, agent, "Look.", { signal: controller.signal }));
    await stand.server.waitForRequest(0);
    controller.abort();
    expect((await ends(run)).code).toBe("RUN_ABORTED");
  });
});

describe("budget({ toolCalls })", () => {
  const five = reply.calls(...Array.from({ length: 5 }, (_, n) => callOf("look", `call_${n}`, n)));
  const shuffles = defineMiddleware({
    name: "shuffles",
    wrapToolCall: async (call, next) => (await sleep(Math.random() * 3), next(call)),
  });

  it.each([1, 2, 4])("runs the first %i of five that come at once, whatever stands around it, 30 times the same", async (toolCalls) => {
    await using stand = await serve(({ index }) => (index % 2 === 0 ? five : reply.text("Done.")));
    for (let repeat = 0; repeat < 30; repeat += 1) {
      const { agent, runs } = agentOf(stand, [shuffles, ...standard(), budget({ toolCalls })]);
      const result = await ends(agent.run("Look."));
      expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
      expect(runs.toSorted()).toEqual(Array.from({ length: toolCalls }, (_, n) => n));
      expect(kindsOf(result)[0]).toEqual(Array.from({ length: 5 }, (_, n) => (n < toolCalls ? "ok" : "skipped")));
      const outputs = outputsIn(inputOf(stand.server.request(2 * repeat + 1)));
      for (const [, output] of outputs.slice(toolCalls)) {
        expect(errorIn(output)).toMatchObject({ code: "TOOL_SKIPPED", message: expect.stringContaining("tool call") });
      }
    }
  });

  it("counts over all steps of a run, and anew in the next run", async () => {
    const two = (step: number) => reply.calls(callOf("look", `call_${step}a`, 1), callOf("look", `call_${step}b`, 2));
    await using stand = await serve([two(0), two(1), two(2), reply.text("Done."), two(3), reply.text("Done.")]);
    const { agent } = agentOf(stand, [budget({ toolCalls: 3 })]);
    expect(kindsOf(await ends(agent.run("Look.")))).toEqual([["ok", "ok"], ["ok", "skipped"], ["skipped", "skipped"], []]);
    expect(kindsOf(await ends(agent.run("Look.")))).toEqual([["ok", "ok"], []]);
  });

  it("counts a repeated attempt as one call, and a twin as its other", async () => {
    let attempts = 0;
    const flaky = numberTool("flaky", () => {
      attempts += 1;
      if (attempts < 3) throw new Error("flaky");
      return "at last";
    });
    const look = numberTool("look", () => "seen");
    // Inside of the retry too, where it sees each attempt.
    for (const place of ["outside", "inside"] as const) {
      attempts = 0;
      await using stand = await serve([
        reply.calls(callOf("flaky", "call_1", 1), callOf("flaky", "call_1", 1), callOf("look", "call_2", 2)),
        reply.text("Done."),
      ]);
      const layers = standard();
      const middleware = place === "outside" ? [budget({ toolCalls: 2 }), ...layers] : [...layers, budget({ toolCalls: 2 })];
      const { agent } = agentOf(stand, middleware, { tools: [flaky, look] });
      expect(kindsOf(await ends(agent.run("Go.")))[0]).toEqual(["ok", "ok"]);
      expect(attempts).toBe(3);
    }
  });

  it("does not count a call twice that waited for a person", async () => {
    const calls = reply.calls(callOf("pay", "call_1", 1), callOf("pay", "call_2", 2), callOf("pay", "call_3", 3));
    await using stand = await serve([calls, reply.text("Done.")]);
    const paid: number[] = [];
    const pay = numberTool("pay", (n) => (paid.push(n), "paid"), { effect: "write", approval: true });
    const { agent } = agentOf(stand, [budget({ toolCalls: 2 })], { tools: [pay] });
    const paused = await ends(agent.run("Pay."));
    expect(paused.interruptions.map(({ callId }) => callId)).toEqual(["call_1", "call_2"]);
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const decisions = ["call_1", "call_2"].map((callId) => ({ callId, approve: true }) as const);
    const result = await ends(agent.resume(state, { decisions }));
    expect(kindsOf(result)[0]).toEqual(["ok", "ok", "skipped"]);
    expect(paid).toEqual([1, 2]);
  });

  it('with "answer" asks for one when the calls are used up', async () => {
    await using stand = await insatiable();
    const { agent, runs } = agentOf(stand, [budget({ toolCalls: 2, onExhausted: "answer" })]);
    expect(await ends(agent.run("Look."))).toMatchObject({ output: "That is all.", usage: { requests: 3 } });
    expect(runs).toEqual([0, 1]);
  });

  it("counts calls of a reply that no request brought", async () => {
    let given = false;
    const memo = defineMiddleware({
      name: "memo",
      async wrapModelCall(call, next) {
        if (given) return next(call);
        given = true;
        const item = (n: number) => ({ type: "function_call", call_id: `old_${n}`, name: "look", arguments: `{"n":${n}}` });
        const nothing = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
        return { id: undefined, output: [item(1), item(2)], usage: nothing };
      },
    });
    for (const middleware of [
      [budget({ toolCalls: 1 }), memo],
      [memo, budget({ toolCalls: 1 })],
    ]) {
      given = false;
      await using stand = await serve([reply.text("Done.")]);
      const { agent, runs } = agentOf(stand, middleware);
      expect(kindsOf(await ends(agent.run("Look.")))[0]).toEqual(["ok", "skipped"]);
      expect(runs).toEqual([1]);
    }
  });
});

describe("budget({ cost })", () => {
  const prices = {
    test: { inputPerMillion: 1, cachedInputPerMillion: 0.1, outputPerMillion: 10 },
    dear: { inputPerMillion: 1_000, outputPerMillion: 0 },
  };

  it("reckons cached input, output and the tokens of replies that failed", async () => {
    const spent = async (usd: number) => {
      await using stand = await serve([
        // In millionths: 500 + 50 + 1,000, then 1,000, then 1,000, which is 3,550 in all.
        reply.calls(callOf("look", "call_0", 0)).with({ usage: usage(1_000, 100, 500) }),
        reply.failed({ code: "server_error", message: "Oh." }).with({ usage: usage(1_000, 0) }),
        reply.calls(callOf("look", "call_1", 1)).with({ usage: usage(1_000, 0) }),
        reply.text("Done.").with({ usage: usage(0) }),
      ]);
      const { agent } = agentOf(stand, [budget({ cost: { usd, prices }, onExhausted: "stop" }), modelRetry(quick)]);
      const result = await ends(agent.run("Look."));
      return { ended: result.stopReason, requests: stand.server.requests.length };
    };
    expect(await spent(0.0035501)).toEqual({ ended: "completed", requests: 4 });
    expect(await spent(0.0035499)).toEqual({ ended: "budget", requests: 3 });
    expect(await spent(0.0025499)).toEqual({ ended: "budget", requests: 2 });
    expect(await spent(0.0015499)).toEqual({ ended: "budget", requests: 1 });
  });

  it("reckons each model by its own prices", async () => {
    await using stand = await serve(({ body, index }) =>
      body.model === "test" ? reply.http(500) : reply.calls(callOf("look", `call_${index}`, index)).with({ usage: usage(1_000, 0) }),
    );
    const middleware = [budget({ cost: { usd: 1.5, prices }, onExhausted: "stop" }), fallback({ models: ["dear"] })];
    const { agent } = agentOf(stand, middleware);
    const result = await ends(agent.run("Look."));
    // A dollar a request: by the prices of the first model it would be a tenth of a cent.
    expect(result).toMatchObject({ stopReason: "budget", reason: "The budget of 1.5 USD is used up." });
    expect(stand.server.requests.map(({ body }) => body.model)).toEqual(["test", "dear", "dear"]);
  });

  it("refuses a model without prices before the first request to it", async () => {
    await using stand = await serve(({ body }) => (body.model === "cheap" ? reply.text("Hi.") : reply.http(500)));
    const none = agentOf(stand, [budget({ cost: { usd: 1, prices: { dear: prices.dear } } })]).agent;
    await expect(ends(none.run("Look."))).rejects.toMatchObject({
      code: "RUN_OPTIONS",
      message: expect.stringMatching(/no prices for the model "test", but for dear[^]*Fix: /),
    });
    expect(stand.server.requests).toHaveLength(0);
    const other = agentOf(stand, [budget({ cost: { usd: 1, prices } }), fallback({ models: ["cheap"] })]).agent;
    await expect(ends(other.run("Look."))).rejects.toMatchObject({ code: "RUN_OPTIONS", details: { model: "cheap" } });
    expect(stand.server.requests.map(({ body }) => body.model)).toEqual(["test"]);
  });
});

describe("a budget over a pause", () => {
  it("counts on from what was used before it, but not the time of the pause", async () => {
    await using stand = await serve(
      Array.from({ length: 4 }, (_, n) => reply.calls(callOf("pay", `call_${n}`, n)).with({ usage: usage(100) })),
    );
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const { agent } = agentOf(stand, [budget({ tokens: 200, wallMs: 1_500 })], { tools: [pay] });
    const paused = await ends(agent.run("Pay."));
    await sleep(1_600);
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const error = await ends(failureOf(agent.resume(state, { decisions: [{ callId: "call_0", approve: true }] })));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "tokens", limit: 200 } });
    expect(kindsOf(error.result)).toEqual([["ok"], ["skipped"]]);
  });
});

describe("two runs at once", () => {
  it("have a budget each", async () => {
    await using stand = await insatiable();
    const { agent } = agentOf(stand, [budget({ requests: 4, toolCalls: 2, onExhausted: "stop" })]);
    const results = await ends(Promise.all([agent.run("One."), agent.run("Two.")]));
    for (const result of results) {
      expect(result).toMatchObject({ stopReason: "budget", usage: { requests: 4 } });
      expect(kindsOf(result)).toEqual([["ok"], ["ok"], ["skipped"], ["skipped"]]);
    }
  });
});

describe("a wait that a budget ends", () => {
  it("is not repeated by a retry inside of it", async () => {
    let requests = 0;
    const model = {
      name: "test",
      respond: (_request: unknown, { signal }: { readonly signal: AbortSignal }) => ((requests += 1), untilAborted(signal)),
    };
    // A copy under another name stays where it was put.
    const inner = { ...modelRetry({ ...quick, attempts: 5 }), name: "inner", kind: "inner" };
    const agent = new Agent({ model, middleware: [budget({ wallMs: 100 }), inner] });
    expect(await ends(failureOf(agent.run("Hello?")))).toMatchObject({ code: "RUN_BUDGET" });
    expect(requests).toBe(1);
  });
});

describe("options of budget", () => {
  const test = { inputPerMillion: 1, outputPerMillion: 1 };
  it.each([
    [{ steps: 0 }, /budget\(\): `steps` must be a positive integer; it is 0\./],
    [{ requests: 1.5 }, /`requests` must be a positive integer; it is 1\.5\./],
    [{ toolCalls: "3" }, /`toolCalls` must be a positive integer; it is "3"\./],
    [{ tokens: -1 }, /`tokens` must be a positive integer; it is -1\./],
    [{ wallMs: 0 }, /`wallMs` must be more than 0 milliseconds; it is 0\./],
    [{ wallMs: Number.NaN }, /`wallMs` must be a number of milliseconds.*; it is NaN\./],
    [{ steps: 1, onExhausted: "end" }, /`onExhausted` must be one of "throw", "answer", "stop"; it is "end"\./],
    [{ cost: 0.5 }, /`cost` must be \{ usd, prices \}; it is 0\.5\./],
    [{ cost: { usd: 0, prices: { test } } }, /`usd` must be a number above 0; it is 0\./],
    [{ cost: { usd: 1 } }, /`cost\.prices` must be an object of prices by model name; it is undefined\./],
    [{ cost: { usd: 1, prices: {} } }, /`prices` must be an object of prices by model name; it is an object\./],
    [
      { cost: { usd: 1, prices: { test: { inputPerMillion: 1 } } } },
      /prices of "test".*`outputPerMillion` must be a number from 0; it is undefined\./,
    ],
    [{ cost: { usd: 1, prices: { test: { ...test, input: 1 } } } }, /prices of "test".* has no option "input"/],
    [{ turns: 3 }, /budget\(\) has no option "turns"; it has steps, requests/],
    [{}, /budget\(\) bounds nothing\.[^]*Fix: /],
    [{ onExhausted: "stop" }, /budget\(\) bounds nothing\./],
    [undefined, /budget\(\) takes an object of options; it got undefined\./],
  ])("%j are refused, with the bad value", (options, message) => {
    expect(() => budget(options as BudgetOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });

  it("are shown without prices", () => {
    const { options } = budget({ steps: 3, cost: { usd: 1, prices: { test } } });
    expect(options).toEqual({ steps: 3, cost: { usd: 1, models: ["test"] }, onExhausted: "throw" });
  });

  it("are those of the time when it was made", async () => {
    await using stand = await insatiable();
    const options: { requests: number } = { requests: 2 };
    const { agent } = agentOf(stand, [budget(options)]);
    options.requests = 5;
    await expect(ends(agent.run("Look."))).rejects.toMatchObject({ code: "RUN_BUDGET" });
    expect(stand.server.requests).toHaveLength(2);
  });
});
