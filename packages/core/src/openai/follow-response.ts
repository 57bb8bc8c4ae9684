import type { ModelCallOptions, ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { asResponse, attached, type BackgroundWork, begin, tellRest } from "./background-work.js";
import { Following } from "./following.js";
import { pause } from "./pause.js";
import { pollResponse } from "./poll-response.js";
import { postOptions } from "./post-options.js";
import { readStream } from "./read-stream.js";
import { requestError } from "./request-error.js";
import { isUnderWay, streamAgain } from "./stored-response.js";

/** Connections in a row that bring nothing new, before a response is looked at instead. */
const patience = 3;

/**
 * Waits for a response by its events. A connection that breaks is followed by another one that goes on where it broke off;
 * where the server does not go on, the response is looked at until it is at its end, and the rest is told then.
 */
export async function followResponse(work: BackgroundWork): Promise<ModelResponse> {
  const { job, streamIdleMs } = work;
  const following = new Following();
  const options = followed(work);
  let reply: Response | undefined;
  if (job.id === undefined) reply = await opened(work);
  else {
    const now = await attached(work, job.id);
    if (!isUnderWay(now)) return tellRest(work, now);
    reply = await reopened(work, job.id, undefined);
  }
  for (let failures = 0; ;) {
    if (reply === undefined) return polledRest(work);
    if (isJson(reply)) return whole(work, reply);
    const { last } = following;
    try {
      return await readStream(reply, options, streamIdleMs, following);
    } catch (error) {
      if (job.signal.aborted || !isBreak(error) || job.id === undefined) throw error;
      failures = following.last === last ? failures + 1 : 0;
      // Without numbers nobody knows where to go on.
      if (following.gaveUp || following.last === undefined || failures > patience) return polledRest(work);
      reply = await reopened(work, job.id, following.last);
    }
  }
}

// The id is kept before anything of the response is told.
function followed({ told, options, job }: BackgroundWork): ModelCallOptions {
  return {
    ...options,
    onDelta: (delta) => {
      const { onDelta } = told;
      if (delta.type !== "response-start" || delta.responseId === undefined) return onDelta(delta);
      return job.started(delta.responseId).then(() => onDelta(delta));
    },
  };
}

async function opened({ client, body, job }: BackgroundWork): Promise<Response> {
  try {
    return await client.post("/responses", postOptions(body, true, job.signal)).asResponse();
  } catch (error) {
    throw requestError(error, job.signal);
  }
}

/** The next connection; undefined where the server streams the response no more. */
async function reopened(
  { client, look, background }: BackgroundWork,
  id: string,
  after: number | undefined,
): Promise<Response | undefined> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await streamAgain(client, look(id), after);
    } catch (error) {
      if (ToolwrightError.is(error, "RUN_ABORTED")) throw error;
      // Looking at it tells what is wrong with it, if anything is.
      if (!(error as ToolwrightError).retryable || failures > patience) return undefined;
      await pause(Math.min(background.pollMs * failures, background.maxPollMs), look(id).signal);
    }
  }
}

/** A server that cannot stream answers with the response as it is. */
async function whole(work: BackgroundWork, reply: Response): Promise<ModelResponse> {
  let response;
  try {
    response = asResponse(await reply.json());
  } catch (error) {
    throw requestError(error, work.job.signal);
  }
  if (!isUnderWay(response)) return tellRest(work, response);
  if (work.job.id === undefined) await begin(work, response);
  return polledRest(work);
}

async function polledRest(work: BackgroundWork): Promise<ModelResponse> {
  const { client, job, look, background } = work;
  return tellRest(work, await pollResponse(client, look(job.id as string), background));
}

const isJson = (reply: Response): boolean => (reply.headers.get("content-type") ?? "").includes("json");

const isBreak = (error: unknown): boolean =>
  (["MODEL_CONNECTION", "MODEL_STREAM_ENDED", "MODEL_TIMEOUT"] as const).some((code) => ToolwrightError.is(error, code));
