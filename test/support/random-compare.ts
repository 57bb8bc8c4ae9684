import type { RunEvent } from "@toolwright/core";
import type { PlannedRun } from "./random-plan.js";
import type { RandomOutcome } from "./random-run.js";

const timeless: Readonly<Record<string, string>> = { slow_read: "read", slow: "write", slow_keyed: "keyed", put: "write" };

/** The plan without anything that hangs on time, so that it comes to the same each time. */
export function calm(plan: PlannedRun): PlannedRun {
  const steps = plan.steps.map((step) => ({
    ...step,
    calls: step.calls.map((call) => ({
      ...call,
      tool: (timeless[call.tool] ?? call.tool) as typeof call.tool, // names of the plan's own tools
      does: call.does === "heeds its signal" ? ("returns" as const) : call.does,
      delayMs: 0,
    })),
  }));
  return { ...plan, steps, abort: undefined, stepTimeoutMs: undefined };
}

/** All that can be seen of an outcome, without times and ids that are made anew each time. */
export function comparable({ end, code, executions, parts, read, refusals }: RandomOutcome): string {
  const { history, items, steps, usage, interruptions, stopReason } = end;
  const ran = executions
    .map(({ callId, tool, arguments: supplied, attempt, returned }) => ({ callId, tool, supplied, attempt, returned }))
    .toSorted((left, right) => left.callId.localeCompare(right.callId) || left.attempt - right.attempt);
  const seen = { stopReason, code, history, items, steps, usage, interruptions, ran, events: parts.map(storyOf), read, refusals };
  return sameIds(JSON.stringify(seen, (key, value: unknown) => (key === "durationMs" || key === "encrypted_content" ? 0 : value), 1));
}

// Calls that run side by side may overtake each other.
function storyOf(part: readonly RunEvent[]): object {
  const ofCalls = part.flatMap((event) => ("callId" in event && !event.type.startsWith("tool-input") ? [event] : []));
  const calls = Object.groupBy(ofCalls, ({ step, callId }) => `${step} ${callId}`);
  const byName = Object.entries(calls).toSorted(([left], [right]) => left.localeCompare(right));
  return { steps: part.filter((event) => !ofCalls.includes(event as never)), calls: byName };
}

const made =
  /\b(?:resp|msg|rs|fc|conv)_[0-9a-f]{16}\b|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=id=\\*")[a-z]{16}|(?<=reference )[0-9a-f]{8}/g;

/** Ids that are made up become numbers, in the order in which they turn up. What tools return is numbered by their start. */
function sameIds(text: string): string {
  const known = new Map<string, number>();
  return text
    .replace(made, (id) => {
      if (!known.has(id)) known.set(id, known.size);
      return `made ${known.get(id)}`;
    })
    .replaceAll(/done \d+/g, "done")
    .replaceAll(/"encrypted_content\\*":\\*"[^"]*"/g, "sealed");
}
