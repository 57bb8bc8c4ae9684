import type { EventBody, RunEvent } from "../src/contracts/event.js";
import type { JsonObject } from "../src/contracts/json.js";
import type { MiddlewareContext, ToolCall } from "../src/contracts/middleware.js";
import type { ToolOutcome } from "../src/contracts/outcome.js";
import { logging, type LoggingOptions } from "../src/middleware/logging.js";

export const usage = { requests: 3, inputTokens: 120, cachedInputTokens: 0, outputTokens: 30, reasoningTokens: 0, totalTokens: 150 };
const base = { runId: "run_1", step: 0, responseId: "resp_1", path: [] };

/** A call as the kernel hands it on. */
export const weatherCall: ToolCall = {
  callId: "call_1",
  name: "get_weather",
  tool: undefined,
  arguments: {},
  rawArguments: "{}",
  issues: undefined,
  step: 0,
  idempotencyKey: "key",
};

/** A terminal that remembers its lines. */
export class Sink {
  readonly lines: string[] = [];
  isTTY = true;
  write(text: string): void {
    this.lines.push(...text.slice(0, -1).split("\n"));
  }
  get records(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

/** The middleware alone, with what the kernel would give it. */
export function harness(options: LoggingOptions = {}) {
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
      ...weatherCall,
      callId,
      arguments: checked ?? {},
      rawArguments: typeof given === "string" ? given : JSON.stringify(given),
      issues: checked === undefined ? [{ path: "", expected: "JSON", received: "text" }] : undefined,
    };
    const result = await middleware.wrapToolCall!(
      toolCall,
      async (inner) => {
        if (inner !== toolCall) throw new Error("logging passed on another call");
        if (started && checked !== undefined) emit({ type: "tool-start", callId, tool: "get_weather", arguments: checked });
        for (let attempt = 1; attempt <= attempts; attempt += 1) emit({ type: "tool-attempt", callId, tool: "get_weather", attempt });
        return outcome;
      },
      context,
    );
    if (result !== outcome) throw new Error("logging changed an outcome");
    emit({ type: "tool-outcome", callId, tool: "get_weather", outcome, attempts, durationMs: 41.3 });
  }
  return { sink, middleware, context, run, emit, call };
}

export const ok: ToolOutcome = { kind: "ok", output: "+12 °C, cloudy" };
/** An outcome with what the tool threw. */
export function thrown(kind: "failed" | "unknown", cause: unknown): ToolOutcome {
  const error = { code: "TOOL_FAILED", message: "The tool failed (reference 7f3a).", retryable: false };
  return Object.defineProperty({ kind, error }, "cause", { value: cause, enumerable: false });
}
