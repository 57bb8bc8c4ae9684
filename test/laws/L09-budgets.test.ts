import { Agent, defineMiddleware } from "@toolwright/core";
import { modelRetry, stepBudget } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, runIn, ways, waysAndHistories } from "../support/ways.js";

/** A model that never stops calling. */
const endless = ({ index }: { readonly index: number }) => reply.calls(callOf("look", `call_${index}`, index));

describe.each(waysAndHistories)("L09: steps are bounded ($way, $kind)", ({ way, history }) => {
  it.each([1, 2, 7])("maxSteps %i: so many requests and not one more, and the calls of the last reply do not run", async (maxSteps) => {
    await using stand = await serve(endless);
    const seen: number[] = [];
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => seen.push(n))], maxSteps, history });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "steps", limit: maxSteps } });
    expect(stand.server.requests).toHaveLength(maxSteps);
    expect(error.result.usage.requests).toBe(maxSteps);
    expect(error.result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([
      ...Array.from({ length: maxSteps - 1 }, () => ["ok"]),
      ["skipped"],
    ]);
    expect(seen).toEqual(Array.from({ length: maxSteps - 1 }, (_, index) => index));
  });

  it("a run without a bound of its own ends after 20 steps", async () => {
    await using stand = await serve(endless);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], history });
    expect((await ends(failureOf(runIn(way, agent, "Go.")))).code).toBe("RUN_BUDGET");
    expect(stand.server.requests).toHaveLength(20);
  });

  it("an answer in the last step is an answer", async () => {
    await using stand = await serve([endless, reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], maxSteps: 2, history });
    expect(await ends(runIn(way, agent, "Go."))).toMatchObject({ stopReason: "completed", usage: { requests: 2 } });
    stand.server.assertDone();
  });

  it("a step budget in the pipeline takes the place of the default, and goes past 20", async () => {
    await using stand = await serve(endless);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", (n) => n)],
      middleware: [stepBudget(23)],
      history,
    });
    expect((await ends(failureOf(runIn(way, agent, "Go.")))).code).toBe("RUN_BUDGET");
    expect(stand.server.requests).toHaveLength(23);
  });

  it("of two bounds the lower one holds", async () => {
    await using stand = await serve(endless);
    const tools = [numberTool("look", (n) => n)];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [stepBudget(5)], maxSteps: 3, history });
    expect((await ends(failureOf(runIn(way, agent, "Go.")))).code).toBe("RUN_BUDGET");
    expect(stand.server.requests).toHaveLength(3);
  });

  it("a repeated request is a request, but no step", async () => {
    const busy = reply.http(500, { code: "server_error" });
    await using stand = await serve([busy, endless, busy, busy, reply.text("Done.")]);
    const tools = [numberTool("look", (n) => n)];
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools,
      middleware: [modelRetry({ minDelayMs: 1, maxDelayMs: 1 })],
      maxSteps: 2,
      history,
    });
    const result = await ends(runIn(way, agent, "Go."));
    expect(result).toMatchObject({ stopReason: "completed", usage: { requests: 5 } });
    expect(result.steps.map((step) => step.usage.requests)).toEqual([2, 3]);
    stand.server.assertDone();
  });
});

describe.each(ways)("L09: what is counted (%s)", (way) => {
  it("requests that fail and tokens that a cut-off response cost", async () => {
    await using stand = await serve([
      endless,
      reply.incomplete({}, reply.text("Hel")).with({ usage: { inputTokens: 100, outputTokens: 7, reasoningTokens: 3 } }),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)] });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    const first = error.result.steps[0]?.usage;
    expect(error.result.usage).toMatchObject({
      requests: 2,
      inputTokens: (first?.inputTokens ?? 0) + 100,
      outputTokens: (first?.outputTokens ?? 0) + 7,
      reasoningTokens: 3,
    });
  });

  it("counters live in the run, so that two runs of one agent at once do not share them", async () => {
    await using stand = await serve(({ context }) =>
      context.some((item) => item.type === "function_call") ? reply.text("Done.") : reply.calls({ name: "look", arguments: { n: 1 } }),
    );
    let inside = 0;
    const both = Promise.withResolvers<void>();
    const look = numberTool(
      "look",
      (n) => {
        if (++inside === 2) both.resolve();
        return both.promise.then(() => n);
      },
      { maxCalls: 1 },
    );
    const count = defineMiddleware({
      name: "count",
      state: () => ({ calls: 0 }),
      async wrapToolCall(call, next, { state }) {
        state.calls += 1;
        const outcome = await next(call);
        return { ...outcome, output: `call ${state.calls}` };
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware: [count], maxSteps: 2 });
    const results = await ends(Promise.all([runIn(way, agent, "One."), runIn(way, agent, "Two.")]));
    for (const result of results) {
      expect(result).toMatchObject({ stopReason: "completed", usage: { requests: 2 } });
      expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "ok", output: "call 1" });
    }
  });

  it.each([1, 2, 5])("five calls side by side do not slip past maxCalls %i, and the first ones run", async (maxCalls) => {
    const five = reply.calls(...Array.from({ length: 5 }, (_, n) => callOf("look", `call_${n}`, n)));
    await using stand = await serve([five, reply.calls(callOf("look", "call_later", 9)), reply.text("Done.")]);
    const seen: number[] = [];
    const look = numberTool("look", async (n) => (await sleep(5 - n), seen.push(n), n), { maxCalls });
    const slow = defineMiddleware({ name: "slow", wrapToolCall: async (call, next) => (await sleep(5), next(call)) });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware: [slow] });
    const result = await ends(runIn(way, agent, "Go."));
    expect(seen.toSorted()).toEqual(Array.from({ length: maxCalls }, (_, n) => n));
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(
      Array.from({ length: 5 }, (_, n) => (n < maxCalls ? "ok" : "skipped")),
    );
    // Of the run, not of the step.
    expect(result.steps[1]?.calls[0]?.outcome.kind).toBe("skipped");
    stand.server.assertDone();
  });

  it("calls that were wrong do not use the limit up", async () => {
    await using stand = await serve([
      reply.calls({ name: "look", callId: "call_1", arguments: {} }, callOf("look", "call_2", 2)),
      reply.text("Done."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n, { maxCalls: 1 })] });
    const result = await ends(runIn(way, agent, "Go."));
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["invalid", "ok"]);
  });

  it("a call that waited for approval is counted once", async () => {
    await using stand = await serve([
      reply.calls(callOf("ask", "call_1", 1), callOf("ask", "call_2", 2)),
      reply.calls(callOf("ask", "call_3", 3)),
      reply.text("Done."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("ask", (n) => n, { maxCalls: 2, approval: true })] });
    const paused = await ends(runIn(way, agent, "Go."));
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const decisions = paused.interruptions.map(({ callId }) => ({ callId, approve: true as const }));
    const result = await ends(agent.resume(JSON.stringify(paused.state), { decisions }));
    expect(result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([["ok", "ok"], ["skipped"], []]);
  });

  it.each([1, 3])("concurrency %i: no more methods run at once, and all of them run", async (concurrency) => {
    const eight = reply.calls(...Array.from({ length: 8 }, (_, n) => callOf("look", `call_${n}`, n)));
    await using stand = await serve([eight, reply.text("Done.")]);
    let now = 0;
    let most = 0;
    const look = numberTool("look", async (n) => {
      most = Math.max(most, ++now);
      await sleep(3);
      now -= 1;
      if (n % 3 === 0) throw new Error("some of them fail");
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], concurrency });
    const result = await ends(runIn(way, agent, "Go."));
    expect(most).toBe(concurrency);
    expect(result.steps[0]?.calls.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 8 }, () => 1));
  });
});
