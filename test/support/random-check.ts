import { inspect } from "node:util";
import { type CallRecord, isFunctionCall, isFunctionCallOutput, type Item, type RunEvent } from "@toolwright/core";
import { expect } from "vitest";
import type { RandomOutcome } from "./random-run.js";
import { isOnce, mayRepeat, thrownKey, thrownText, userSecret } from "./random-world.js";

/** What must hold whatever a plan was. */
export function checkRandomRun(outcome: RandomOutcome): void {
  const { refusals, complaints, listeners, held, end, parts } = outcome;
  expect(refusals).toEqual([]);
  expect(complaints).toEqual([]);
  expect(listeners).toBe(0);
  // A session holds what the application would have been given.
  if (held !== undefined) expect(JSON.parse(JSON.stringify(held))).toEqual(JSON.parse(JSON.stringify(end.history)));
  checkEnd(outcome);
  checkOutputs(outcome);
  checkExecutions(outcome);
  checkDoubts(outcome);
  checkSecrets(outcome);
  for (const events of parts) checkEvents(events);
}

/** The way in which a run ends has its reasons, and its budgets hold. */
function checkEnd({ plan, pipeline, end, code, requests }: RandomOutcome): void {
  const expected = [
    ...(plan.abort === undefined ? [] : ["RUN_ABORTED"]),
    ...(plan.stepTimeoutMs === undefined ? [] : ["RUN_TIMEOUT"]),
    ...(plan.breaks === undefined ? [] : ["RUN_MIDDLEWARE"]),
    ...(plan.maxSteps === undefined && plan.budget?.onExhausted === "stop" ? [] : ["RUN_BUDGET"]),
    ...(plan.steps.some(({ fault }) => fault !== undefined)
      ? ["MODEL_SERVER", "MODEL_RATE_LIMIT", "MODEL_FAILED", "MODEL_CONNECTION", "MODEL_STREAM_ENDED", "MODEL_PROTOCOL", "MODEL_INCOMPLETE"]
      : []),
  ];
  if (code !== undefined) expect(expected).toContain(code);
  const most = Math.min(plan.maxSteps ?? 20, plan.budget?.steps ?? 20);
  const attempts = (plan.retries === undefined ? 1 : 2) * pipeline.requests;
  expect(end.steps.length).toBeLessThanOrEqual(most);
  expect(end.usage.requests).toBeLessThanOrEqual(most * attempts);
  // A request that an abort overtook may not have reached the server.
  if (code === "RUN_ABORTED" || code === "RUN_TIMEOUT") expect(requests).toBeLessThanOrEqual(end.usage.requests);
  else expect(requests).toBe(end.usage.requests);
  const unknown = recordsOf(end.steps).filter(({ outcome }) => outcome.kind === "unknown");
  if (end.stopReason === "error") expect(end.unknownCalls).toEqual(unknown);
}

const recordsOf = (steps: RandomOutcome["end"]["steps"]): readonly CallRecord[] => steps.flatMap((step) => step.calls);

/** Each call with its one output, in the order of the outputs. */
function pairs(context: readonly Item[], keepsTwins: boolean): readonly { readonly callId: string; readonly output: unknown }[] {
  const open = new Set<string>();
  const found: { callId: string; output: unknown }[] = [];
  for (const item of context) {
    if (isFunctionCall(item)) {
      // A server that keeps the history keeps both of two twins.
      if (!keepsTwins) expect(open).not.toContain(item.call_id);
      open.add(item.call_id);
    } else if (isFunctionCallOutput(item)) {
      expect(open.delete(item.call_id), `an output for ${item.call_id}`).toBe(true);
      found.push({ callId: item.call_id, output: item.output });
    }
  }
  expect([...open]).toEqual([]);
  return found;
}

/** The model reads of each call what its record says, in the model's order. */
function checkOutputs({ plan, context, end, left }: RandomOutcome): void {
  // A server that keeps the history keeps both of two twins, and calls that waited are answered there after those that did not.
  const keptByServer = plan.kind === "chained" || plan.kind === "conversation";
  const outputs = [...pairs(context, keptByServer)];
  for (const calls of [...end.steps.map((step) => step.calls), left?.calls ?? []]) {
    const own = outputs.splice(0, calls.length);
    const ids = [own, calls].map((list) => list.map(({ callId }) => callId));
    expect(keptByServer ? ids[0]?.toSorted() : ids[0]).toEqual(keptByServer ? ids[1]?.toSorted() : ids[1]);
    for (const { callId, outcome } of calls) {
      const output = String(own.find((each) => each.callId === callId)?.output);
      if (outcome?.output !== undefined) expect(output).toBe(outcome.output);
      else expect(output).toMatch(/^\{"error":/);
    }
  }
  expect(outputs).toEqual([]);
}

/** No outcome is lost or made up, and no effect happens twice. */
function checkExecutions({ plan, pipeline, executions, end, allowed, left }: RandomOutcome): void {
  const byKey = Map.groupBy(executions, ({ key }) => key);
  const settled = [
    ...end.steps.flatMap((step) => step.calls.map((call) => ({ key: `${end.runId}/${step.index}/${call.callId}`, ...call }))),
    ...(left?.calls ?? []).map((call) => ({ key: `${end.runId}/${left?.step}/${call.callId}`, ...call })),
  ];
  const known = new Map(settled.map((call) => [call.key, call]));
  for (const [key, list] of byKey) {
    const call = known.get(key);
    // What ran is told of, in whatever way the run ended.
    if (call === undefined) throw new Error(`${key} ran, and nobody was told.`);
    const { outcome, attempts } = call;
    const last = list.at(-1);
    if (last === undefined) continue;
    expect(list.length).toBe(attempts);
    if (!mayRepeat(last.tool)) expect(list).toHaveLength(1);
    expect(list.length).toBeLessThanOrEqual((plan.retries === undefined ? 1 : 2) * pipeline.attempts);
    expect(["ok", "failed", "unknown"]).toContain(outcome?.kind);
    if (outcome?.kind === "unknown") expect(isOnce(last.tool)).toBe(true);
    if (outcome?.kind === "ok") expect(list.map(({ returned }) => returned)).toContain(bare(outcome.output, pipeline.fences));
    // A method that ends after its time, or after the run, gives its result to nobody; nothing else is lost.
    if (last.returned !== undefined && !last.signal.aborted) {
      expect(outcome?.kind).toBe("ok");
      expect(bare(outcome?.output, pipeline.fences)).toBe(last.returned);
    }
  }
  for (const { key, tool, outcome } of settled) {
    if (byKey.has(key) || outcome === undefined) continue;
    // A person said that it was done; nothing else is an effect that nobody had.
    const gave = pipeline.answers ? executions.filter((each) => each.tool === tool).map(({ returned }) => returned) : [];
    if (outcome.kind === "ok") expect(["told", ...gave]).toContain(bare(outcome.output, pipeline.fences));
    else expect(["invalid", "denied", "skipped", "interrupted", "failed"]).toContain(outcome.kind);
    if (outcome.kind === "failed") throw new Error(`${key} failed without having run.`);
  }
  const few = new Set(executions.filter(({ tool }) => tool === "few").map(({ key }) => key));
  expect(few.size).toBeLessThanOrEqual(2);
  expect(allowed.size).toBeGreaterThanOrEqual(new Set(executions.filter(({ tool }) => /asks/.test(tool)).map(({ key }) => key)).size);
}

/** What a tool gave, or a person told, without fences around it. */
function bare(output: unknown, fenced: boolean): unknown {
  return fenced ? (/done \d+|told/.exec(String(output))?.[0] ?? output) : output;
}

/** What is private goes where it belongs. */
function checkSecrets({ read, logged, parts, end }: RandomOutcome): void {
  for (const text of read) expect(text).not.toMatch(hidden);
  expect(JSON.stringify([parts, end])).not.toMatch(hidden);
  for (const line of logged) expect(line).not.toContain(thrownKey);
  for (const line of logged) expect(line).not.toContain(userSecret);
  expect(inspect(end, { depth: 20 })).not.toContain(userSecret);
}

const hidden = new RegExp(`${thrownText}|${thrownKey}|\\s+at .*\\.ts:`);

/** After a write of unknown outcome, an equal one runs only when a person says that the first never happened. */
function checkDoubts({ end, executions, allowed }: RandomOutcome): void {
  const doubtful = new Set<string>();
  const started = new Map(executions.map((execution) => [execution.key, execution]));
  for (const { index, calls } of end.steps) {
    for (const { callId, tool, arguments: args, outcome } of calls) {
      const key = `${end.runId}/${index}/${callId}`;
      const write = `${tool} ${String(args?.["n"])} ${String(args?.["key"])}`;
      const execution = started.get(key);
      if (execution !== undefined && doubtful.has(write)) expect(allowed).toContain(key);
      if (outcome.kind === "unknown") doubtful.add(write);
    }
  }
}

/** Events tell a story from its start to its end. */
function checkEvents(events: readonly RunEvent[]): void {
  const types = events.map(({ type }) => type);
  expect(types[0]).toBe("run-start");
  expect(types.indexOf("run-end")).toBe(types.length - 1);
  const outcomes = events.flatMap((event) => (event.type === "tool-outcome" ? [`${event.step} ${event.callId}`] : []));
  expect(new Set(outcomes).size).toBe(outcomes.length);
  const starts = events.flatMap((event) => (event.type === "tool-start" ? [`${event.step} ${event.callId}`] : []));
  expect(new Set(starts).size).toBe(starts.length);
}
