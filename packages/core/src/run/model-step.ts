import { isFunctionCall } from "./history-items.js";
import type { Item } from "../contracts/item.js";
import type { ModelCall } from "../contracts/middleware.js";
import type { ModelDelta, ModelRequest, ModelResponse, ToolChoice } from "../contracts/model.js";
import type { Usage } from "../contracts/usage.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Run } from "./run.js";

/** The request of the present step: history, instructions and tools, anew each time. */
export function stepRequest(run: Run): ModelRequest {
  const { instructions, tools, settings } = run.kernel;
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

/** The core of the model pipeline: one request, counted. Resolves after `completed`; ends at once on abort. */
export async function requestModel(run: Run, call: ModelCall): Promise<ModelResponse> {
  const { model } = run.kernel;
  const request = call.request.answerOnly === true ? Object.freeze({ ...call.request, toolChoice: "none" as const }) : call.request;
  if (run.abort.aborted) throw run.abort.error();
  run.usage.addRequest();
  try {
    const response = await run.abort.race(
      model.respond(request, { signal: run.abort.signal, stream: run.stream, onDelta: (delta) => onDelta(run, delta) }),
    );
    run.usage.addTokens(response.usage);
    run.responseId = response.id;
    return Object.freeze(response);
  } catch (error) {
    if (!ToolwrightError.is(error)) {
      throw new ToolwrightError("MODEL_FAILED", `The model ${model.name} threw something unexpected.`, {
        cause: error,
        fix: "See `cause`.",
      });
    }
    const usage = error.details["usage"];
    // A response that was cut off or failed has cost its tokens all the same.
    if (usage !== undefined) run.usage.addTokens(usage as Omit<Usage, "requests">);
    throw error;
  }
}

function onDelta(run: Run, delta: ModelDelta): void | Promise<void> {
  if (delta.type !== "response-start") return run.emit(delta);
  run.responseId = delta.responseId;
  return undefined;
}

// Calls that only a client could answer, and this one has no way to.
const unanswerable = new Set([
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "custom_tool_call",
  "mcp_approval_request",
]);

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
    if (unanswerable.has(item.type))
      throw protocol(`The model made a ${item.type}, which this agent cannot answer. Nothing of the response was run or kept.`);
    if (item.type === "message" && holdsNoPart(item["content"]))
      throw protocol("The response holds a message with something that is no part.");
    if (!isFunctionCall(item)) continue;
    if (typeof item.call_id !== "string" || item.call_id === "")
      throw protocol(`The model's call of ${String(item.name)} has no call_id, so it cannot be answered.`);
    if (typeof item.name !== "string") throw protocol(`The call ${item.call_id} has no name.`);
  }
}

const holdsNoPart = (content: unknown): boolean =>
  Array.isArray(content) && content.some((part) => typeof part !== "object" || part === null);

function protocol(message: string): ToolwrightError {
  return new ToolwrightError("MODEL_PROTOCOL", message);
}
