import type { Item } from "../contracts/item.js";
import type { ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { CallRecord, CallState, Interruption } from "../contracts/run.js";
import type { RunnableTool, ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { boundedOutcome } from "./bounded-outcome.js";
import { executeCall, recordOutcome } from "./execute-call.js";
import { holdLanes } from "./held-lanes.js";
import { answerTo, callsIn, callTypeIn, withCaller } from "./history-calls.js";
import { callRecord, type OpenCall } from "./open-call.js";
import { openCalls, type SettledCalls } from "./open-calls.js";
import { isOutcome } from "./outcome-form.js";
import { abortedOutcome, holdsFullProtocol, leftRunningOutcome, skipped, undecided, unheardOutcome } from "./outcomes.js";
import { editedArguments } from "./decisions.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { writeKey } from "./resource.js";
import { toolHash } from "./run-state.js";
import type { Run } from "./run.js";

/** What a step's calls came to. */
export interface SettledStep {
  readonly records: readonly CallRecord[];
  /** One output a call, in the model's order; calls that wait for a person have none yet. */
  readonly outputs: readonly Item[];
  readonly interruptions: readonly Interruption[];
  /** True when there is a call without an output. It may be that nothing here is to be decided: it waits behind a call of a run above. */
  readonly paused: boolean;
  /** Every call as a pause keeps it. */
  readonly states: readonly CallState[];
  /** The first thing that a middleware threw: it ends the run after all calls have settled. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Runs the calls of a reply: side by side where their lanes allow, each through the tool pipeline. Settles when all have,
 * whatever fails, or soon after an abort, whatever hangs.
 */
export async function executeCalls(run: Run, reply: readonly Item[], settled?: SettledCalls): Promise<SettledStep> {
  const calls = openCalls(run, callsIn(reply), settled);
  const byId = new Map(calls.map((open) => [open.callId, open]));
  const pipeline = run.compose<ToolCall, ToolOutcome>("wrapToolCall", (call) => {
    const open = byId.get(call.callId);
    if (open === undefined || call.name !== open.name) throw changedIdentity(call);
    return (open.working = executeCall(run, open, call));
  });
  const all = Promise.all(calls.map((open) => (open.outcome === undefined ? runCall(run, open, pipeline) : undefined)));
  await run.abort.race(all).catch(() => afterAbort(all));
  for (const open of calls) if (open.outcome === undefined) settle(run, open, cutOff(run, open));
  if (run.abort.aborted || calls.some((open) => open.failure !== undefined)) endPauses(calls);
  leavePauses(run, calls);
  return summary(run, reply, calls);
}

function changedIdentity({ callId }: ToolCall): ToolwrightError {
  return new ToolwrightError(
    "RUN_MIDDLEWARE",
    `A middleware passed on a call as ${JSON.stringify(callId)}, which is not the call it was given.`,
    {
      fix: "Write `next({ ...call, arguments })`: only the arguments of a call may be changed.",
    },
  );
}

async function runCall(run: Run, open: OpenCall, pipeline: (call: ToolCall) => Promise<ToolOutcome>): Promise<void> {
  open.openedAt = performance.now();
  let outcome: ToolOutcome;
  try {
    outcome = withCause(checkKind(await pipeline(open.call)), open.coreOutcome);
  } catch (error) {
    open.failure = error;
    // A middleware that threw or forgot to wait may have left the tool at work.
    await open.working?.catch(() => {});
    // The effect happened, whatever became of the middlewares around it.
    outcome = open.coreOutcome ?? (open.running ? cutOff(run, open) : skipped("the run failed before it started."));
  }
  // Cut off by an abort: its outcome is already told.
  if (open.outcome !== undefined) return;
  if (open.running) outcome = answeredEarly(run, open, outcome);
  settle(run, open, outcome);
  await recordOutcome(run, open, outcome).catch((error: unknown) => (open.failure ??= error));
}

async function quietly(working: Promise<unknown> | undefined): Promise<void> {
  await working?.catch(() => {});
}

// A layer answered while the method still ran. Of a read that is nobody's harm; what a write has done by then, nobody knows.
function answeredEarly(run: Run, open: OpenCall, outcome: ToolOutcome): ToolOutcome {
  open.orphan = quietly(open.working);
  if (open.tool === undefined || !holdsFullProtocol(open.tool.info)) return outcome;
  run.unknownWrites.set(writeKey(open.name, open.call.arguments), open.call.idempotencyKey);
  return leftRunningOutcome(open.tool.info);
}

function settle(run: Run, open: OpenCall, whole: ToolOutcome): void {
  const outcome = boundedOutcome(whole, run.kernel.maxOutputChars);
  open.outcome = outcome;
  open.durationMs += performance.now() - (open.startedAt === 0 ? open.openedAt : open.startedAt);
  letGo(open, outcome);
  if (outcome.kind === "interrupted" || !run.observed) return;
  const { callId, name, attempts, durationMs } = open;
  void run.emit({ type: "tool-outcome", callId, tool: name, outcome, attempts, durationMs });
}

// A middleware that copies an outcome loses its cause, which is not enumerable: the log and the record still need it.
function withCause(outcome: ToolOutcome, core: ToolOutcome | undefined): ToolOutcome {
  if (outcome === core || core === undefined || !("cause" in core) || "cause" in outcome || outcome.kind !== core.kind) return outcome;
  return Object.freeze(Object.defineProperty({ ...outcome }, "cause", { value: core.cause, enumerable: false }));
}

function letGo({ ticket, orphan, keyless }: OpenCall, outcome: ToolOutcome): void {
  if (ticket === undefined) return;
  if (outcome.kind === "interrupted") ticket.pause();
  else if (orphan !== undefined && !keyless) void orphan.then(() => ticket.release());
  else ticket.release();
}

// Wraps that heed the signal get a moment to finish in order; the others are left behind.
async function afterAbort(all: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([all, new Promise((resolve) => (timer = setTimeout(resolve, 25)))]);
  clearTimeout(timer);
}

function cutOff(run: Run, open: OpenCall): ToolOutcome {
  if (open.coreOutcome !== undefined) return open.coreOutcome;
  if (open.running && open.tool !== undefined) return abortedOutcome(effectNow(open, open.tool), run.abort.reason);
  return open.refusal ?? skipped("the run was aborted before it started.");
}

// Of an agent, whether any of its tools that is no read has started.
function effectNow({ inner }: OpenCall, { info }: RunnableTool): ToolInfo {
  return inner === undefined || inner.acted ? info : { ...info, effect: "read" };
}

function endPauses(calls: readonly OpenCall[]): void {
  for (const open of calls) {
    if (open.outcome?.kind === "interrupted") open.outcome = undecided(open.outcome, unheardOutcome);
  }
}

// Whoever goes on with the run takes places of their own. What a method that is over its time holds stays held meanwhile.
function leavePauses(run: Run, calls: readonly OpenCall[]): void {
  const paused = calls.filter((open) => open.outcome?.kind === "interrupted");
  if (paused.length === 0) return;
  for (const open of paused) open.ticket?.release();
  if (run.isRoot) holdLanes(run.id, run.lanes);
}

function checkKind(outcome: ToolOutcome): ToolOutcome {
  if (isOutcome(outcome)) return outcome;
  throw new ToolwrightError(
    "RUN_MIDDLEWARE",
    `A middleware answered a tool call with something that is no outcome (kind ${JSON.stringify(outcome.kind)}).`,
    {
      fix: "Return what `next(call)` gave, or an outcome with one of the kinds ok (with `output`), invalid, failed, unknown (with `error`), denied, skipped, interrupted (with `reason`).",
    },
  );
}

function summary(run: Run, reply: readonly Item[], calls: readonly OpenCall[]): SettledStep {
  const interrupted: Interruption[] = [];
  const outputs: Item[] = [];
  for (const open of calls) {
    const outcome = open.outcome as ToolOutcome;
    if (outcome.kind !== "interrupted") outputs.push(withCaller(reply, answerTo(callTypeIn(reply, open.callId), open.callId, outcome)));
    else if (open.innerState !== undefined) interrupted.push(...open.innerInterruptions.map((inner) => outward(open, inner)));
    else if (!open.behind)
      interrupted.push({
        callId: open.callId,
        tool: open.name,
        arguments: open.finalArguments ?? open.call.arguments,
        reason: outcome.reason,
      });
  }
  const failing = calls.find((open) => open.failure !== undefined);
  const paused = calls.some((open) => open.outcome?.kind === "interrupted");
  return {
    records: calls.map((open) => callRecord(open, open.outcome as ToolOutcome)),
    outputs,
    interruptions: interrupted,
    paused,
    states: paused ? calls.map((open) => callState(run, open)) : [],
    failure: failing === undefined ? undefined : { error: failing.failure },
  };
}

function outward(open: OpenCall, inner: Interruption): Interruption {
  return { ...inner, callId: `${open.callId}/${inner.callId}`, path: [open.name, ...(inner.path ?? [])] };
}

const changed = ({ finalArguments, call }: OpenCall): boolean =>
  finalArguments !== undefined && canonicalJson(finalArguments) !== canonicalJson(call.arguments);

// A yes to other arguments is none; what a person wrote in their place is kept.
const holds = ({ decision, askedAgain }: OpenCall): boolean =>
  decision !== undefined && (!askedAgain || editedArguments(decision) !== undefined);

function callState(run: Run, open: OpenCall): CallState {
  return {
    callId: open.callId,
    tool: open.tool?.info.identity,
    toolHash: open.tool === undefined ? undefined : toolHash(open.tool.info),
    arguments: open.call.issues === undefined ? open.call.arguments : undefined,
    ...(changed(open) && { shown: open.finalArguments }),
    attempts: open.attempts,
    durationMs: open.durationMs,
    outcome: open.outcome?.kind === "interrupted" && open.behind ? undefined : open.outcome,
    ...(open.outcome?.kind === "interrupted" && open.innerState !== undefined && { agent: open.innerState }),
    // An approval, and what it edited, holds though the call now waits for something else.
    ...(open.outcome?.kind === "interrupted" && holds(open) && { decision: open.decision }),
  };
}
