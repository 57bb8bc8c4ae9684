import type { CallState, RunState } from "../contracts/run.js";
import type { Usage } from "../contracts/usage.js";
import { isOutcome } from "./outcome-form.js";

type Check = (value: unknown) => boolean;
type Form<T> = { readonly [Field in keyof Required<T>]: Check };

const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isAmount: Check = (value) => typeof value === "number" && value >= 0;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const recordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);
const has =
  <T>(form: Form<T>): Check =>
  (value) =>
    isRecord(value) && wrongField(value, form) === undefined;

function wrongField<T>(value: Readonly<Record<string, unknown>>, form: Form<T>): string | undefined {
  return Object.keys(form).find((field) => !form[field as keyof Form<T>](value[field]));
}

const usage: Form<Usage> = {
  requests: isCount,
  inputTokens: isAmount,
  cachedInputTokens: isAmount,
  outputTokens: isAmount,
  reasoningTokens: isAmount,
  totalTokens: isAmount,
};

const call: Form<CallState> = {
  callId: isText,
  tool: optional(isText),
  toolHash: optional(isText),
  arguments: optional(isRecord),
  shown: optional(isRecord),
  attempts: isCount,
  durationMs: isAmount,
  outcome: optional(isOutcome),
  // Looked into by whoever reads the state, with the kernel of that agent.
  agent: optional(isRecord),
  decision: optional(isRecord),
};

// A message that an application gives need not have a `type`.
const isItem: Check = isRecord;
const isRecordOfCall: Check = (value) => isRecord(value) && isText(value["callId"]) && isText(value["tool"]) && isOutcome(value["outcome"]);
const isStep: Check = (value) => isRecord(value) && isCount(value["index"]) && listOf(isRecordOfCall)(value["calls"]);

const isHistory: Check = (value) => {
  if (!isRecord(value)) return false;
  const { kind, items, session, previousResponseId, id, outputs, openCalls, begunCalls, callOrder, callTypes } = value;
  if (![items, outputs].every(optional(listOf(isItem))) || ![openCalls, begunCalls, callOrder].every(optional(listOf(isText))))
    return false;
  if (!optional(recordOf(isText))(callTypes)) return false;
  if (kind === "local") return session === undefined || isRecord(session);
  return kind === "chained" ? optional(isText)(previousResponseId) : kind === "conversation" && isText(id);
};

const state: Form<RunState> = {
  version: (value) => value === 1,
  runId: isText,
  step: isCount,
  handoffs: optional(listOf(isText)),
  history: isHistory,
  responseId: optional(isText),
  items: listOf(isItem),
  reply: listOf(isItem),
  calls: listOf(has(call)),
  steps: listOf(isStep),
  usage: has(usage),
  usageBefore: has(usage),
  toolCalls: recordOf(isCount),
  middleware: recordOf(isRecord),
  pauses: isCount,
  acted: optional((value) => typeof value === "boolean"),
  outputRepairs: optional(isCount),
  unknownWrites: optional(recordOf(isText)),
  signature: optional(isText),
};

/** The first field of a state that is missing or of another form; undefined when it has the form that it must have. */
export const wrongFieldOf = (value: object): string | undefined => wrongField(value as Readonly<Record<string, unknown>>, state);
