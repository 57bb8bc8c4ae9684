import { describe, expect, it } from "vitest";
import { harness, ok, usage } from "../../test-support/logging-harness.js";
import type { ModelCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { RunResult } from "../contracts/run.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

describe("model calls and runs", () => {
  const request: ModelCall = {
    step: 0,
    model: { name: "gpt-test", respond: () => Promise.reject(new Error("not asked here")) },
    request: {
      instructions: "Keep S-1 to yourself.",
      input: [{ type: "message", role: "user", content: "What is the code P-4711?" }],
      tools: [],
      toolChoice: undefined,
      settings: {},
      state: { kind: "local" },
    },
  };
  const response: ModelResponse = {
    id: "resp_1",
    output: [
      { type: "message", content: [{ type: "output_text", text: "It is A-1." }] },
      { type: "function_call", call_id: "call_1", name: "x", arguments: "{}" },
    ],
    usage,
  };

  it("is one line a reply, with usage, requests and the response's id", async () => {
    const { sink, middleware, context, run } = harness();
    const result = await middleware.wrapModelCall!(
      request,
      async () => {
        run.usage = { ...usage, requests: 2 };
        return response;
      },
      context,
    );
    expect(result).toBe(response);
    expect(sink.lines).toEqual([
      expect.stringMatching(/^step 0 {2}gpt-test {2}1 call {2}2 requests {2}120 \+ 30 tokens {2}\d+ ms {2}resp_1$/),
    ]);
  });

  it("logs a failure without the prompt that a server quotes, and passes it on", async () => {
    for (const format of ["pretty", "json"] as const) {
      const { sink, middleware, context } = harness({ format });
      const error = new ToolwrightError("MODEL_BAD_REQUEST", "The API refused: What is the code P-4711? Key sk-abcdef.");
      await expect(middleware.wrapModelCall!(request, async () => Promise.reject(error), context)).rejects.toBe(error);
      const input = request.request.input;
      await expect(middleware.wrapRun!({ input }, async () => Promise.reject(error), context)).rejects.toBe(error);
      expect(sink.lines).toHaveLength(2);
      for (const line of sink.lines) {
        expect(line).toContain("MODEL_BAD_REQUEST");
        expect(line).not.toMatch(/P-4711|abcdef|S-1/);
      }
    }
  });

  it("logs a failure without the arguments that a middleware quotes", async () => {
    for (const options of [{}, { content: true, redact: ["token"] }]) {
      const { sink, middleware, context, call } = harness(options);
      const run = middleware.wrapRun!(
        { input: [] },
        async () => {
          await call({ token: "T-123" }, ok);
          throw new ToolwrightError("RUN_MIDDLEWARE", 'The middleware "m" threw in wrapToolCall: Error: no T-123');
        },
        context,
      );
      await expect(run).rejects.toMatchObject({ code: "RUN_MIDDLEWARE" });
      expect(sink.lines[1]).toContain('The middleware "m" threw');
      expect(sink.lines.join("\n")).not.toContain("T-123");
    }
  });

  it("is one line a run", async () => {
    const { sink, middleware, context, run } = harness();
    run.usage = usage;
    const result = { stopReason: "completed", steps: [{}, {}] } as unknown as RunResult<unknown>;
    expect(await middleware.wrapRun!({ input: [] }, async () => result, context)).toBe(result);
    const stop = new RunStop("budget", "used up");
    await expect(middleware.wrapRun!({ input: [] }, async () => Promise.reject(stop), context)).rejects.toBe(stop);
    expect(sink.lines).toEqual([
      expect.stringMatching(/^run {2}completed {2}2 steps {2}3 requests {2}150 tokens {2}\d+ ms$/),
      expect.stringMatching(/^run {2}budget {2}1 step /),
    ]);
  });

  it("shows answers only when content is on", async () => {
    for (const content of [false, true]) {
      const { sink, middleware, context } = harness({ format: "json", content });
      await middleware.wrapModelCall!(request, async () => response, context);
      expect(sink.lines[0]?.includes("It is A-1.")).toBe(content);
    }
  });

  it("says when text of a step is void", () => {
    const { sink, emit } = harness();
    emit({ type: "step-restart" });
    emit({ type: "text-delta", text: "secret" });
    expect(sink.lines).toEqual(["step 0  restarted: its text so far is void"]);
  });
});
