import { describe, expect, it, vi } from "vitest";
import type { EventBody, RunEvent } from "../contracts/event.js";
import type { JsonObject } from "../contracts/json.js";
import type { MiddlewareContext, ModelCall, ToolCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { RunResult } from "../contracts/run.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolError } from "../errors/tool-error.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { logging, type LoggingOptions } from "./logging.js";

const usage = { requests: 3, inputTokens: 120, cachedInputTokens: 0, outputTokens: 30, reasoningTokens: 0, totalTokens: 150 };
const base = { runId: "run_1", step: 0, responseId: "resp_1", path: [] };

class Sink {
  readonly lines: string[] = [];
  isTTY = true;
  write(text: string): void {
    this.lines.push(...text.slice(0, -1).split("\n"));
  }
  get records(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

function harness(options: LoggingOptions = {}) {
  const sink = new Sink();
  const middleware = logging(options.logger === undefined ? { stream: sink, ...options } : options);
  const run = { id: "run_1", path: [], step: 1, responseId: "resp_1", usage: { ...usage, requests: 0 }, model: "gpt-test", app: undefined };
  // Of the context, logging needs these alone.
  const context = { state: {}, run, signal: new AbortController().signal } as unknown as MiddlewareContext;
  const emit = (body: EventBody, more: Partial<RunEvent> = {}) => middleware.onEvent!({ ...base, ...body, ...more } as RunEvent, context);

  /** One call, as the kernel goes through it. */
  async function call(
    given: JsonObject | string,
    outcome: ToolOutcome,
    { attempts = 1, callId = "call_1", started = true } = {},
  ): Promise<void> {
    const checked = typeof given === "string" ? undefined : given;
    const toolCall: ToolCall = {
      callId,
      name: "get_weather",
      tool: undefined,
      arguments: checked ?? {},
      rawArguments: typeof given === "string" ? given : JSON.stringify(given),
      issues: checked === undefined ? [{ path: "", expected: "JSON", received: "text" }] : undefined,
      step: 0,
      idempotencyKey: "key",
    };
    const result = await middleware.wrapToolCall!(
      toolCall,
      async (inner) => {
        expect(inner).toBe(toolCall);
        if (started && checked !== undefined) emit({ type: "tool-start", callId, tool: "get_weather", arguments: checked });
        for (let attempt = 1; attempt <= attempts; attempt += 1) emit({ type: "tool-attempt", callId, tool: "get_weather", attempt });
        return outcome;
      },
      context,
    );
    expect(result).toBe(outcome);
    emit({ type: "tool-outcome", callId, tool: "get_weather", outcome, attempts, durationMs: 41.3 });
  }
  return { sink, middleware, context, run, emit, call };
}

const ok: ToolOutcome = { kind: "ok", output: "+12 °C, cloudy" };
function thrown(kind: "failed" | "unknown", cause: unknown): ToolOutcome {
  const error = { code: "TOOL_FAILED", message: "The tool failed (reference 7f3a).", retryable: false };
  return Object.defineProperty({ kind, error }, "cause", { value: cause, enumerable: false });
}

describe("lines for people", () => {
  it("is one line a call: name, outcome, size, time, ids", async () => {
    const { sink, call } = harness();
    await call({ city: "Kazan" }, ok);
    expect(sink.lines).toEqual(["step 0  get_weather  ok  14 chars  41 ms  call_1  resp_1"]);
  });

  it("shows arguments and output when content is on", async () => {
    const { sink, call } = harness({ content: true });
    await call({ city: "Kazan" }, ok);
    expect(sink.lines).toEqual(['step 0  get_weather({"city":"Kazan"}) → +12 °C, cloudy  41 ms']);
  });

  it("shows the arguments that the tool got, not those of an outer layer", async () => {
    const { sink, middleware, context, emit } = harness({ content: true });
    const outer: ToolCall = {
      callId: "call_1",
      name: "get_weather",
      tool: undefined,
      arguments: { city: "kazan" },
      rawArguments: "",
      issues: undefined,
      step: 0,
      idempotencyKey: "key",
    };
    await middleware.wrapToolCall!(
      outer,
      async () => {
        emit({ type: "tool-start", callId: "call_1", tool: "get_weather", arguments: { city: "Kazan" } });
        return ok;
      },
      context,
    );
    emit({ type: "tool-outcome", callId: "call_1", tool: "get_weather", outcome: ok, attempts: 1, durationMs: 1 });
    expect(sink.lines).toEqual(['step 0  get_weather({"city":"Kazan"}) → +12 °C, cloudy  1 ms']);
  });

  it("counts attempts, with a line for each repeat", async () => {
    const { sink, call } = harness();
    await call({}, ok, { attempts: 2 });
    expect(sink.lines).toEqual([
      "step 0  get_weather  attempt 2  call_1",
      "step 0  get_weather  ok  2 attempts  14 chars  41 ms  call_1  resp_1",
    ]);
  });

  it("keeps to one bounded line whatever a tool gives", async () => {
    const { sink, call } = harness({ content: true });
    await call({ text: "a\nb\u001b[2J".repeat(2_000) }, { kind: "ok", output: "x\r\n🌤".repeat(9_000) });
    expect(sink.lines).toHaveLength(1);
    expect(sink.lines[0]!.length).toBeLessThanOrEqual(2_000);
    expect(sink.lines[0]).not.toMatch(/[\u0000-\u001f]/);
    expect(sink.lines[0]!.isWellFormed()).toBe(true);
  });

  it("says what a failed call came to", async () => {
    const { sink, call, emit } = harness();
    await call({}, { kind: "skipped", reason: "the budget is used up." }, { attempts: 0 });
    await call({}, { kind: "interrupted", reason: "approval" }, { attempts: 0 });
    emit({ type: "interruption", callId: "call_1", tool: "get_weather", reason: "approval" });
    await call({}, { kind: "denied", reason: "because T-123" }, { attempts: 0 });
    const issues = [{ path: "city", expected: "a text", received: "a number" }];
    await call(
      "{",
      { kind: "invalid", error: { code: "TOOL_ARGUMENTS_INVALID", message: 'bad: "{"', retryable: false, issues } },
      { attempts: 0 },
    );
    expect(sink.lines).toEqual([
      "step 0  get_weather  skipped  41 ms  call_1  resp_1  the budget is used up.",
      "step 0  get_weather  interrupted  call_1  resp_1  approval",
      "step 0  get_weather  denied  41 ms  call_1  resp_1",
      "step 0  get_weather  invalid  TOOL_ARGUMENTS_INVALID  41 ms  call_1  resp_1  city: expected a text, received a number",
    ]);
  });
});

describe("lines for programs", () => {
  it("is JSON where the stream is not a terminal", async () => {
    const { sink, call } = harness({ format: "json" });
    await call({ city: "Kazan" }, ok);
    const [record] = sink.records;
    expect(record).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: "info",
      event: "tool-call",
      runId: "run_1",
      step: 0,
      responseId: "resp_1",
      tool: "get_weather",
      callId: "call_1",
      outcome: "ok",
      attempts: 1,
      durationMs: 41,
      chars: 14,
      message: "get_weather ok",
    });
  });

  it("follows the stream, unless a format is set", async () => {
    const { sink, call } = harness();
    sink.isTTY = false;
    await call({}, ok);
    expect(sink.records[0]).toMatchObject({ event: "tool-call" });
    const forced = harness({ format: "pretty" });
    forced.sink.isTTY = false;
    await forced.call({}, ok);
    expect(forced.sink.lines[0]).toMatch(/^step 0 /);
  });

  it("hands fields and a message to a logger", async () => {
    const logged: unknown[] = [];
    const level = (name: string) => (fields: object, message?: string) => void logged.push([name, fields, message]);
    const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
    const { call } = harness({ logger });
    await call({ token: "T-123" }, ok);
    await call({ token: "T-123" }, thrown("failed", new Error("x")), { callId: "call_2" });
    await call({ token: "T-123" }, thrown("unknown", new Error("x")), { callId: "call_3" });
    expect(logged).toMatchObject([
      ["info", { event: "tool-call", outcome: "ok" }, "get_weather ok"],
      ["warn", { event: "tool-call", outcome: "failed", cause: { name: "Error", message: "x" } }, "get_weather failed"],
      ["error", { event: "tool-call", outcome: "unknown" }, "get_weather unknown"],
    ]);
    expect(JSON.stringify(logged)).not.toContain("T-123");
  });

  it("writes from a level on", async () => {
    const { sink, call } = harness({ level: "warn" });
    await call({}, ok);
    await call({}, thrown("failed", new Error("x")));
    expect(sink.lines).toHaveLength(1);
  });
});

describe("what is kept out", () => {
  it("holds no argument and no output by default, whatever the outcome", async () => {
    for (const format of ["pretty", "json"] as const) {
      const { sink, call } = harness({ format });
      const given = { token: "T-123", note: 'Dear Ann,\n"hello"', pin: 4711, nested: [{ deep: "D-9" }] };
      const text = `no T-123 for 4711: ${JSON.stringify(given)} and D-9`;
      await call(given, { kind: "ok", output: text });
      await call(given, thrown("failed", new Error(text, { cause: new TypeError(text) })));
      await call(given, thrown("unknown", text));
      await call(given, thrown("unknown", { text }));
      await call(given, { kind: "failed", error: { code: "X", message: text, retryable: false } });
      await call(JSON.stringify(given), { kind: "invalid", error: { code: "X", message: text, retryable: false } });
      await call(given, { kind: "denied", reason: text }, { started: false });
      expect(sink.lines).toHaveLength(7);
      for (const line of sink.lines) expect(line).not.toMatch(/T-123|4711|Ann|hello|D-9/);
    }
  });

  it("still logs what a tool threw: name, message, place, causes", async () => {
    const { sink, call } = harness({ format: "json" });
    const cause = Object.assign(new Error("connect ECONNREFUSED postgres://app:pw@db"), { code: "ECONNREFUSED" });
    await call({}, thrown("failed", new TypeError("no answer for user:pw@host", { cause })));
    const [record] = sink.records;
    expect(record).toMatchObject({
      error: "The tool failed (reference 7f3a).",
      cause: {
        name: "TypeError",
        message: "no answer for [hidden]@host",
        stack: expect.stringMatching(/^at .*logging\.test\.ts:\d+:\d+/),
        cause: { name: "Error", code: "ECONNREFUSED", message: "connect ECONNREFUSED postgres://[hidden]@db" },
      },
    });
    expect(sink.lines[0]).not.toContain("pw");
    const people = harness();
    await people.call({}, thrown("failed", cause));
    expect(people.sink.lines).toHaveLength(1);
    expect(people.sink.lines[0]).toMatch(
      /failed  TOOL_FAILED .*reference 7f3a\). ← Error: connect ECONNREFUSED .* \(at .*logging\.test\.ts/,
    );
  });

  it("hides what `redact` names, in arguments and wherever it turns up again", async () => {
    for (const format of ["pretty", "json"] as const) {
      const { sink, call } = harness({ content: true, redact: ["token", "*.password"], format });
      const given = { token: "T-123", note: "n-456", user: { password: "P-789" } };
      await call(given, { kind: "ok", output: JSON.stringify({ token: "T-999", seen: "T-123", other: "n-456" }) });
      await call(given, { kind: "ok", output: "used T-123 and P-789" });
      await call(given, thrown("failed", new Error("bad T-123, P-789")));
      await call(JSON.stringify(given), { kind: "invalid", error: { code: "X", message: "bad", retryable: false } });
      await call("T-123 {", { kind: "invalid", error: { code: "X", message: "bad", retryable: false } });
      expect(sink.lines).toHaveLength(5);
      expect(sink.lines[0]).toContain("n-456");
      for (const line of sink.lines) expect(line).not.toMatch(/T-123|T-999|P-789/);
    }
  });

  it("hides what looks like a secret, with content on too", async () => {
    const { sink, call } = harness({ content: true });
    await call({ url: "https://u:pw@host/" }, { kind: "ok", output: "Authorization: Bearer abc123" });
    expect(sink.lines[0]).not.toMatch(/pw|abc123/);
  });

  it("shows nothing of an output that is too long to be looked through", async () => {
    const { sink, call } = harness({ content: true, redact: ["token"] });
    await call({}, { kind: "ok", output: JSON.stringify({ token: "T-123", pad: "x".repeat(300_000) }) });
    expect(sink.lines[0]).toContain("too long to redact");
    expect(sink.lines[0]).not.toContain("T-123");
  });
});

describe("model calls and runs", () => {
  const request: ModelCall = {
    step: 0,
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

describe("harm to the run", () => {
  it.each<readonly [string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    [
      "rejects",
      async () => {
        throw new Error("disk full");
      },
    ],
  ])("has none when the log %s", async (_name, fail) => {
    const write = vi.fn<() => unknown>(fail);
    const toStream = harness({ stream: { write } });
    await toStream.call({}, ok);
    const toLogger = harness({ logger: { debug: write, info: write, warn: write, error: write } });
    await toLogger.call({}, ok);
    // A rejection that nobody caught would fail the test run.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(write).toHaveBeenCalledTimes(2);
  });

  it("has none when what was thrown is hostile", async () => {
    const { sink, call } = harness();
    const hostile = new Error("x");
    Object.defineProperty(hostile, "message", {
      get: () => {
        throw new Error("no");
      },
    });
    await call({}, thrown("failed", hostile));
    const ring = new Error("ring");
    ring.cause = ring;
    await call({}, thrown("failed", ring), { callId: "call_2" });
    await call({}, thrown("failed", new ToolError({ code: "LOCKED", message: "Locked." })), { callId: "call_3" });
    expect(sink.lines).toHaveLength(3);
    expect(sink.lines[0]).toContain("not readable");
    expect(sink.lines[2]).toContain("Locked.");
  });
});

describe("agents used as tools", () => {
  it("shows where a nested call belongs", () => {
    const { sink, emit } = harness();
    emit(
      { type: "tool-outcome", callId: "call_9", tool: "look", outcome: { kind: "ok", output: "" }, attempts: 1, durationMs: 1 },
      { runId: "run_2", path: ["planner"] },
    );
    expect(sink.lines).toEqual(["step 0  planner › look  ok  0 chars  1 ms  call_9  resp_1"]);
  });

  it("has one line a call when both agents log to one place", async () => {
    const stream = new Sink();
    const inner = harness({ stream });
    const outer = harness({ stream });
    const body = { type: "tool-outcome", callId: "call_9", tool: "look", outcome: { ...ok }, attempts: 1, durationMs: 1 } as const;
    inner.emit(body, { runId: "run_2" });
    outer.emit(body, { runId: "run_2", path: ["planner"] });
    expect(stream.lines).toHaveLength(1);
    // One outcome object may serve several calls: each has its line.
    inner.emit({ ...body, callId: "call_10" }, { runId: "run_2" });
    expect(stream.lines).toHaveLength(2);
  });
});
