import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MiddlewareContext, ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { ToolInfo } from "../contracts/tool.js";
import { toolRetry, type ToolRetryOptions } from "./tool-retry.js";

const read: ToolInfo = {
  name: "look_up",
  identity: "app#Tools.lookUp",
  description: "Looks something up.",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  effect: "read",
  effectDeclared: true,
  idempotent: false,
  timeoutMs: 60_000,
  resource: [],
  maxCalls: undefined,
  echo: [],
  tags: [],
  needsApproval: false,
};

const failed: ToolOutcome = { kind: "failed", error: { code: "TOOL_FAILED", message: "The tool failed (reference 1).", retryable: true } };
const ok: ToolOutcome = { kind: "ok", output: "found" };

function harness(outcomes: readonly ToolOutcome[], tool: ToolInfo | undefined, options: ToolRetryOptions = {}) {
  const controller = new AbortController();
  const told: string[] = [];
  let attempt = 0;
  const call: ToolCall = {
    callId: "call_1",
    name: "look_up",
    tool,
    arguments: {},
    rawArguments: "{}",
    issues: undefined,
    step: 0,
    idempotencyKey: "key",
  };
  const run = { nextAttempt: (callId: string) => told.push(`next ${callId}`) };
  const next = async (given: ToolCall): Promise<ToolOutcome> => {
    expect(given).toBe(call);
    told.push("attempt");
    return outcomes[Math.min(attempt++, outcomes.length - 1)] as ToolOutcome;
  };
  // Of the context, a retry needs these alone.
  const context = { state: {}, run, signal: controller.signal } as unknown as MiddlewareContext;
  return { start: () => toolRetry(options).wrapToolCall!(call, next, context), controller, told };
}

describe("toolRetry", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function settle(promise: Promise<ToolOutcome>): Promise<ToolOutcome> {
    await vi.runAllTimersAsync();
    return promise;
  }

  it("repeats a failed read, telling the run before each repeat", async () => {
    const { start, told } = harness([failed, failed, ok], read);
    expect(await settle(start())).toBe(ok);
    expect(told).toEqual(["attempt", "next call_1", "attempt", "next call_1", "attempt"]);
  });

  it("gives the last outcome when attempts are used up", async () => {
    for (const attempts of [1, 2, 4]) {
      const { start, told } = harness([failed], read, { attempts });
      expect(await settle(start())).toBe(failed);
      expect(told.filter((entry) => entry === "attempt")).toHaveLength(attempts);
    }
  });

  it("repeats an idempotent write", async () => {
    const { start } = harness([failed, ok], { ...read, effect: "write", idempotent: true });
    expect(await settle(start())).toBe(ok);
  });

  it.each<readonly [string, ToolInfo | undefined]>([
    ["a write", { ...read, effect: "write" }],
    ["a destructive tool", { ...read, effect: "destructive" }],
    ["a tool without a declared effect", { ...read, effect: "write", effectDeclared: false }],
    ["an idempotent tool without a declared effect", { ...read, effect: "write", effectDeclared: false, idempotent: true }],
    ["an unknown tool", undefined],
  ])("leaves %s alone", async (_name, tool) => {
    const { start, told } = harness([failed, ok], tool);
    expect(await settle(start())).toBe(failed);
    expect(told).toEqual(["attempt"]);
  });

  const error = { code: "X", message: "x", retryable: true };
  it.each<ToolOutcome>([
    ok,
    { kind: "failed", error: { ...error, retryable: false } },
    { kind: "failed", error: { ...error, code: "TOOL_ABORTED" } },
    { kind: "invalid", error },
    { kind: "unknown", error },
    { kind: "denied", reason: "no" },
    { kind: "skipped", reason: "no" },
    { kind: "interrupted", reason: "approval" },
  ])("leaves the outcome $kind alone", async (outcome) => {
    const { start, told } = harness([outcome, failed], read);
    expect(await settle(start())).toBe(outcome);
    expect(told).toEqual(["attempt"]);
  });

  it("ends its wait at once when the run is aborted, and keeps the outcome", async () => {
    const { start, controller, told } = harness([failed, ok], read, { minDelayMs: 60_000, maxDelayMs: 60_000 });
    const outcome = start();
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await outcome).toBe(failed);
    expect(told).toEqual(["attempt"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
