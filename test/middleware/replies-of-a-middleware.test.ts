import { Agent, defineMiddleware, type HistoryOption, type ModelResponse, openaiModel, ToolwrightError } from "@toolwright/core";
import { modelRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { collect, failureOf } from "../support/ways.js";

const kept = (output: ModelResponse["output"]): ModelResponse => ({
  id: "resp_old",
  output,
  usage: { inputTokens: 7, outputTokens: 7, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 14 },
});
const answering = (...replies: ModelResponse[]) =>
  defineMiddleware({
    name: "memo",
    wrapModelCall: async (call, next) => replies.shift() ?? next(call),
  });
const oldCall = {
  type: "function_call",
  id: "fc_old",
  call_id: "call_old",
  name: "look",
  arguments: '{"n":1}',
  status: "completed",
} as const;

describe("a reply that no request brought", () => {
  it("loses item ids and reasoning, gets new call ids, and costs a step but no request", async () => {
    await using stand = await serve([reply.text("Done.")]);
    const seen: number[] = [];
    const old = kept([{ type: "reasoning", id: "rs_old", summary: [], encrypted_content: "sealed" }, oldCall]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", (n) => seen.push(n))],
      middleware: [answering(old)],
      maxSteps: 2,
    });
    const result = await agent.run("Go.");
    expect(result).toMatchObject({ stopReason: "completed", output: "Done.", usage: { requests: 1 } });
    expect(seen).toEqual([1]);
    expect(result.steps.map(({ responseId }) => responseId)).toEqual([undefined, expect.stringMatching(/^resp_/)]);
    const [, call, output] = stand.server.request(0).body.input as { id?: string; call_id: string; type: string }[];
    expect(call).toMatchObject({ type: "function_call", name: "look" });
    expect(call).not.toHaveProperty("id");
    expect(call?.call_id).toMatch(/^call_[0-9a-f]{32}$/);
    expect(output).toMatchObject({ type: "function_call_output", call_id: call?.call_id });
    stand.server.assertDone();
  });

  it("is no answer twice under one call id", async () => {
    await using stand = await serve([reply.text("Done.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", () => "seen")],
      middleware: [answering(kept([oldCall]), kept([oldCall]))],
    });
    const { steps } = await agent.run("Go.");
    const ids = steps.flatMap(({ calls }) => calls.map(({ callId }) => callId));
    expect(new Set(ids).size).toBe(2);
  });

  it("reaches the consumer of a stream", async () => {
    await using stand = await serve([]);
    const answer = kept([
      { type: "message", id: "msg_old", role: "assistant", content: [{ type: "output_text", text: "As before.", annotations: [] }] },
    ]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [answering(answer)] });
    const { events, result } = await collect(agent, "Go.");
    expect(events.filter(({ type }) => type === "text-delta")).toMatchObject([{ text: "As before." }]);
    expect(result).toMatchObject({ output: "As before.", usage: { requests: 0, totalTokens: 0 } });
  });

  it.each([{ kind: "chained" }, { kind: "conversation", id: "conv_1" }] satisfies HistoryOption[])(
    "is refused in a history that is %j",
    async (history) => {
      await using stand = await serve([]);
      const agent = new Agent({ model: "test", client: stand.client, middleware: [answering(kept([oldCall]))], history });
      const error = await failureOf(agent.run("Go."));
      expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining(history.kind) });
    },
  );

  it("is told from one whose items a middleware changed", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)).with({ responseId: "resp_1" }), reply.text("Done.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", () => "seen")],
      middleware: [
        defineMiddleware({
          name: "two",
          async wrapModelCall(call, next) {
            const response = await next(call);
            return {
              ...response,
              output: response.output.map((item) => (item.type === "function_call" ? { ...item, arguments: '{"n":2}' } : item)),
            };
          },
        }),
      ],
    });
    const { steps } = await agent.run("Go.");
    expect(steps[0]).toMatchObject({ responseId: "resp_1", calls: [{ callId: "call_1", arguments: { n: 2 } }] });
  });
});

describe("a model call that is changed", () => {
  const asking = (model: Parameters<typeof openaiModel>[0] | ReturnType<typeof openaiModel>) =>
    defineMiddleware({ name: "other", wrapModelCall: (call, next) => next({ ...call, model }) });

  it("asks another model of the agent's adapter by name, or any Model", async () => {
    await using stand = await serve([reply.text("One."), reply.text("Two.")]);
    const { client } = stand;
    await new Agent({ model: "test", client, middleware: [asking("other-model")] }).run("Go.");
    await new Agent({ model: "test", client, middleware: [asking(openaiModel("third", { client }))] }).run("Go.");
    expect([0, 1].map((index) => stand.server.request(index).body.model)).toEqual(["other-model", "third"]);
  });

  it("says what is wrong with a model that is none", async () => {
    await using stand = await serve([]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [asking({} as never)] });
    expect(await failureOf(agent.run("Go."))).toMatchObject({
      code: "RUN_MIDDLEWARE",
      message: expect.stringContaining("neither a Model nor a name"),
    });
  });

  it("ends one request by its own signal, whatever the model does, and the run goes on", async () => {
    await using stand = await serve([reply.text("Done.")]);
    const stuck = { name: "stuck", respond: forever };
    const first = defineMiddleware({
      name: "limit",
      state: () => ({ asked: 0 }),
      wrapModelCall(call, next, { state }) {
        state.asked += 1;
        return state.asked === 1 ? next({ ...call, model: stuck, signal: AbortSignal.timeout(20) }) : next(call);
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, middleware: [modelRetry({ minDelayMs: 1, maxDelayMs: 1 }), first] });
    expect(await ends(agent.run("Go."))).toMatchObject({ output: "Done.", usage: { requests: 2 } });
  });

  it("gives the signal's own error as the reason", async () => {
    await using stand = await serve([]);
    const reason = new ToolwrightError("RUN_BUDGET", "Too slow.");
    const limit = defineMiddleware({ name: "limit", wrapModelCall: (call, next) => next({ ...call, signal: AbortSignal.abort(reason) }) });
    const error = await failureOf(new Agent({ model: "test", client: stand.client, middleware: [limit] }).run("Go."));
    expect(error).toMatchObject({ code: "RUN_BUDGET", result: { usage: { requests: 0 } } });
  });
});

describe("a tool call with less time", () => {
  it("ends when the middleware's limit is over, and never later than the tool's own", async () => {
    await using stand = await serve([reply.calls(callOf("slow", "call_1", 1)), reply.text("Done.")]);
    const limit = defineMiddleware({ name: "limit", wrapToolCall: (call, next) => next({ ...call, timeoutMs: 30 }) });
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("slow", forever)], middleware: [limit] });
    const { steps } = await ends(agent.run("Go."));
    expect(steps[0]?.calls[0]?.outcome).toMatchObject({
      kind: "failed",
      error: { code: "TOOL_TIMEOUT", message: expect.stringContaining("30 ms") },
    });
  });
});
