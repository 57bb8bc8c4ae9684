import type { ModelCallOptions, ModelRequest, ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { BackgroundJob } from "./background-job.js";
import type { Background } from "./background-options.js";
import type { LookingClient } from "./client.js";
import { lookPatiently } from "./poll-response.js";
import { completedResponse, idOf, type WireResponse } from "./response.js";
import type { Look } from "./stored-response.js";
import type { Told } from "./told.js";

/** A request whose response is made in the background. */
export interface BackgroundCall {
  readonly client: LookingClient;
  readonly request: ModelRequest;
  readonly body: string;
  readonly include: readonly string[] | undefined;
  readonly stream: boolean;
  readonly streamIdleMs: number;
  readonly background: Background;
}

/** What the ways to wait for a response share. */
export interface BackgroundWork extends BackgroundCall {
  readonly job: BackgroundJob;
  readonly told: Told;
  /** The options of the call, with what is told noted, and with the job's signal. */
  readonly options: ModelCallOptions;
  look(id: string): Look;
}

/** Tells that a response has been started, and whose id it has. */
export async function begin({ job, told }: BackgroundWork, response: WireResponse): Promise<string> {
  const id = idOf(response);
  if (id === undefined) throw new ToolwrightError("MODEL_PROTOCOL", "A response was started in the background, and it has no id.");
  await job.started(id);
  await told.onDelta({ type: "response-start", responseId: id });
  return id;
}

/** A response that is at its end. What of it was not told is told. */
export async function tellRest({ told }: BackgroundWork, last: WireResponse): Promise<ModelResponse> {
  const response = completedResponse(last);
  await told.rest(response);
  return response;
}

/** What a server has answered, looked at as a response. */
export const asResponse = (reply: unknown): WireResponse => (typeof reply === "object" && reply !== null ? reply : {}) as WireResponse;

/**
 * The response that this request goes on with.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for one that was made from another history.
 */
export async function attached(work: BackgroundWork, id: string): Promise<WireResponse> {
  const { state } = work.request;
  const response = await lookPatiently(work.client, work.look(id), work.background);
  const { previous_response_id: previous, conversation } = response as {
    readonly previous_response_id?: unknown;
    readonly conversation?: { readonly id?: unknown } | null;
  };
  const isOther =
    (state.kind === "chained" && (previous ?? undefined) !== state.previousResponseId) ||
    (state.kind === "conversation" && conversation?.id !== state.id);
  if (!isOther) return response;
  throw new ToolwrightError("RUN_OPTIONS", `The response ${id} was made from another history than that of this run.`, {
    fix: "Attach to it with the history that the run had when it was started.",
    details: { responseId: id },
  });
}
