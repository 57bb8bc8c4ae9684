import type { RunEvent } from "../contracts/event.js";
import type { InputItem } from "../contracts/item.js";
import type { Middleware, RunInfo } from "../contracts/middleware.js";
import type { ToolLog } from "../contracts/tool.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { StepCalls, eventsLoggedBy } from "./log-calls.js";
import { logContent, type LogContent } from "./log-content.js";
import { modelFailureEntry, modelReplyEntry, promptOf, runEndEntry, runFailureEntry } from "./log-run.js";
import { logSink, type LogEntry, type LogLevel, type LogStream } from "./log-sink.js";
import { attemptEntry, interruptionEntry, restartEntry, toolCallEntry } from "./log-tool-call.js";
import { boolean, checkOptions, oneOf, textList, type OptionCheck } from "./options.js";

export type { LogLevel, LogStream } from "./log-sink.js";

/** Options of {@link logging}. */
export interface LoggingOptions {
  /** Any pino-compatible logger: four methods that take fields and a message. Not together with `stream` or `format`. */
  readonly logger?: ToolLog | undefined;
  /** Logs arguments, outputs and answers too. Default false: names, ids, durations and sizes only. */
  readonly content?: boolean | undefined;
  /**
   * Keys whose values are hidden when `content` is on, and wherever else these values turn up in the same call: `"token"`
   * hides every key of this name, `"user.password"` one below another, `*` stands for any one key.
   */
  readonly redact?: readonly string[] | undefined;
  /** The least grave lines to write. Default `"info"`; with `logger`, `"debug"`, since the logger has a level itself. */
  readonly level?: LogLevel | undefined;
  /** Where lines go. Default `process.stderr`, so that the answer can have the standard output to itself. */
  readonly stream?: LogStream | undefined;
  /** Default: `"pretty"` (lines for people) when the stream is a terminal, else `"json"` (an object a line). */
  readonly format?: "pretty" | "json" | undefined;
}

/**
 * Writes one line for each reply of the model, each tool call and each run, of at most 2,000 characters. Put it first,
 * so that it sees what the model will read.
 *
 * Arguments, outputs, prompts and answers are not logged unless `content` is on. What a tool threw is logged, since the
 * model and the caller only get a reference: its message without the call's arguments, and never with what looks like a
 * key, a token or a password. A logger that throws is ignored.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function logging(options: LoggingOptions = {}): Middleware {
  checkLogging(options);
  const { logger, content = false, redact = [], stream, format, level = logger === undefined ? "info" : "debug" } = options;
  const write = logSink({ logger, stream, level, format });
  const view = logContent(content, redact);
  const calls = new StepCalls();
  // What the last request of each run said: its error may quote any of it.
  const prompts = new WeakMap<RunInfo, readonly InputItem[]>();
  const logged = eventsLoggedBy(logger ?? stream ?? process.stderr);

  return {
    name: "logging",
    kind: "logging",
    options: { content, level, ...(redact.length === 0 ? {} : { redact: [...redact] }), ...(format === undefined ? {} : { format }) },

    async wrapRun(call, next, { run }) {
      const elapsed = stopwatch();
      try {
        const result = await next(call);
        write(() => runEndEntry(result.stopReason, result.steps.length, run, elapsed()));
        return result;
      } catch (error) {
        write(() =>
          RunStop.is(error)
            ? runEndEntry(error.stopReason, run.step, run, elapsed())
            : runFailureEntry(error, [...call.input, ...(prompts.get(run) ?? [])], calls.all(run.id), run, elapsed(), view),
        );
        throw error;
      } finally {
        calls.forget(run.id);
      }
    },

    async wrapModelCall(call, next, { run }) {
      const elapsed = stopwatch();
      const before = run.usage.requests;
      prompts.set(run, promptOf(call.request));
      const facts = () => ({ run, step: call.step, requests: run.usage.requests - before, durationMs: elapsed() });
      try {
        const response = await next(call);
        write(() => modelReplyEntry(response, facts(), view));
        return response;
      } catch (error) {
        // A budget inside this layer ends the run without asking the model.
        if (!RunStop.is(error) && !ToolwrightError.is(error, "RUN_BUDGET")) write(() => modelFailureEntry(error, call, facts(), view));
        throw error;
      }
    },

    wrapToolCall(call, next, { run }) {
      const { arguments: checked, rawArguments, issues } = call;
      calls.note(run.id, call.callId, issues === undefined ? { arguments: checked } : { rawArguments });
      return next(call);
    },

    onEvent(event, { run }) {
      const told = innermost(event);
      const entry = entryOf(told, run.id, calls, view);
      if (entry !== undefined && logged.first(told)) write(entry);
    },
  };
}

// What happened in an agent used as a tool has its line like anything else; its path says where it belongs.
const innermost = (event: RunEvent): RunEvent => (event.type === "agent-event" ? innermost(event.event) : event);

function entryOf(event: RunEvent, ownRun: string, calls: StepCalls, view: LogContent): (() => LogEntry) | undefined {
  switch (event.type) {
    case "step-start":
      calls.forget(event.runId);
      return undefined;
    case "tool-start":
      // What the tool really gets: a middleware further in may have changed the arguments.
      if (event.arguments !== undefined) calls.note(event.runId, event.callId, { arguments: event.arguments });
      return undefined;
    case "interruption": {
      const call = calls.get(event.runId, event.callId);
      // One that waits inside of an agent used as a tool: that agent has told of it.
      if (call === undefined && event.callId.includes("/")) return undefined;
      return () => interruptionEntry(event, call ?? {}, view);
    }
    case "tool-outcome": {
      // It has its line by its own event.
      if (event.outcome.kind === "interrupted") return undefined;
      const call = calls.get(event.runId, event.callId) ?? {};
      return () => toolCallEntry(event, call, view);
    }
    case "tool-attempt":
      return event.attempt === 1 ? undefined : () => attemptEntry(event);
    case "step-restart":
      return () => restartEntry(event);
    case "run-end":
      if (event.runId !== ownRun) calls.forget(event.runId);
      return undefined;
    default:
      return undefined;
  }
}

function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

const aLogger: OptionCheck = (value) =>
  (["debug", "info", "warn", "error"] as const).every((method) => typeof (value as Partial<ToolLog> | null)?.[method] === "function")
    ? undefined
    : "a logger with the methods debug, info, warn and error";

const aStream: OptionCheck = (value) =>
  typeof (value as Partial<LogStream> | null)?.write === "function" ? undefined : "a stream with the method write";

function checkLogging(options: LoggingOptions): void {
  checkOptions("logging", options, {
    logger: aLogger,
    content: boolean,
    redact: textList,
    level: oneOf("debug", "info", "warn", "error"),
    stream: aStream,
    format: oneOf("pretty", "json"),
  });
  const { logger, stream, format } = options;
  if (logger !== undefined && (stream !== undefined || format !== undefined)) {
    const other = stream === undefined ? "format" : "stream";
    throw new ToolwrightError("RUN_OPTIONS", `logging(): \`logger\` and \`${other}\` exclude each other; a logger writes in its own way.`);
  }
}
