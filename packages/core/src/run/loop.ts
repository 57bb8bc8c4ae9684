import type { Item } from "../contracts/item.js";
import type { NextModelCall, RunCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { CallState, Decision, RunResult } from "../contracts/run.js";
import type { Usage } from "../contracts/usage.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { executeCalls, type SettledStep } from "./execute-calls.js";
import { inputItems, isFunctionCall, outputItem, replyText } from "./history-items.js";
import { assertAnswerable, isReplyOfStep, requestModel, stepRequest } from "./model-step.js";
import { adoptReply } from "./replayed-reply.js";
import { groupTwins } from "./open-call.js";
import { outcomeOutput } from "./history-outcome.js";
import { waitedOutcome } from "./outcomes.js";
import { budgetError, completed, interrupted, refused } from "./result.js";
import type { Run } from "./run.js";

/** A step whose reply is already there: of a paused run, or of a session that was cut off in mid step. */
export interface OpenStep {
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
    const calls = reply.filter(isFunctionCall);
    if (calls.length === 0) return answer(run, reply, usage);

    const step = await executeCalls(run, calls, open);
    open = undefined;
    await keepOutputs(run, step, usage);
    if (step.interruptions.length > 0) return interrupted(run, reply, step, usage);
  }
}

async function nextReply(run: Run, callModel: (call: NextModelCall) => Promise<ModelResponse>): Promise<readonly Item[]> {
  const { step, kernel } = run;
  if (step >= kernel.maxSteps) throw budgetError(kernel.maxSteps);
  run.startStep();
  const call = Object.freeze({ step, request: stepRequest(run), model: kernel.model });
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
  const calls = output.filter(isFunctionCall);
  const groups = groupTwins(calls);
  if (groups.length === calls.length && output.at(-1)?.type !== "reasoning") return output;
  const first = new Set<Item>(groups.map((group) => group.item));
  let followed = false;
  const keeps = (item: Item): boolean => (followed = isFunctionCall(item) ? first.has(item) : item.type !== "reasoning" || followed);
  return output.toReversed().filter(keeps).reverse();
}

function answer(run: Run, reply: readonly Item[], usage: Usage): RunResult<unknown> {
  const { text, refusal } = replyText(reply);
  run.endStep([], run.usage.since(usage));
  return refusal !== undefined && text === "" ? refused(run, refusal) : completed(run, text);
}

// What the calls came to becomes history whatever happens next: the model must never see a call without its output.
async function keepOutputs(run: Run, step: SettledStep, usage: Usage): Promise<void> {
  run.history.addOutputs(step.outputs);
  const answered = new Set(step.outputs.map((output) => output.call_id));
  run.history.setOpenCalls(step.records.map((record) => record.callId).filter((callId) => !answered.has(callId)));
  const paused = step.interruptions.length > 0;
  if (!paused) run.endStep(step.records, run.usage.since(usage));
  await run.store?.outputs({ ...run.identity, items: step.outputs, pausedBy: paused ? run.id : undefined });
  if (run.abort.aborted) throw run.abort.error();
  if (step.failure !== undefined) throw step.failure.error;
}

// A new run on the history of a paused one: what waited for a person is answered now, and its state is void.
async function skipOpenCalls(run: Run): Promise<void> {
  if (run.history.openCalls.length === 0) return;
  const items = run.history.answerOpenCalls((callId) => outputItem(callId, outcomeOutput(waitedOutcome)));
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
