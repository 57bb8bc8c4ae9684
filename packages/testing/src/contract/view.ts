import type { RunEvent } from "@toolwright/core";
import type { Trace } from "./conduct.js";
import type { End } from "./stage.js";

/** What a middleware is there to change, so that it is not held against it. */
export interface MiddlewareChanges {
  /** What is sent to the model: instructions, input, tools, settings, and how often. */
  readonly requests?: boolean | undefined;
  /** What the model's replies say: texts and the arguments of calls. */
  readonly replies?: boolean | undefined;
  /** The arguments that tools get. */
  readonly arguments?: boolean | undefined;
  /** What the model reads of what a call came to. */
  readonly outputs?: boolean | undefined;
  /** What calls come to, and how often they run. */
  readonly outcomes?: boolean | undefined;
  /** How a run ends. */
  readonly ends?: boolean | undefined;
}

/** A trace as JSON, without times and made-up ids, and without what may be changed. Two that are alike are equal. */
export function viewOf(trace: Pick<Trace, "ends" | "requests" | "executions" | "parts">, changes: MiddlewareChanges): object {
  const view = {
    ends: changes.ends === true ? undefined : trace.ends.map(endView),
    requests: changes.requests === true ? undefined : trace.requests.map(({ body: { stream: _, ...body } }) => body),
    executions: changes.outcomes === true ? undefined : inOrder(trace.executions),
    events: trace.parts.map((part) => eventsView(part, changes)),
  };
  return JSON.parse(
    JSON.stringify(view, (key, value: unknown) => masked(key, value, changes)).replaceAll(references, "(reference …)"),
  ) as object;
}

// They differ from run to run, and are looked up in a log.
const references = /\(reference [0-9a-f]{8}\)/g;
const mask = "…";

function endView({ ends, result, error }: End): object {
  const failure = error === undefined ? undefined : { message: error.message, details: error.details, cause: causeText(error) };
  if (result === undefined) return { ends, failure };
  const { stopReason, items, history, steps, usage, interruptions, output, refusal } = result as unknown as Record<string, unknown>; // whichever kind of end
  return { ends, failure, result: { stopReason, items, history, steps, usage, interruptions, output, refusal } };
}

function causeText(error: Error): string | undefined {
  return error.cause instanceof Error ? error.cause.message : undefined;
}

const inOrder = <T extends { readonly callId: string; readonly attempt: number }>(list: readonly T[]): readonly T[] =>
  list.toSorted((left, right) => left.callId.localeCompare(right.callId) || left.attempt - right.attempt);

/**
 * The events of each call by themselves: a middleware that takes its time may let calls overtake each other. The others
 * have one order.
 */
function eventsView(part: readonly RunEvent[], changes: MiddlewareChanges): object {
  const hidden = (event: RunEvent): boolean =>
    (changes.replies === true && (/-delta$|^tool-input-/.test(event.type) || event.type === "step-restart")) ||
    (changes.outcomes === true && /^tool-(start|attempt|progress)$|^interruption$/.test(event.type)) ||
    (changes.ends === true && event.type === "run-end");
  const shown = part.filter((event) => !hidden(event));
  const isOfCall = (event: RunEvent): event is RunEvent & { readonly callId: string } =>
    "callId" in event && !event.type.startsWith("tool-input-");
  const calls: Record<string, RunEvent[]> = {};
  for (const event of shown) if (isOfCall(event)) (calls[`step ${event.step}, ${event.callId}`] ??= []).push(event);
  return { steps: shown.filter((event) => !isOfCall(event)), calls: Object.fromEntries(Object.entries(calls).sort()) };
}

function masked(key: string, value: unknown, changes: MiddlewareChanges): unknown {
  if (key === "runId" || key === "durationMs" || key === "requestId") return mask;
  if (key === "outcome" && changes.outcomes === true) return mask;
  if (key === "attempts" && changes.outcomes === true) return mask;
  if (typeof value !== "object" || value === null) return value;
  if (key === "arguments" && changes.arguments === true) return mask;
  if (key === "outcome" && changes.outputs === true) return { ...value, output: mask };
  const item = value as { readonly type?: unknown; readonly role?: unknown };
  if (item.type === "function_call_output" && (changes.outputs === true || changes.outcomes === true)) return { ...value, output: mask };
  if (changes.replies !== true) return value;
  if (key === "result") return { ...value, output: mask, refusal: mask };
  if (item.type === "function_call") return { ...value, arguments: mask };
  if (item.type === "message" && item.role === "assistant") return { ...value, content: mask };
  return value;
}
