import { describe, expect, it, vi } from "vitest";
import { harness, ok, Sink, thrown, weatherCall } from "../../test-support/logging-harness.js";
import type { RunEvent } from "../contracts/event.js";
import { ToolError } from "../errors/tool-error.js";

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
    await middleware.wrapToolCall!(
      { ...weatherCall, arguments: { city: "kazan" } },
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
  const outcome = { type: "tool-outcome", callId: "call_9", tool: "look", outcome: { ...ok }, attempts: 1, durationMs: 1 } as const;
  const inside = (event: Partial<RunEvent>) => ({ runId: "run_2", step: 0, responseId: "resp_1", path: ["planner"], ...event }) as RunEvent;
  const told = (event: RunEvent) => ({ type: "agent-event", callId: "call_1", tool: "planner", event }) as const;

  it("shows where a nested call belongs", () => {
    const { sink, emit } = harness();
    emit(told(inside(outcome)));
    expect(sink.lines).toEqual(["step 0  planner › look  ok  14 chars  1 ms  call_9  resp_1"]);
  });

  it("has one line a call when both agents log to one place", () => {
    const stream = new Sink();
    const [inner, outer] = [harness({ stream }), harness({ stream })];
    const event = inside(outcome);
    inner.middleware.onEvent!(event, inner.context);
    outer.emit(told(event));
    expect(stream.lines).toHaveLength(1);
    // One outcome object may serve several calls: each has its line.
    outer.emit(told(inside({ ...outcome, callId: "call_10" })));
    expect(stream.lines).toHaveLength(2);
  });
});
