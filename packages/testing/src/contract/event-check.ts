import type { RunEvent } from "@toolwright/core";
import type { Findings } from "./report.js";
import { remarksOf } from "./settled-checks.js";
import type { Conducted, Lab } from "./subject.js";

/** Events tell a story from its start to its end. */
export async function events(lab: Lab): Promise<Findings> {
  const done = await lab.all();
  const problems = done.flatMap(({ trace, place }) => {
    const found = [...trace.complaints, ...trace.parts.flatMap((part) => [...partProblems(part)]), ...untold(trace)];
    if (lab.subject.changes.replies !== true) found.push(...otherText(trace));
    return found.map((problem) => `${place}: ${problem}.`);
  });
  return { problems: [...remarksOf("events", done), ...problems] };
}

/** What is out of order in the events of one run, or one part of it. */
function* partProblems(part: readonly RunEvent[]): Generator<string> {
  if (part[0]?.type !== "run-start") yield `the first event is ${part[0]?.type ?? "missing"}, where run-start was expected`;
  const end = part.findIndex(({ type }) => type === "run-end");
  if (end !== part.length - 1) yield `run-end is event ${end + 1} of ${part.length}, where it was expected once, at the end`;
  let open = false;
  const calls = new Map<string, string>();
  for (const event of part) {
    const { type, step } = event;
    if (type === "step-start") {
      if (open) yield `step ${step} began before the one before it had ended`;
      open = true;
    } else if (type === "step-end") {
      open = false;
    } else if (type === "text-delta" || type === "tool-input-start") {
      if (!open) yield `${type} came outside of a step`;
    } else if ("callId" in event && !type.startsWith("tool-input-")) {
      yield* callProblems(event as RunEvent & { readonly callId: string }, calls);
    }
  }
}

// Of one call: start, attempts, outcome or interruption.
function* callProblems({ type, step, callId }: RunEvent & { readonly callId: string }, calls: Map<string, string>): Generator<string> {
  const key = `${callId} in step ${step}`;
  const before = calls.get(key);
  if (type === "tool-start" && before !== undefined) yield `tool-start of ${key} came after ${before}`;
  if ((type === "tool-attempt" || type === "tool-progress") && before !== "tool-start")
    yield `${type} of ${key} came after ${before ?? "nothing"}`;
  if ((type === "tool-outcome" || type === "interruption") && before !== undefined && before !== "tool-start")
    yield `${type} of ${key} came after ${before}`;
  // Attempts go on from the start.
  if (type !== "tool-attempt" && type !== "tool-progress") calls.set(key, type);
}

// Every outcome in the result has been told, and the other way round.
function untold({ parts, ends }: Conducted["trace"]): readonly string[] {
  const { result } = ends.at(-1) ?? {};
  if (result === undefined || result.stopReason === "interrupted") return [];
  const told = parts.flat().flatMap((event) => (event.type === "tool-outcome" ? [`${event.step} ${event.callId}`] : []));
  const known = result.steps.flatMap(({ index, calls }) => calls.map(({ callId }) => `${index} ${callId}`));
  const missing = known
    .filter((call) => !told.includes(call))
    .map((call) => `no tool-outcome tells of the call ${call.slice(call.indexOf(" ") + 1)}`);
  const twice = told
    .filter((call, at) => told.indexOf(call) !== at)
    .map((call) => `two tool-outcomes tell of the call ${call.slice(call.indexOf(" ") + 1)}`);
  return [...missing, ...twice];
}

// What a consumer has been told of the answer, and not told to forget, is the answer.
function otherText({ parts, ends }: Conducted["trace"]): readonly string[] {
  const { result } = ends.at(-1) ?? {};
  if (result?.stopReason !== "completed") return [];
  const part = parts.at(-1) ?? [];
  const last = part.findLastIndex(({ type }) => type === "step-start" || type === "step-restart");
  const told = part.slice(last).flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  return told.join("") === result.output
    ? []
    : [`events told the text ${JSON.stringify(told.join(""))}, where ${JSON.stringify(result.output)} was expected`];
}
