import { context } from "@opentelemetry/api";
import { Agent, type Middleware, ToolError } from "@toolwright/core";
import { modelRetry, outputGuard, standard, stepBudget, toolRetry } from "@toolwright/core/middleware";
import { reply, type Script } from "@toolwright/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { followContexts, named, telemetry, traced, tree } from "../support/telemetry.js";
import { callOf, numberTool } from "../support/tools.js";
import { forever, sleep } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

beforeAll(followContexts);
afterAll(() => context.disable());

describe("spans of a run, whatever it comes to", () => {
  it("are one a request and an attempt inside the retries, and one for all outside", async () => {
    const script: Script = [reply.http(500), reply.calls(callOf("flaky", "call_1", 1)), reply.text("Done.")];
    for (const inside of [true, false]) {
      await using to = await telemetry();
      await using stand = await serve(script);
      let tries = 0;
      const flaky = numberTool("flaky", () => {
        tries += 1;
        if (tries === 1) throw new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
        return "ok";
      });
      const retries = [modelRetry({ minDelayMs: 1 }), toolRetry({ minDelayMs: 1 })];
      const middleware = inside ? [...retries, traced(to)] : [traced(to), ...retries];
      await new Agent({ model: "test", client: stand.client, tools: [flaky], middleware }).run("Go.");
      const { spans } = await to.flush();
      const told = (prefix: string): readonly unknown[] =>
        spans.filter(({ name }) => name.startsWith(prefix)).map(({ attributes, status }) => [attributes["error.type"], status.code ?? 0]);
      const failed = (type: string): readonly unknown[] => (inside ? [[type, 2]] : []);
      expect(told("chat")).toEqual([...failed("MODEL_SERVER"), [undefined, 0], [undefined, 0]]);
      expect(told("execute_tool")).toEqual([...failed("BUSY"), [undefined, 0]]);
      expect(tree(spans)).toHaveLength(1);
    }
  });

  it("end with an abort, whatever hangs", async () => {
    await using to = await telemetry();
    await using stand = await serve([reply.calls(callOf("hang", "call_1", 1), callOf("hang", "call_2", 2))]);
    const controller = new AbortController();
    const hang = numberTool("hang", () => (setTimeout(() => controller.abort(new Error("private")), 10), forever()), { effect: "write" });
    const agent = new Agent({ model: "test", client: stand.client, tools: [hang], middleware: [...standard(), traced(to)] });
    expect(await failureOf(agent.run("Go.", { signal: controller.signal }))).toMatchObject({ code: "RUN_ABORTED" });
    await sleep(60);
    const { spans, text } = await to.flush();
    expect(spans.map(({ name }) => name).toSorted()).toEqual(["chat test", "execute_tool hang", "execute_tool hang", "invoke_agent"]);
    const calls = spans
      .filter(({ name }) => name === "execute_tool hang")
      .map(({ attributes }) => [attributes["toolwright.outcome"], attributes["error.type"]]);
    // The second one waited for the first one's lane.
    expect(calls.toSorted()).toEqual([
      ["skipped", undefined],
      ["unknown", "TOOL_ABORTED"],
    ]);
    expect(named(spans, "invoke_agent")).toMatchObject({
      status: { code: 2, message: "RUN_ABORTED" },
      attributes: { "error.type": "RUN_ABORTED" },
    });
    expect(text).not.toContain("private");
  });

  it("end with an abort also where a layer hangs that does not heed it", async () => {
    await using to = await telemetry();
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1))]);
    const controller = new AbortController();
    const deaf: Middleware = { name: "deaf", wrapToolCall: () => (setTimeout(() => controller.abort(), 10), forever()) };
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], middleware: [traced(to), deaf] });
    await failureOf(agent.run("Go.", { signal: controller.signal }));
    await sleep(60);
    const { spans } = await to.flush();
    expect(named(spans, "execute_tool look")).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "RUN_ABORTED" } });
    expect(spans).toHaveLength(3);
  });

  it("end with a pause, and the run that goes on names the one that paused", async () => {
    await using to = await telemetry();
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Paid.")]);
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [traced(to)] });
    const paused = await agent.run("Pay.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    await agent.resume(JSON.stringify(paused.state), { decisions: [{ callId: "call_1", approve: true }] });
    const { spans } = await to.flush();
    const [first, second] = spans.filter(({ name }) => name === "invoke_agent");
    expect([first, second].map((span) => span?.attributes["toolwright.stop_reason"])).toEqual(["interrupted", "completed"]);
    expect([first?.status.code ?? 0, second?.status.code ?? 0]).toEqual([0, 0]);
    expect(second?.links).toEqual([{ traceId: first?.traceId, spanId: first?.spanId }]);
    expect(spans.filter(({ name }) => name === "execute_tool pay").map((span) => span.attributes["toolwright.outcome"])).toEqual([
      "interrupted",
      "ok",
    ]);
    // What was used before the pause is not counted twice.
    expect(Number(second?.attributes["gen_ai.usage.output_tokens"])).toBeLessThan(
      Number(first?.attributes["gen_ai.usage.output_tokens"]) * 2,
    );
  });

  it.each<readonly [string, Script, readonly Middleware[], object]>([
    ["a refusal", [reply.refusal("No.")], [], { "toolwright.stop_reason": "refused" }],
    [
      "a budget that stops",
      [reply.calls(callOf("look", "call_1", 1))],
      [stepBudget(1, { onExhausted: "stop" })],
      { "toolwright.stop_reason": "budget" },
    ],
  ])("are no errors at %s", async (_, script, middleware, attributes) => {
    await using to = await telemetry();
    await using stand = await serve(script);
    await new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", (n) => n)],
      middleware: [traced(to), ...middleware],
    }).run("Go.");
    const { spans } = await to.flush();
    expect(named(spans, "invoke_agent")).toMatchObject({ status: {}, attributes });
    for (const span of spans) expect(span.attributes["error.type"]).toBeUndefined();
  });

  it("tell the type of what failed, never its message", async () => {
    await using to = await telemetry();
    await using stand = await serve([
      reply.calls(
        callOf("fail", "call_1", 1),
        { callId: "call_2", name: "secret-invented-name", arguments: {} },
        { callId: "call_3", name: "fail", arguments: "{" },
      ),
      reply.text("secret-answer"),
      reply.http(400, { message: "secret-quoted prompt" }),
    ]);
    const fail = numberTool("fail", () => {
      throw new Error("secret-thrown");
    });
    const guard = outputGuard({ check: () => ({ block: "secret-reason" }) });
    const agent = new Agent({ model: "test", client: stand.client, tools: [fail], middleware: [traced(to), guard] });
    await failureOf(agent.run("Go."));
    await failureOf(agent.run("Go."));
    const { spans, text } = await to.flush();
    const types = spans.map((span) => `${span.name}: ${String(span.attributes["error.type"])}`);
    expect(types.toSorted()).toEqual([
      "chat test: MODEL_BAD_REQUEST",
      "chat test: RUN_BLOCKED",
      "chat test: undefined",
      "execute_tool fail: TOOL_ARGUMENTS_INVALID",
      "execute_tool fail: TOOL_FAILED",
      "execute_tool: TOOL_UNKNOWN",
      "invoke_agent: MODEL_BAD_REQUEST",
      "invoke_agent: RUN_BLOCKED",
    ]);
    expect(text).not.toContain("secret-");
  });
});

describe("metrics of a run", () => {
  it("count requests, tokens, calls and runs, in the buckets of the conventions", async () => {
    await using to = await telemetry();
    await using stand = await serve([
      reply.http(500),
      reply.calls(callOf("look", "call_1", 1)).with({ usage: { inputTokens: 120, outputTokens: 30 } }),
      reply.text("Done.").with({ usage: { inputTokens: 200, outputTokens: 10 } }),
    ]);
    const agent = new Agent({
      name: "clerk",
      model: "test",
      client: stand.client,
      tools: [numberTool("look", (n) => n)],
      middleware: [modelRetry({ minDelayMs: 1 }), traced(to)],
    });
    await agent.run("Go.");
    const { points } = await to.flush();
    const of = (metric: string) => points.filter((point) => point.metric === metric);
    const chat = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "test" };
    expect(of("gen_ai.client.operation.duration")).toMatchObject([
      { unit: "s", count: 1, attributes: { ...chat, "error.type": "MODEL_SERVER" } },
      { unit: "s", count: 2, attributes: chat },
    ]);
    expect(of("gen_ai.client.operation.duration")[0]?.bounds).toEqual([
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ]);
    expect(
      of("gen_ai.client.token.usage").map(({ count, sum, unit, attributes }) => [attributes["gen_ai.token.type"], count, sum, unit]),
    ).toEqual([
      ["input", 2, 320, "{token}"],
      ["output", 2, 40, "{token}"],
    ]);
    expect(of("gen_ai.client.token.usage")[0]?.bounds[3]).toBe(64);
    expect(of("gen_ai.execute_tool.duration")).toMatchObject([
      { count: 1, attributes: { "gen_ai.tool.name": "look", "gen_ai.agent.name": "clerk" } },
    ]);
    expect(of("gen_ai.invoke_agent.duration")).toMatchObject([
      { count: 1, attributes: { "gen_ai.agent.name": "clerk", "gen_ai.request.model": "test" } },
    ]);
    // Nothing that differs from run to run is counted by.
    expect(JSON.stringify(points)).not.toMatch(/call_1|run\.id|step/);
  });
});
