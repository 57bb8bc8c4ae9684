import type { Item } from "../contracts/item.js";
import type { NextModelCall, RunCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { CallState, Decision, RunResult } from "../contracts/run.js";
import type { Usage } from "../contracts/usage.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { executeCalls, type SettledStep } from "./execute-calls.js";
import { handoffOf } from "./handoff.js";
import { answeredCall, callOf, callsIn } from "./history-calls.js";
import { inputItems, replyText } from "./history-items.js";
import { assertAnswerable, isReplyOfStep, requestModel, stepRequest } from "./model-step.js";
import { adoptReply } from "./replayed-reply.js";
import { groupTwins } from "./open-call.js";
import { begunOutcome, hasBegun, waitedOutcome } from "./outcomes.js";
import { pauseOf } from "./paused-step.js";
import { budgetError, completed, interrupted, refused } from "./result.js";
import type { Run } from "./run.js";
import { outputError, readOutput, repairText } from "./structured-output.js";

/** A step whose reply is already there: of a paused run, or of a session that was cut off in mid step. */
export interface OpenStep {
  readonly isPause: boolean;
  readonly reply: readonly Item[];
  readonly calls: readonly CallState[];
  readonly decisions: readonly Decision[];
  readonly responseId: string | undefined;
  /** Of a step that another run began: what a store knows its calls by. */
  readonly identity: Run["identity"] | undefined;
  /** Usage of the run when this step began. */
  readonly usageBefore: Usage;
}

/**
 * The loop: ask the model, run the calls it asks for, ask again with their outputs, until it answers. `run()`, `stream()`
 * and `resume()` are all this one.
 */
export async function runLoop(run: Run, call: RunCall, openStep: OpenStep | undefined): Promise<RunResult<unknown>> {
  const callModel = run.compose<NextModelCall, ModelResponse>("wrapModelCall", (inner) => requestModel(run, inner));
  if (openStep === undefined) await skipOpenCalls(run);
  else takeOver(run, openStep);
  run.history.addInput(inputItems(call.input));

  let open = openStep;
  for (;;) {
    const usage = open?.usageBefore ?? run.usage.snapshot();
    const reply = open?.reply ?? (await nextReply(run, callModel));
    const calls = callsIn(reply);
    if (calls.length === 0) {
      const end = await answer(run, reply, usage);
      if (end !== undefined) return end;
      continue;
    }

    const step = await executeCalls(run, reply, open);
    open = undefined;
    await keepOutputs(run, step, usage);
    if (step.paused) return interrupted(run, reply, step, usage);
    handOver(run, step);
  }
}

async function nextReply(run: Run, callModel: (call: NextModelCall) => Promise<ModelResponse>): Promise<readonly Item[]> {
  const { step, kernel } = run;
  if (step >= kernel.maxSteps) throw budgetError(kernel.maxSteps);
  run.startStep();
  const call = Object.freeze({ step, request: stepRequest(run), model: run.active.model });
  const answered = await run.abort.race(callModel(call));
  const response = isReplyOfStep(run, answered) ? answered : await adoptReply(run, answered);
  assertAnswerable(response.output);
  const kept = replayable(response.output);
  const input = run.history.pendingInput();
  if (input.length > 0) await run.store?.input(input);
  await run.store?.reply({ runId: run.id, step, responseId: response.id, output: kept });
  // After the store: a reply that could not be recorded is not part of the history, and its calls do not start.
  run.history.acceptReply(kept, response.id);
  // As it came: what history leaves out still tells that two calls had one id.
  return response.output;
}

// The API takes one call an id, of twins the first, and no reasoning without the item that it led to.
function replayable(output: readonly Item[]): readonly Item[] {
  const calls = callsIn(output);
  const groups = groupTwins(calls);
  if (groups.length === calls.length && output.at(-1)?.type !== "reasoning") return output;
  const first = new Set<Item>(groups.map((group) => group.item));
  let followed = false;
  const keeps = (item: Item): boolean => {
    const call = callOf(item);
    return (followed = call === undefined ? item.type !== "reasoning" || followed : first.has(call));
  };
  return output.toReversed().filter(keeps).reverse();
}

function handOver(run: Run, { records }: SettledStep): void {
  const tool = handoffOf(run.active, records);
  if (tool === undefined) return;
  const from = run.active.name;
  run.handOver(tool);
  void run.emit({ type: "handoff", from, to: run.active.name });
}

/** The end of the run; undefined when the answer does not fit and the model is asked for a better one. */
async function answer(run: Run, reply: readonly Item[], usage: Usage): Promise<RunResult<unknown> | undefined> {
  const { text, refusal } = replyText(reply);
  run.endStep([], run.usage.since(usage));
  if (refusal !== undefined && text === "") return refused(run, refusal);
  const { output, outputRepairs } = run.active;
  if (output === undefined) return completed(run, text);
  const decoded = await run.abort.race(readOutput(output, text));
  if (decoded.ok) return completed(run, decoded.value);
  if (run.outputRepairs >= outputRepairs) throw outputError(output, decoded.issues);
  run.outputRepairs += 1;
  run.history.addInput(inputItems(repairText(decoded.issues)));
  return undefined;
}

// What the calls came to becomes history whatever happens next: the model must never see a call without its output.
async function keepOutputs(run: Run, step: SettledStep, usage: Usage): Promise<void> {
  run.history.addOutputs(step.outputs);
  const answered = new Set(step.outputs.map(answeredCall));
  const open = step.records.filter(({ callId }) => !answered.has(callId));
  const idsOf = (records: typeof open): readonly string[] => records.map(({ callId }) => callId);
  run.history.setOpenCalls(idsOf(open), idsOf(open.filter(({ outcome }) => hasBegun(outcome))));
  const { paused } = step;
  if (paused) run.pauses += 1;
  if (!paused) run.endStep(step.records, run.usage.since(usage));
  await run.store?.outputs({
    ...run.identity,
    items: step.outputs,
    pausedBy: paused ? pauseOf({ runId: run.id, pauses: run.pauses }) : undefined,
  });
  if (run.abort.aborted) throw run.abort.error();
  if (step.failure !== undefined) throw step.failure.error;
}

// A new run on the history of a paused one: what waited for a person is answered now, and its state is void.
async function skipOpenCalls(run: Run): Promise<void> {
  if (run.history.openCalls.length === 0) return;
  const items = run.history.answerOpenCalls(waitedOutcome, begunOutcome);
  await run.store?.outputs({ ...run.identity, items });
  // Where a wrap of the run goes on after a pause of this very run.
  run.endPause(waitedOutcome);
}

function takeOver(run: Run, { identity, responseId }: OpenStep): void {
  run.responseId = responseId;
  if (identity !== undefined) run.identity = identity;
}

/** Checks that there is something to ask: new input, or a history that ends with something to answer. */
export function assertInput(input: readonly unknown[], hasHistory: boolean): void {
  if (input.length > 0 || hasHistory) return;
  throw new ToolwrightError("RUN_OPTIONS", "The input is empty, and there is no history to go on from.", { fix: "Pass a question." });
}
