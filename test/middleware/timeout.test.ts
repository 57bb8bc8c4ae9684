import { Agent, type Model, openaiModel } from "@toolwright/core";
import { budget, fallback, modelRetry, rateLimit, standard, timeout, type TimeoutOptions, toolRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, untilAborted } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const quick = { minDelayMs: 1, maxDelayMs: 1 } as const;
const silence = reply.hang({ beforeHeaders: true }, reply.text("Late."));

describe.each(ways)("timeout({ modelMs }) (%s)", (way) => {
  it("ends a request that takes too long, with an error that says so, and closes its connection", async () => {
    await using stand = await serve([silence]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [timeout({ modelMs: 80 })] });
    const error = await ends(failureOf(runIn(way, agent, "Hello?")));
    expect(error).toMatchObject({ code: "MODEL_TIMEOUT", retryable: true, details: { limitMs: 80 }, result: { usage: { requests: 1 } } });
    expect(error.message).toMatch(/^The model test did not answer within 80 ms\.\nFix: /);
    expect(await ends(stand.server.request(0).ended)).toBe("aborted");
  });

  it("gives each attempt of a retry its own time, wherever it was put", async () => {
    for (const order of [
      [timeout({ modelMs: 250 }), modelRetry(quick)],
      [modelRetry(quick), timeout({ modelMs: 250 })],
    ]) {
      await using stand = await serve([silence, silence, reply.text("Here.").with({ delayMs: 60 })]);
      const agent = new Agent({ model: "test", client: stand.client, middleware: order });
      expect(await ends(runIn(way, agent, "Hello?"))).toMatchObject({ output: "Here.", usage: { requests: 3 } });
      stand.server.assertDone();
    }
  });

  it("does not count the wait for a rate limit", async () => {
    await using stand = await serve(() => reply.text("Here.").with({ delayMs: 100 }));
    const middleware = [timeout({ modelMs: 1_500 }), rateLimit({ concurrency: 1 })];
    const agent = new Agent({ model: "test", client: stand.client, middleware });
    // One after the other, twenty take longer than one may.
    const results = await ends(Promise.all(Array.from({ length: 20 }, () => runIn(way, agent, "Hello?"))));
    expect(results.map(({ stopReason }) => stopReason)).toEqual(Array(20).fill("completed"));
  });

  it("leaves an abort what it is", async () => {
    await using stand = await serve([silence]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [timeout({ modelMs: 60_000 }), modelRetry(quick)] });
    const controller = new AbortController();
    const run = failureOf(runIn(way, agent, "Hello?", { signal: controller.signal }));
    await stand.server.waitForRequest(0);
    controller.abort(new Error("enough"));
    expect(await ends(run)).toMatchObject({ code: "RUN_ABORTED", cause: { message: "enough" } });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("lets the next model answer", async () => {
    await using stand = await serve(({ body }) => (body.model === "test" ? silence : reply.text("Here.")));
    const agent = new Agent({
      model: "test",
      client: stand.client,
      middleware: [timeout({ modelMs: 80 }), fallback({ models: ["other"] })],
    });
    expect(await ends(runIn(way, agent, "Hello?"))).toMatchObject({ output: "Here.", usage: { requests: 2 } });
  });
});

describe("timeout({ modelMs })", () => {
  it("leaves no timer behind", async () => {
    const model: Model = {
      name: "instant",
      respond: async () => ({
        id: undefined,
        output: [{ type: "message", role: "assistant", content: "Hi." }],
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 0 },
      }),
    };
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    const agent = new Agent({ model, middleware: [timeout({ modelMs: 600_000 }), budget({ wallMs: 600_000 })] });
    for (let run = 0; run < 20; run += 1) await agent.run("Hello?");
    expect(timers()).toBe(before);
  });

  it("does not repeat in a conversation what the server may have taken", async () => {
    await using stand = await serve([silence, reply.text("Twice.")], { conversations: ["conv_1"] });
    const history = { kind: "conversation", id: "conv_1" } as const;
    const agent = new Agent({ model: "test", client: stand.client, history, middleware: [timeout({ modelMs: 80 }), modelRetry(quick)] });
    await expect(ends(agent.run("Hello?"))).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("outside of a retry that does not know it, ends all attempts at once", async () => {
    await using stand = await serve(() => silence);
    // A copy under another name stays where it was put.
    const inner = { ...modelRetry({ minDelayMs: 60_000 }), name: "inner", kind: "inner" };
    const agent = new Agent({ model: openaiModel("test", { client: stand.client }), middleware: [timeout({ modelMs: 80 }), inner] });
    await expect(ends(agent.run("Hello?"))).rejects.toMatchObject({ code: "MODEL_TIMEOUT", details: { limitMs: 80 } });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("ends the wait of such a retry too", async () => {
    await using stand = await serve(() => reply.http(500));
    const inner = { ...modelRetry({ minDelayMs: 60_000, maxDelayMs: 60_000 }), name: "inner", kind: "inner" };
    const agent = new Agent({ model: "test", client: stand.client, middleware: [timeout({ modelMs: 200 }), inner] });
    await expect(ends(agent.run("Hello?"))).rejects.toMatchObject({ code: "MODEL_TIMEOUT", details: { limitMs: 200 } });
    expect(stand.server.requests).toHaveLength(1);
  });
});

describe("timeout({ toolMs, tools })", () => {
  /** How long each tool had, and what its call came to. */
  async function hanging(options: TimeoutOptions, effect: "read" | "write", timeoutMs?: number) {
    await using stand = await serve([reply.calls(callOf("slow", "call_1", 1), callOf("quick", "call_2", 2)), reply.text("Done.")]);
    const aborted: unknown[] = [];
    const slow = numberTool("slow", (_n, { signal }) => untilAborted(signal).finally(() => aborted.push(signal.reason)), {
      effect,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [slow, numberTool("quick", (n) => `seen ${n}`)],
      middleware: [timeout(options), ...standard().filter(({ name }) => name !== "toolRetry")],
    });
    const result = await ends(agent.run("Go."));
    const [call, other] = result.steps[0]?.calls ?? [];
    expect(other?.outcome).toMatchObject({ kind: "ok", output: "seen 2" });
    return { outcome: call?.outcome, aborted };
  }

  it.each([
    ["every tool", { toolMs: 60 }, undefined, 60],
    ["a tool by name", { tools: { slow: 60 } }, undefined, 60],
    ["a tool by name, in the place of the general limit", { toolMs: 1, tools: { slow: 60, quick: 50_000 } }, undefined, 60],
    ["never more than its own", { toolMs: 50_000, tools: { slow: 50_000 } }, 60, 60],
  ] as const)("limits %s, and the tool is told", async (_, options, own, limitMs) => {
    const { outcome, aborted } = await hanging(options, "read", own);
    const message = `slow did not end within ${limitMs} ms.`;
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "TOOL_TIMEOUT", message, retryable: true } });
    expect(aborted).toMatchObject([{ code: "TOOL_TIMEOUT" }]);
  });

  it("leaves open what a write has done", async () => {
    const { outcome } = await hanging({ toolMs: 60 }, "write");
    expect(outcome).toMatchObject({ kind: "unknown", error: { code: "TOOL_TIMEOUT", retryable: false } });
  });

  it("gives each attempt its own time", async () => {
    for (const outside of [true, false]) {
      await using stand = await serve([reply.calls(callOf("slow", "call_1", 1)), reply.text("Done.")]);
      const slow = numberTool("slow", (n, { attempt, signal }) => (attempt < 3 ? untilAborted(signal) : `seen ${n}`));
      const middleware = outside ? [timeout({ toolMs: 60 }), toolRetry(quick)] : [toolRetry(quick), timeout({ toolMs: 60 })];
      const agent = new Agent({ model: "test", client: stand.client, tools: [slow], middleware });
      const result = await ends(agent.run("Go."));
      expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 3, outcome: { kind: "ok", output: "seen 1" } });
    }
  });

  it("lets a call wait for a person as long as it takes", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Done.")]);
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [timeout({ toolMs: 60 })] });
    const paused = await ends(agent.run("Pay."));
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const result = await ends(agent.resume(paused.state, { decisions: [{ callId: "call_1", approve: true }] }));
    expect(result).toMatchObject({ output: "Done.", steps: [{ calls: [{ outcome: { kind: "ok" } }] }, {}] });
  });
});

describe("options of timeout", () => {
  it.each([
    [{ modelMs: 0 }, /timeout\(\): `modelMs` must be more than 0 milliseconds; it is 0\./],
    [{ modelMs: "5s" }, /`modelMs` must be a number of milliseconds.*; it is "5s"\./],
    [{ toolMs: -1 }, /`toolMs` must be a number of milliseconds.*; it is -1\./],
    [{ toolMs: 2 ** 31 }, /`toolMs` must be a number of milliseconds.*; it is 2147483648\./],
    [{ tools: 5 }, /`tools` must be an object of milliseconds by tool name; it is 5\./],
    [{ tools: { look: 0 } }, /`tools\["look"\]` must be more than 0 milliseconds; it is 0\./],
    [{ tools: { look: undefined } }, /`tools\["look"\]` must be a number of milliseconds.*; it is undefined\./],
    [{ runMs: 5 }, /timeout\(\) has no option "runMs"; it has modelMs, toolMs, tools/],
    [{}, /timeout\(\) limits nothing\.\nFix: .*agent's own `timeoutMs`/],
    [undefined, /timeout\(\) takes an object of options; it got undefined\./],
  ])("%j are refused, with the bad value", (options, message) => {
    expect(() => timeout(options as TimeoutOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });

  it("that are not there have no hook", () => {
    expect(timeout({ toolMs: 5 })).not.toHaveProperty("wrapModelCall");
    expect(timeout({ modelMs: 5 })).not.toHaveProperty("wrapToolCall");
  });
});
