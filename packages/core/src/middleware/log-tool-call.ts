import type { EventBody, RunEvent } from "../contracts/event.js";
import type { JsonObject } from "../contracts/json.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { outputSize, type LogContent, type LoggedCall } from "./log-content.js";
import type { LogEntry, LogLevel } from "./log-sink.js";
import { count, cut, duration } from "./log-text.js";

type EventOf<Type extends EventBody["type"]> = Extract<RunEvent, { readonly type: Type }>;

const outcomeLevels: { readonly [kind in ToolOutcome["kind"]]: LogLevel } = {
  ok: "info",
  skipped: "info",
  denied: "info",
  interrupted: "info",
  invalid: "warn",
  failed: "warn",
  unknown: "error",
};

/** A call with its outcome. */
export function toolCallEntry(event: EventOf<"tool-outcome">, call: LoggedCall, content: LogContent): LogEntry {
  const { outcome, attempts, callId } = event;
  const tool = cut(event.tool, 128);
  const durationMs = Math.round(event.durationMs);
  const shown = {
    arguments: content.arguments(call),
    output: outcome.output === undefined ? undefined : content.output(outcome.output, call),
    chars: outcome.output === undefined ? undefined : outputSize(outcome.output),
  };
  const failure = failureOf(outcome, call, content);
  return {
    level: outcomeLevels[outcome.kind],
    event: "tool-call",
    message: `${tool} ${outcome.kind}`,
    fields: { ...place(event), tool, callId, outcome: outcome.kind, attempts, durationMs, ...known(shown), ...failure },
    line: [
      `step ${event.step}`,
      ...(shown.arguments === undefined ? bareLine(event, tool, shown.chars, failure) : fullLine(event, tool, shown, failure)),
    ],
  };
}

/** Without content: `get_weather  ok  27 chars  41 ms  call_1  resp_1`. */
function bareLine(event: EventOf<"tool-outcome">, tool: string, chars: number | undefined, failure: JsonObject): (string | undefined)[] {
  const { outcome, callId, responseId } = event;
  const size = chars === undefined ? undefined : count(chars, "char");
  return [
    who(event, tool),
    outcome.kind,
    codeOf(failure),
    repeats(event),
    size,
    duration(event.durationMs),
    cut(callId, 80),
    responseId,
    whyOf(failure),
  ];
}

/** With content: `get_weather({"city":"Kazan"}) → +12 °C, cloudy  41 ms`. */
function fullLine(
  event: EventOf<"tool-outcome">,
  tool: string,
  shown: { readonly arguments?: string | undefined; readonly output?: string | undefined },
  failure: JsonObject,
): (string | undefined)[] {
  const { kind } = event.outcome;
  const became = kind === "ok" ? shown.output : [kind, codeOf(failure), shown.output].filter((part) => part !== undefined).join(" ");
  return [`${who(event, tool)}(${shown.arguments}) → ${became}`, repeats(event), duration(event.durationMs), whyOf(failure)];
}

/** A call that waits for a person: the line of its outcome, which is still to come, until the run goes on. */
export function interruptionEntry(event: EventOf<"interruption">, call: LoggedCall, content: LogContent): LogEntry {
  const { callId, reason } = event;
  const tool = cut(event.tool, 128);
  const shown = content.arguments(call);
  const waits =
    shown === undefined
      ? [who(event, tool), "interrupted", cut(callId, 80), event.responseId]
      : [`${who(event, tool)}(${shown}) → interrupted`];
  return {
    level: "info",
    event: "tool-call",
    message: `${tool} interrupted`,
    fields: known({ ...place(event), tool, callId, outcome: "interrupted", reason, arguments: shown }),
    line: [`step ${event.step}`, ...waits, reason],
  };
}

/** A repeat of a call. */
export function attemptEntry(event: EventOf<"tool-attempt">): LogEntry {
  const tool = cut(event.tool, 128);
  return {
    level: "info",
    event: "tool-attempt",
    message: `${tool} attempt ${event.attempt}`,
    fields: { ...place(event), tool, callId: event.callId, attempt: event.attempt },
    line: [`step ${event.step}`, who(event, tool), `attempt ${event.attempt}`, cut(event.callId, 80)],
  };
}

/** Text of a step that was shown is void. */
export function restartEntry(event: EventOf<"step-restart">): LogEntry {
  const line = [`step ${event.step}`, "restarted: its text so far is void"];
  return { level: "warn", event: "step-restart", message: "step restarted", fields: place(event), line };
}

/** What a failed call may say of itself. */
function failureOf(outcome: ToolOutcome, call: LoggedCall, content: LogContent): JsonObject {
  switch (outcome.kind) {
    case "ok":
      return {};
    case "interrupted":
      return { reason: outcome.reason };
    case "skipped":
      return { reason: content.message(outcome.reason, call) };
    case "denied":
      // A person's own words, so they count as content.
      return known({ reason: content.text(outcome.reason) });
    case "invalid": {
      // Types and rules only: the message may quote the arguments.
      const issues = (outcome.error.issues ?? []).slice(0, 5);
      const texts = issues.map(
        ({ path, expected, received }) => `${path === "" ? "arguments" : path}: expected ${expected}, received ${received}`,
      );
      return { code: outcome.error.code, ...(texts.length === 0 ? {} : { issues: texts.map((text) => content.message(text, {})) }) };
    }
    case "failed":
    case "unknown": {
      const { code, message, retryable } = outcome.error;
      const cause = outcome.cause === undefined ? undefined : content.cause(outcome.cause, call);
      return known({ code, error: content.message(message, call), retryable, cause });
    }
  }
}

/** The same for people: one text. */
function whyOf(failure: JsonObject): string | undefined {
  const issues = Array.isArray(failure["issues"]) ? failure["issues"].join("; ") : undefined;
  // Made by `content.cause`.
  const cause = failure["cause"] as { readonly name: string; readonly message: string; readonly stack?: string } | undefined;
  const at = cause?.stack?.split("\n")[0];
  const thrown = cause === undefined ? undefined : `← ${cause.name}: ${cause.message}${at === undefined ? "" : ` (${at})`}`;
  const parts = [failure["reason"], failure["error"], issues, thrown].filter((part) => typeof part === "string");
  return parts.length === 0 ? undefined : parts.join(" ");
}

function place(event: RunEvent): JsonObject {
  const { runId, path, step, responseId } = event;
  return known({ runId, path: path.length === 0 ? undefined : [...path], step, responseId });
}

function who(event: RunEvent, tool: string): string {
  return [...event.path, tool].join(" › ");
}

function codeOf(failure: JsonObject): string | undefined {
  return typeof failure["code"] === "string" ? failure["code"] : undefined;
}

function repeats({ attempts }: EventOf<"tool-outcome">): string | undefined {
  return attempts > 1 ? count(attempts, "attempt") : undefined;
}

/** The fields that have a value. */
function known(fields: { readonly [name: string]: JsonObject[string] | undefined }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
