import {
  Agent,
  type AgentOptions,
  defineMiddleware,
  handoff,
  type RunEvent,
  type RunState,
  ToolError,
  ToolwrightError,
} from "@toolwright/core";
import { budget, stepBudget } from "@toolwright/core/middleware";
import { type CallSpec, reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { collect, failureOf, type RunFailure } from "../support/ways.js";

const ask = (input: string, callId = "call_ask") => ({ name: "helper", callId, id: `fc_of_${callId}`, arguments: { input } });

/** An agent whose only tool is another agent, on one server: replies come in the order in which they are asked for. */
function pair(stand: Stand, inner: Partial<AgentOptions>, outer: Partial<AgentOptions> = {}) {
  const helper = new Agent({ model: "inner", client: stand.client, ...inner });
  const agent = new Agent({
    model: "outer",
    client: stand.client,
    ...outer,
    tools: [helper.asTool({ name: "helper", description: "Helps." }), ...(outer.tools ?? [])],
  });
  return { helper, agent };
}

describe("an agent as a tool", () => {
  it("answers a call by a run of its own, and its requests and tokens count in the run above", async () => {
    await using stand = await serve([
      reply.calls(ask("How many?")),
      reply.calls(callOf("look", "call_1", 1)),
      reply.text("Seven."),
      reply.text("It is seven."),
    ]);
    const { agent } = pair(stand, { tools: [numberTool("look", () => "7")] });
    const result = await ends(agent.run("Go."));
    expect(result).toMatchObject({ output: "It is seven.", usage: { requests: 4 } });
    expect(result.steps.map(({ usage }) => usage.requests)).toEqual([3, 1]);
    const bodies = [0, 1, 2, 3].map((index) => stand.server.request(index).body);
    expect(bodies.map(({ model }) => model)).toEqual(["outer", "inner", "inner", "outer"]);
    expect(inputOf(stand.server.request(1))).toMatchObject([{ role: "user", content: "How many?" }]);
    expect(outputsIn(inputOf(stand.server.request(3)))).toEqual([["call_ask", "Seven."]]);
    stand.server.assertDone();
  });

  it("tells its events inside of events of the outer run, text included", async () => {
    await using stand = await serve([reply.calls(ask("Hm?")), reply.text("Inner."), reply.text("Outer.")]);
    const { agent } = pair(stand, {});
    const { events } = await ends(collect(agent, "Go."));
    expect(
      events
        .filter(({ type }) => type === "text-delta")
        .map((event) => (event as { text: string }).text)
        .join(""),
    ).toBe("Outer.");
    const told = events.flatMap((event) => (event.type === "agent-event" ? [event.event] : []));
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(["run-start", "step-start", "text-delta", "run-end"]));
    expect(new Set(told.map(({ path }) => path.join("/")))).toEqual(new Set(["helper"]));
    const [start, outcome] = ["tool-start", "tool-outcome"].map((type) => events.findIndex((event) => event.type === type));
    expect(events.findIndex(({ type }) => type === "agent-event")).toBeGreaterThan(start as number);
    expect(events.findLastIndex(({ type }) => type === "agent-event")).toBeLessThan(outcome as number);
  });

  it("several at once, and tools of one lane in both runs, do not wait for each other", async () => {
    await using stand = await serve((request) => {
      const { model, input } = request.body as { model: string; input: { type: string }[] };
      const answered = input.some(({ type }) => type === "function_call_output");
      if (answered) return reply.text(`${model} done`);
      return model === "inner"
        ? reply.calls(callOf("book", "call_b", 1))
        : reply.calls(ask("a", "call_1"), ask("b", "call_2"), callOf("book", "call_3", 1));
    });
    const booked: string[] = [];
    const book = numberTool("book", (_, { runId }) => booked.push(runId), { effect: "write", resource: "thing:{n}" });
    const { agent } = pair(stand, { tools: [book], concurrency: 1 }, { tools: [book] as never, concurrency: 1 });
    const result = await ends(agent.run("Go."));
    expect(result).toMatchObject({ stopReason: "completed", usage: { requests: 6 } });
    expect(new Set(booked).size).toBe(3);
  });

  it("is no read when it can hand over, or has tools that the provider runs and that may act", () => {
    const read = numberTool("t", () => 1);
    const other = new Agent({ name: "other", model: "test" });
    const effectOf = (tools: AgentOptions["tools"]) =>
      new Agent({ model: "test", tools: tools ?? [] }).asTool({ name: "helper", description: "Helps." })["~toolwright.tools"].tools()[0]
        ?.info.effect;
    expect(effectOf([read, handoff(other)])).toBe("write");
    expect(effectOf([read, { type: "mcp", server_label: "x", server_url: "http://127.0.0.1:1" }])).toBe("write");
    expect(effectOf([read, { type: "web_search" }])).toBe("read");
  });

  it("is a read when its tools all read, and a write when not", () => {
    const agentWith = (effect: "read" | "write") =>
      new Agent({ model: "test", tools: [numberTool("t", () => 1, { effect })] }).asTool({ name: "helper", description: "Helps." });
    const effects = (["read", "write"] as const).map((effect) => agentWith(effect)["~toolwright.tools"].tools()[0]?.info.effect);
    expect(effects).toEqual(["read", "write"]);
  });

  it("a failure inside is a failed call with a code and nothing private; after a write it is unknown", async () => {
    for (const effect of ["read", "write"] as const) {
      await using stand = await serve([
        reply.calls(ask("Go.")),
        reply.calls(callOf("act", "call_1", 1)),
        reply.http(500, { message: "secret-host-17" }),
        reply.text("I see."),
      ]);
      const { agent } = pair(stand, { tools: [numberTool("act", () => "done", { effect })] });
      const result = await ends(agent.run("Go."));
      const [[, output] = []] = outputsIn(inputOf(stand.server.request(3)));
      expect(errorIn(output)).toMatchObject({
        code: "TOOL_AGENT_FAILED",
        message: expect.stringContaining("MODEL_SERVER"),
        retryable: false,
      });
      expect(output).not.toContain("secret-host-17");
      expect(result.steps[0]?.calls[0]?.outcome.kind).toBe(effect === "read" ? "failed" : "unknown");
    }
  });

  it("is aborted with the run above", async () => {
    await using stand = await serve([reply.calls(ask("Go.")), reply.calls(callOf("hang", "call_1", 1))]);
    const controller = new AbortController();
    const inside = Promise.withResolvers<AbortSignal>();
    const hang = numberTool("hang", (_, { signal }) => (inside.resolve(signal), forever()));
    const { agent } = pair(stand, { tools: [hang] });
    const run = agent.run("Go.", { signal: controller.signal });
    const signal = await ends(inside.promise);
    controller.abort(new Error("enough"));
    const error = await ends(failureOf(run));
    expect(error.code).toBe("RUN_ABORTED");
    expect(signal.aborted).toBe(true);
    expect(error.result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "failed", error: { code: "TOOL_ABORTED" } });
  });

  it("its time is over: the call ends, and the outer run goes on", async () => {
    await using stand = await serve([reply.calls(ask("Go.")), reply.calls(callOf("hang", "call_1", 1)), reply.text("So be it.")]);
    const helper = new Agent({ model: "inner", client: stand.client, tools: [numberTool("hang", forever)] });
    const tool = helper.asTool({ name: "helper", description: "Helps.", timeoutMs: 200 });
    const result = await ends(new Agent({ model: "outer", client: stand.client, tools: [tool] }).run("Go."));
    expect(result).toMatchObject({
      output: "So be it.",
      steps: [{ calls: [{ outcome: { kind: "failed", error: { code: "TOOL_TIMEOUT" } } }] }, {}],
    });
  });

  it("its own budget ends the call, not the run", async () => {
    await using stand = await serve([reply.calls(ask("Go.")), reply.calls(callOf("look", "call_1", 1)), reply.text("So be it.")]);
    const { agent } = pair(stand, { tools: [numberTool("look", () => 1)], middleware: [stepBudget(1, { onExhausted: "stop" })] });
    const result = await ends(agent.run("Go."));
    expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({
      kind: "failed",
      error: { message: expect.stringContaining("budget of 1 step") },
    });
  });

  it("a middleware of the run above is asked before each request of it", async () => {
    await using stand = await serve([reply.calls(ask("Go.")), reply.calls(callOf("look", "call_1", 1)), reply.text("So be it.")]);
    const asked: string[] = [];
    const limit = defineMiddleware({
      name: "limit",
      onRequest({ model, path }) {
        if (asked.length === 2 && path.length > 0) throw new ToolwrightError("RUN_BUDGET", "Enough.");
        asked.push(`${path.join("/")} ${model}`);
      },
    });
    const { agent } = pair(stand, { tools: [numberTool("look", () => 1)] }, { middleware: [limit] });
    const result = await ends(agent.run("Go."));
    expect(asked).toEqual([" outer", "helper inner", " outer"]);
    expect(result.usage.requests).toBe(3);
    expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "failed", error: { message: expect.stringContaining("RUN_BUDGET") } });
  });
});

describe("budgets of the run above hold inside", () => {
  const looking = reply.calls(callOf("look", "call_1", 1));
  it.each([
    ["requests", { requests: 3 }, 3],
    ["tokens", { tokens: 1 }, 1],
    [
      "cost",
      {
        cost: {
          usd: 0.000001,
          prices: { outer: { inputPerMillion: 1, outputPerMillion: 1 }, inner: { inputPerMillion: 1, outputPerMillion: 1 } },
        },
      },
      1,
    ],
  ] as const)("%s", async (name, limits, requests) => {
    await using stand = await serve([reply.calls(ask("Go.")), looking, looking, looking, reply.text("Never.")]);
    const { agent } = pair(stand, { tools: [numberTool("look", () => 1)] }, { middleware: [budget(limits)] });
    const error = await ends(failureOf(agent.run("Go.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: name } });
    expect(error.result.usage.requests).toBe(requests);
    expect(error.result.steps).toHaveLength(1);
  });

  it("what an agent inside has cost stays on the bill over a pause", async () => {
    const perMillion = { inputPerMillion: 1, outputPerMillion: 1 };
    let asked = 0;
    // Each request costs a dollar.
    const calling = (name: string, call: CallSpec) => ({
      name,
      respond: async () => {
        asked += 1;
        const item = {
          type: "function_call",
          call_id: `${call.callId}_${asked}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
        };
        const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 1_000_000 };
        return { id: undefined, output: [item], usage };
      },
    });
    const act = numberTool("act", () => 1, { effect: "write", approval: true });
    const helper = new Agent({ model: calling("inner", callOf("act", "call", 1)), tools: [act] });
    const agent = new Agent({
      model: calling("outer", ask("Go.", "call_ask")),
      tools: [helper.asTool({ name: "helper", description: "Helps." })],
      middleware: [budget({ cost: { usd: 4, prices: { outer: perMillion, inner: perMillion } } })],
    });
    let run = agent.run("Go.");
    for (let pauses = 0; pauses < 10; pauses += 1) {
      const result = await ends(run.catch((error: unknown) => error as RunFailure));
      if (ToolwrightError.is(result)) break;
      if (result.stopReason !== "interrupted") throw new Error(result.stopReason);
      const decisions = result.interruptions.map(({ callId }) => ({ callId, approve: true }) as const);
      run = agent.resume(JSON.stringify(result.state), { decisions });
    }
    expect(await failureOf(run)).toMatchObject({ code: "RUN_BUDGET", details: { budget: "cost" } });
    expect(asked).toBe(4);
  });

  it("a model inside that has no price ends the run before it is asked: that is no failure of a tool", async () => {
    await using stand = await serve([reply.calls(ask("Go."))]);
    const prices = { outer: { inputPerMillion: 1, outputPerMillion: 1 } };
    const { agent } = pair(stand, {}, { middleware: [budget({ cost: { usd: 5, prices } })] });
    const error = await ends(failureOf(agent.run("Go.")));
    expect(error).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringContaining('"inner"') });
    expect(error.result.usage.requests).toBe(1);
  });
});

describe("a pause inside", () => {
  const script = () => [
    reply.calls(ask("Cancel 7."), callOf("look", "call_look", 3)),
    reply.calls(callOf("cancel", "call_c", 7), callOf("cancel", "call_d", 8)),
    reply.text("Cancelled."),
    reply.text("All done."),
  ];
  function paused(stand: Stand) {
    const done: string[] = [];
    const cancel = numberTool("cancel", (n) => (done.push(`cancel ${n}`), "ok"), {
      effect: "destructive",
      approval: true,
      resource: "order:{n}",
    });
    const look = numberTool("look", (n) => (done.push(`look ${n}`), "seen"));
    return { done, ...pair(stand, { tools: [cancel] }, { tools: [look] }) };
  }

  it("surfaces at the top, and is resumed there through JSON", async () => {
    await using stand = await serve(script());
    const { agent, done } = paused(stand);
    const first = await ends(agent.run("Go."));
    if (first.stopReason !== "interrupted") throw new Error(first.stopReason);
    expect(first.interruptions).toEqual([
      { callId: "call_ask/call_c", path: ["helper"], tool: "cancel", arguments: { n: 7 }, reason: "approval" },
      { callId: "call_ask/call_d", path: ["helper"], tool: "cancel", arguments: { n: 8 }, reason: "approval" },
    ]);
    expect(done).toEqual(["look 3"]);

    const again = paused(stand);
    const state = JSON.parse(JSON.stringify(first.state)) as RunState;
    const half = await ends(again.agent.resume(state, { decisions: [{ callId: "call_ask/call_c", approve: true, arguments: { n: 70 } }] }));
    if (half.stopReason !== "interrupted") throw new Error(half.stopReason);
    expect(half.interruptions.map(({ callId }) => callId)).toEqual(["call_ask/call_d"]);
    const decisions = [{ callId: "call_ask/call_d", approve: false, reason: "Keep it." }] as const;
    const result = await ends(again.agent.resume(JSON.stringify(half.state), { decisions }));
    expect(result).toMatchObject({ stopReason: "completed", output: "All done.", usage: { requests: 4 } });
    expect(again.done).toEqual(["cancel 70"]);
    expect(outputsIn(inputOf(stand.server.request(3))).map(([id]) => id)).toEqual(["call_ask", "call_look"]);
    const denied = outputsIn(inputOf(stand.server.request(2))).find(([id]) => id === "call_d");
    expect(errorIn(denied?.[1]).message).toContain("Keep it.");
    stand.server.assertDone();
  });

  it("refuses decisions about calls that do not wait, naming those that do", async () => {
    await using stand = await serve(script());
    const { agent } = paused(stand);
    const first = await ends(agent.run("Go."));
    if (first.stopReason !== "interrupted") throw new Error(first.stopReason);
    for (const callId of ["call_ask", "call_c", "call_ask/call_x"]) {
      const error = await failureOf(agent.resume(first.state, { decisions: [{ callId, approve: true }] }));
      expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("call_d") });
    }
  });

  it("a new run on the history answers the agent's call as skipped", async () => {
    await using stand = await serve([...script().slice(0, 2), reply.text("As you like.")]);
    const { agent, done } = paused(stand);
    const first = await ends(agent.run("Go."));
    const result = await ends(agent.run("Never mind.", { history: first.history }));
    expect(result).toMatchObject({ output: "As you like." });
    expect(done).toEqual(["look 3"]);
  });

  it("three deep, the ids name the way", async () => {
    await using stand = await serve([
      reply.calls({ ...ask("x", "call_1"), name: "middle" }),
      reply.calls({ ...ask("y", "call_2") }),
      reply.calls(callOf("cancel", "call_3", 7)),
      reply.text("c"),
      reply.text("b"),
      reply.text("a"),
    ]);
    const cancel = numberTool("cancel", () => "ok", { effect: "write", approval: true });
    const model = { model: "m", client: stand.client };
    const innermost = new Agent({ ...model, tools: [cancel] });
    const middle = new Agent({ ...model, tools: [innermost.asTool({ name: "helper", description: "Helps." })] });
    const agent = new Agent({ ...model, tools: [middle.asTool({ name: "middle", description: "Helps." })] });
    const first = await ends(agent.run("Go."));
    if (first.stopReason !== "interrupted") throw new Error(first.stopReason);
    expect(first.interruptions).toMatchObject([{ callId: "call_1/call_2/call_3", path: ["middle", "helper"] }]);
    const stream = agent.stream(first.state, { decisions: [{ callId: "call_1/call_2/call_3", approve: true }] });
    const events: RunEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(await stream.result).toMatchObject({ output: "a", usage: { requests: 6 } });
    expect(events.some(({ type }) => type === "agent-event")).toBe(true);
  });
});

it("a ToolError inside stays inside", async () => {
  await using stand = await serve([
    reply.calls(ask("Go.")),
    reply.calls(callOf("no", "call_1", 1)),
    reply.text("It cannot be."),
    reply.text("Sorry."),
  ]);
  const no = numberTool("no", () => {
    throw new ToolError({ code: "NO", message: "No.", retryable: false });
  });
  const { agent } = pair(stand, { tools: [no] });
  expect(await ends(agent.run("Go."))).toMatchObject({ output: "Sorry." });
});
