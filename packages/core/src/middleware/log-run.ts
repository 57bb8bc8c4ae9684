import type { InputItem } from "../contracts/item.js";
import type { JsonObject } from "../contracts/json.js";
import type { ModelCall, RunInfo } from "../contracts/middleware.js";
import type { ModelRequest, ModelResponse } from "../contracts/model.js";
import type { StopReason } from "../contracts/run.js";
import { leavesOf } from "../errors/mask.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { callsIn } from "../run/history-calls.js";
import { type LogContent, type LoggedCall, parseJson } from "./log-content.js";
import type { LogEntry, LogLevel } from "./log-sink.js";
import { count, duration } from "./log-text.js";

/** What a model call took. */
export interface ModelCallFacts {
  readonly run: RunInfo;
  readonly step: number;
  /** Repeats included. */
  readonly requests: number;
  readonly durationMs: number;
}

/** A reply of the model. */
export function modelReplyEntry(response: ModelResponse, facts: ModelCallFacts, content: LogContent): LogEntry {
  const calls = callsIn(response.output).length;
  const { id, usage } = response;
  const text = content.text(textOf(response));
  const asked = calls === 0 ? "answer" : count(calls, "call");
  const tokens = `${usage.inputTokens} + ${usage.outputTokens} tokens`;
  return {
    level: "info",
    event: "model-call",
    message: "model replied",
    fields: {
      ...modelFields(facts),
      ...(id === undefined ? {} : { responseId: id }),
      calls,
      usage: { ...usage },
      ...(text === undefined ? {} : { text }),
    },
    line: [...modelLine(facts), asked, repeats(facts), tokens, duration(facts.durationMs), id],
  };
}

/** A model call that failed for good. */
export function modelFailureEntry(error: unknown, call: ModelCall, facts: ModelCallFacts, content: LogContent): LogEntry {
  const failure = failureOf(error, content, promptOf(call.request), []);
  return {
    level: levelOf(error),
    event: "model-call",
    message: "model failed",
    fields: { ...modelFields(facts), ...failure },
    line: [...modelLine(facts), "failed", failure.code, repeats(facts), duration(facts.durationMs), failure.error],
  };
}

/** A run that did not fail. */
export function runEndEntry(stopReason: StopReason, steps: number, run: RunInfo, durationMs: number): LogEntry {
  const { usage } = run;
  return {
    level: "info",
    event: "run-end",
    message: `run ${stopReason}`,
    fields: { ...place(run), stopReason, steps, durationMs: Math.round(durationMs), usage: { ...usage } },
    line: [
      "run",
      [...run.path, stopReason].join(" › "),
      count(steps, "step"),
      count(usage.requests, "request"),
      count(usage.totalTokens, "token"),
      duration(durationMs),
    ],
  };
}

/** All that a request says to the model, as items. */
export const promptOf = ({ instructions, input }: ModelRequest): readonly InputItem[] =>
  instructions === undefined ? input : [{ role: "developer", content: instructions }, ...input];

/**
 * A run that failed.
 *
 * @param input - whatever its error may quote: its own input, and what its last request said.
 */
export function runFailureEntry(
  error: unknown,
  input: readonly InputItem[],
  calls: readonly LoggedCall[],
  run: RunInfo,
  durationMs: number,
  content: LogContent,
): LogEntry {
  const failure = failureOf(error, content, input, calls);
  return {
    level: levelOf(error),
    event: "run-failed",
    message: "run failed",
    fields: { ...place(run), step: run.step, durationMs: Math.round(durationMs), ...failure, usage: { ...run.usage } },
    line: ["run", [...run.path, "failed"].join(" › "), failure.code, duration(durationMs), failure.error],
  };
}

function place(run: RunInfo): JsonObject {
  return { runId: run.id, ...(run.path.length === 0 ? {} : { path: [...run.path] }) };
}

function modelFields({ run, step, requests, durationMs }: ModelCallFacts): JsonObject {
  return { ...place(run), step, model: run.model, requests, durationMs: Math.round(durationMs) };
}

function modelLine({ run, step }: ModelCallFacts): string[] {
  return [`step ${step}`, [...run.path, run.model].join(" › ")];
}

function repeats({ requests }: ModelCallFacts): string | undefined {
  return requests > 1 ? count(requests, "request") : undefined;
}

function textOf(response: ModelResponse): string {
  const parts = response.output.flatMap((item) =>
    item.type === "message" && Array.isArray(item["content"]) ? (item["content"] as unknown[]) : [],
  );
  return parts.map((part) => String((part as { text?: unknown } | null)?.text ?? "")).join("");
}

/** What an error says, without texts of the input and without arguments, which an API or a middleware may quote in its message. */
function failureOf(
  error: unknown,
  content: LogContent,
  input: readonly InputItem[],
  calls: readonly LoggedCall[],
): { readonly code: string; readonly error: string } {
  const [message = ""] = (error instanceof Error ? String(error.message) : String(error)).split("\nFix: ");
  const code = ToolwrightError.is(error) ? error.code : error instanceof Error ? error.name : typeof error;
  return { code, error: content.message(message, { texts: textsOf(input) }, ...calls) };
}

/** Prompts, outputs and arguments in a request's input. Short ones are left out: they would tear up any sentence. */
function textsOf(input: readonly InputItem[]): Set<string> {
  const texts = new Set<string>();
  for (const item of input) {
    const { content, output, arguments: given, input: written, reason } = item as { readonly [key: string]: unknown };
    for (const value of [content, output, given, written, reason]) {
      for (const part of Array.isArray(value) ? (value as unknown[]) : [value]) {
        const text = typeof part === "string" ? part : (part as { readonly text?: unknown } | null | undefined)?.text;
        if (typeof text === "string" && text.length >= 8) texts.add(text);
      }
    }
    if (typeof given === "string") for (const value of leavesOf(parseJson(given))) if (value.length >= 4) texts.add(value);
  }
  return texts;
}

/** An abort was asked for; everything else that ends a run was not. */
function levelOf(error: unknown): LogLevel {
  return ToolwrightError.is(error, "RUN_ABORTED") ? "warn" : "error";
}
