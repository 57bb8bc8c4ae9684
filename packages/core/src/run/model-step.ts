import { callOf } from "./history-calls.js";
import type { Item } from "../contracts/item.js";
import type { NextModelCall } from "../contracts/middleware.js";
import type { Model, ModelDelta, ModelRequest, ModelResponse, ToolChoice } from "../contracts/model.js";
import type { Usage } from "../contracts/usage.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Run } from "./run.js";

/** The request of the present step: history, instructions and tools, anew each time. */
export function stepRequest(run: Run): ModelRequest {
  const { instructions, tools, settings } = run.active;
  return Object.freeze({
    instructions: typeof instructions === "function" ? instructionsNow(instructions(run.info)) : instructions,
    input: run.history.requestInput(),
    tools: tools.specs,
    toolChoice: stepToolChoice(run, settings.tool_choice),
    settings,
    state: run.history.requestState(),
  });
}

function instructionsNow(given: unknown): string | undefined {
  if (given === undefined || typeof given === "string") return given;
  const what = given instanceof Promise ? "a promise" : typeof given;
  throw new ToolwrightError("RUN_OPTIONS", `The function \`instructions\` gave ${what}.`, { fix: "Let it give a text, at once." });
}

// A forced choice that stayed would have the model call for ever.
function stepToolChoice(run: Run, choice: ToolChoice | undefined): ToolChoice | undefined {
  const forced = choice !== undefined && choice !== "auto" && choice !== "none";
  return forced && run.forcedChoiceDone ? "auto" : choice;
}

// A copy by spread keeps it, so that a middleware may change the items of a reply.
const replyMark = Symbol("toolwright.reply");

/** True for a reply that a request of the present step brought, whole or with changed items. */
export function isReplyOfStep(run: Run, response: ModelResponse): boolean {
  return (response as { readonly [replyMark]?: object })[replyMark] === run.replyMark;
}

/** The core of the model pipeline: one request, counted. Resolves after `completed`; ends at once on abort. */
export async function requestModel(run: Run, call: NextModelCall): Promise<ModelResponse> {
  const model = modelOf(run, call);
  const request = call.request.answerOnly === true ? Object.freeze({ ...call.request, toolChoice: "none" as const }) : call.request;
  if (run.abort.aborted) throw run.abort.error();
  const { signal } = call;
  if (signal?.aborted) throw endedRequest(signal);
  askRequest(run, model.name);
  run.usage.addRequest(model.name);
  let over = false;
  try {
    const response = await run.abort.race(
      untilSignal(
        signal,
        (both) =>
          model.respond(request, {
            signal: both ?? run.abort.signal,
            stream: run.stream,
            // A request that was given up may go on telling.
            onDelta: (delta) => (over ? undefined : onModelDelta(run, delta)),
          }),
        run.abort.signal,
      ),
    );
    run.usage.addTokens(model.name, response.usage);
    run.responseId = response.id;
    return Object.freeze({ ...response, [replyMark]: run.replyMark });
  } catch (error) {
    if (signal?.aborted && !run.abort.aborted) throw endedRequest(signal);
    if (!ToolwrightError.is(error)) {
      throw new ToolwrightError("MODEL_FAILED", `The model ${model.name} threw something unexpected.`, {
        cause: error,
        fix: "See `cause`.",
      });
    }
    const usage = error.details["usage"];
    // A response that was cut off or failed has cost its tokens all the same.
    if (usage !== undefined) run.usage.addTokens(model.name, usage as Omit<Usage, "requests">);
    throw error;
  } finally {
    over = true;
  }
}

// A budget of a run above that stops in order there is a failure here.
function askRequest(run: Run, model: string): void {
  try {
    run.askRequest(model);
  } catch (error) {
    if (!run.isRoot && RunStop.is(error)) throw new ToolwrightError("RUN_BUDGET", error.reason, { cause: error });
    throw error;
  }
}

function modelOf(run: Run, { model }: NextModelCall): Model {
  if (typeof model === "string") return run.active.modelByName(model);
  if (typeof model?.respond === "function") return model;
  throw new ToolwrightError("RUN_MIDDLEWARE", "A middleware passed on a model call whose `model` is neither a Model nor a name.", {
    fix: "Write `next({ ...call, model })` with a Model or the name of one.",
  });
}

// The run's own signal holds beside that of one request, which ends it at once whatever the model does.
async function untilSignal<T>(
  signal: AbortSignal | undefined,
  ask: (both: AbortSignal | undefined) => Promise<T>,
  runSignal: AbortSignal,
): Promise<T> {
  if (signal === undefined) return ask(undefined);
  const asked = ask(AbortSignal.any([signal, runSignal]));
  let end = (): void => {};
  const ended = new Promise<never>((_, reject) => (end = () => reject(endedRequest(signal))));
  signal.addEventListener("abort", end, { once: true });
  asked.catch(() => {});
  try {
    return await Promise.race([asked, ended]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function endedRequest({ reason }: AbortSignal): ToolwrightError {
  if (ToolwrightError.is(reason)) return reason;
  return new ToolwrightError("MODEL_TIMEOUT", "A middleware ended the request.", { cause: reason });
}

/** Tells what came of a reply. */
export function onModelDelta(run: Run, delta: ModelDelta): void | Promise<void> {
  if (delta.type !== "response-start") return run.emit(delta);
  run.responseId = delta.responseId;
  return undefined;
}

// Calls that only a client could answer, and this one has no way to.
const unanswerable = new Set(["computer_call", "local_shell_call", "shell_call", "apply_patch_call"]);

/**
 * Refuses a reply that could not be answered, before it becomes history.
 *
 * @throws ToolwrightError `MODEL_PROTOCOL`.
 */
export function assertAnswerable(output: readonly Item[]): void {
  if (!Array.isArray(output)) throw protocol("The reply to a model call has no list of output items.");
  for (const item of output) {
    if (typeof item !== "object" || item === null || typeof item.type !== "string")
      throw protocol("The response holds something that is no item.");
    if (unanswerable.has(item.type) && !isAnsweredIn(output, item))
      throw protocol(`The model made a ${item.type}, which this agent cannot answer. Nothing of the response was run or kept.`);
    if (item.type === "message" && holdsNoPart(item["content"]))
      throw protocol("The response holds a message with something that is no part.");
    const call = callOf(item);
    if (call === undefined) continue;
    if (typeof call.call_id !== "string" || call.call_id === "")
      throw protocol(`The model's call of ${String(call.name)} has no call_id, so it cannot be answered.`);
    if (typeof item["name"] !== "string") throw protocol(`The call ${call.call_id} has no name.`);
  }
}

// In a container of the provider's, commands are run there.
const isAnsweredIn = (output: readonly Item[], { type, call_id: callId }: Item): boolean =>
  output.some((item: Item | null) => item?.type === `${type}_output` && item["call_id"] === callId);

const holdsNoPart = (content: unknown): boolean =>
  Array.isArray(content) && content.some((part) => typeof part !== "object" || part === null);

function protocol(message: string): ToolwrightError {
  return new ToolwrightError("MODEL_PROTOCOL", message);
}
