import type { ModelCallOptions, ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { BackgroundJob } from "./background-job.js";
import { asResponse, attached, type BackgroundCall, type BackgroundWork, begin, tellRest } from "./background-work.js";
import { followResponse } from "./follow-response.js";
import { pollResponse } from "./poll-response.js";
import { postOptions } from "./post-options.js";
import { requestError } from "./request-error.js";
import type { WireResponse } from "./response.js";
import { isUnderWay, type Look } from "./stored-response.js";
import { Told } from "./told.js";

/**
 * Starts a response in the background and waits for its end, over lost connections: by looking again and again, or by its
 * events. An abort of the run cancels the response.
 *
 * @throws ToolwrightError `MODEL_…`, `RUN_ABORTED`, `RUN_OPTIONS`, `RUN_FAILED`.
 */
export async function respondInBackground(call: BackgroundCall, callOptions: ModelCallOptions): Promise<ModelResponse> {
  const { client, request, background, include, stream } = call;
  const job = new BackgroundJob(client, request, background, callOptions.signal);
  const told = new Told(callOptions.onDelta);
  const options: ModelCallOptions = { signal: job.signal, stream, onDelta: told.onDelta };
  const look = (id: string): Look => ({ id, include, signal: job.signal });
  const work: BackgroundWork = { ...call, job, told, options, look };
  const response = stream ? followResponse(work) : polled(work);
  const end = (isOver: boolean): void => {
    job.dispose();
    if (isOver) job.over();
  };
  response.then(
    () => end(true),
    (error: unknown) => end(isEnd(error)),
  );
  return untilAborted(response, callOptions.signal);
}

async function polled(work: BackgroundWork): Promise<ModelResponse> {
  const { job, client, background } = work;
  const first = job.id === undefined ? await started(work) : await attached(work, job.id);
  if (!isUnderWay(first)) return tellRest(work, first);
  const id = await begin(work, first);
  return tellRest(work, await pollResponse(client, work.look(id), background));
}

async function started({ client, body, job }: BackgroundWork): Promise<WireResponse> {
  try {
    return asResponse(await client.post("/responses", postOptions(body, false, job.signal)));
  } catch (error) {
    throw requestError(error, job.signal);
  }
}

/** Nothing is under way any more: a repeated request has to start anew. */
const isEnd = (error: unknown): boolean =>
  (["MODEL_FAILED", "MODEL_INCOMPLETE", "MODEL_NOT_FOUND", "MODEL_PROTOCOL"] as const).some((code) => ToolwrightError.is(error, code));

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(requestError(signal.reason, signal));
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
