import type { ModelCallOptions, ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { requestError } from "./request-error.js";
import { completedResponse, failedResponse, finishedResponse, tellWhole, type WireResponse, withPartialText } from "./response.js";
import { StreamReducer, type StreamEvent } from "./stream-reducer.js";
import { sseData } from "./sse.js";

/**
 * Reads a streamed response to its end. Only `response.completed` is success: `failed`, `incomplete`, an `error` event, a
 * cut connection and a bare end are typed errors, and nothing of such a response is run.
 */
export async function readStream(reply: Response, options: ModelCallOptions): Promise<ModelResponse> {
  const type = reply.headers.get("content-type") ?? "";
  if (type.includes("json")) {
    // A server that cannot stream answers whole.
    const response = completedResponse(await wholeBody(reply, options.signal));
    await tellWhole(response, options);
    return response;
  }
  if (reply.body === null) throw new ToolwrightError("MODEL_STREAM_ENDED", "The stream has no body.");
  const reducer = new StreamReducer();
  try {
    for await (const text of sseData(reply.body)) {
      if (text === "[DONE]") break;
      const event = parseEvent(text);
      const end = await take(event, reducer, options);
      if (end !== undefined) return end;
    }
  } catch (error) {
    throw streamError(error, reducer, options.signal);
  }
  throw new ToolwrightError("MODEL_STREAM_ENDED", "The stream ended before the response was completed. Nothing of it was run.", {
    details: withPartialText({ responseId: reducer.responseId }, reducer.text),
  });
}

async function take(event: StreamEvent, reducer: StreamReducer, options: ModelCallOptions): Promise<ModelResponse | undefined> {
  switch (event.type) {
    case "response.completed":
    case "response.failed":
    case "response.incomplete":
    case "response.cancelled": {
      const response = { status: event.type.slice("response.".length), ...(event.response as WireResponse | undefined) };
      return finishedResponse(response, reducer.output(response), reducer.text);
    }
    case "error":
      throw failedResponse({ id: reducer.responseId, error: event["error"] ?? event }, reducer.text);
    default: {
      // The error form of chat-shaped gateways: no type, but an `error` key.
      if (event.type === undefined && event["error"]) throw failedResponse({ id: reducer.responseId, error: event["error"] }, reducer.text);
      const delta = reducer.take(event);
      if (delta !== undefined) await options.onDelta(delta);
      return undefined;
    }
  }
}

function parseEvent(text: string): StreamEvent {
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event === "object" && event !== null) return event as StreamEvent;
  } catch {
    // Told below, as one case.
  }
  throw new ToolwrightError("MODEL_PROTOCOL", "The stream holds an event that is not a JSON object.");
}

function streamError(error: unknown, reducer: StreamReducer, signal: AbortSignal): ToolwrightError {
  if (ToolwrightError.is(error)) return error;
  if (signal.aborted) return requestError(error, signal);
  return new ToolwrightError("MODEL_CONNECTION", "The connection broke in mid stream. Nothing of the response was run.", {
    cause: error,
    details: withPartialText({ responseId: reducer.responseId }, reducer.text),
  });
}

async function wholeBody(reply: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await reply.json();
  } catch (error) {
    throw requestError(error, signal);
  }
}
