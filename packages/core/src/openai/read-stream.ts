import type { ModelCallOptions, ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { tellWhole } from "../run/history-deltas.js";
import type { Following } from "./following.js";
import { requestError } from "./request-error.js";
import { completedResponse, failedResponse, finishedResponse, type WireResponse, withPartialText } from "./response.js";
import { StreamReducer, type StreamEvent } from "./stream-reducer.js";
import { SseDecoder } from "./sse.js";

/**
 * Reads a streamed response to its end. Only `response.completed` is success: `failed`, `incomplete`, an `error` event, a
 * cut connection and a bare end are typed errors, and nothing of such a response is run.
 *
 * @param following - of a response that more than one connection may bring.
 */
export async function readStream(
  reply: Response,
  options: ModelCallOptions,
  idleMs: number,
  following?: Following,
): Promise<ModelResponse> {
  const type = reply.headers.get("content-type") ?? "";
  if (type.includes("json")) {
    // A server that cannot stream answers whole.
    const response = completedResponse(await wholeBody(reply, options.signal));
    await tellWhole(response, options.onDelta);
    return response;
  }
  if (type !== "" && !type.includes("event-stream") && !type.includes("octet-stream") && !type.includes("text/plain")) {
    await reply.body?.cancel().catch(() => {});
    throw new ToolwrightError("MODEL_PROTOCOL", `The server answered a request for a stream with ${type.slice(0, 80)}.`);
  }
  if (reply.body === null) throw new ToolwrightError("MODEL_STREAM_ENDED", "The stream has no body.");
  const reducer = following?.reducer ?? new StreamReducer();
  const reader = reply.body.getReader();
  const silence = new Silence(idleMs, () => void reader.cancel().catch(() => {}));
  try {
    return await readEvents(reader, reducer, options, silence, following);
  } catch (error) {
    if (silence.tooLong && !options.signal.aborted) {
      throw new ToolwrightError("MODEL_TIMEOUT", `The stream was silent for ${idleMs} ms. Nothing of the response was run.`, {
        fix: "Raise `streamIdleMs`, if the model may think for so long without a word.",
        details: withPartialText({ responseId: reducer.responseId }, reducer.text),
      });
    }
    throw streamError(error, reducer, options.signal);
  } finally {
    silence.end();
    // Whoever stops reading lets the connection go.
    await reader.cancel().catch(() => {});
  }
}

/** Watches for a stream that says nothing any more, though its connection stands: one timer for the whole stream. */
class Silence {
  tooLong = false;
  excused = false;
  readonly #timer: NodeJS.Timeout;

  constructor(limitMs: number, giveUp: () => void) {
    this.#timer = setTimeout(() => {
      // It is the consumer who is slow, not the stream.
      if (this.excused) return void this.#timer.refresh();
      this.tooLong = true;
      giveUp();
    }, limitMs);
  }

  heard(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  reducer: StreamReducer,
  options: ModelCallOptions,
  silence: Silence,
  following: Following | undefined,
): Promise<ModelResponse> {
  const decoder = new SseDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    silence.heard();
    if (done) decoder.close();
    else decoder.push(value);
    while (decoder.next()) {
      // Where events have to be told apart by their numbers, each is looked into.
      let delta = following === undefined ? reducer.takePlainText(decoder.source, decoder.start, decoder.end) : undefined;
      if (delta === undefined) {
        const text = decoder.data;
        if (text === "[DONE]") throw ended(reducer);
        const event = parseEvent(text, done);
        if (event === undefined) throw ended(reducer);
        if (following !== undefined && !isNext(event, following)) continue;
        const response = terminal(event, reducer);
        if (response !== undefined) return response;
        delta = reducer.take(event);
      }
      // Only a consumer that cannot keep up is waited for: a promise for each delta would cost more than its work.
      const wait = delta === undefined ? undefined : options.onDelta(delta);
      if (wait === undefined) continue;
      silence.excused = true;
      await wait;
      silence.excused = false;
      silence.heard();
    }
    if (done) throw ended(reducer);
  }
}

/** Whether an event of a followed response is to be taken. */
function isNext(event: StreamEvent, following: Following): boolean {
  if (!following.takes(event)) return false;
  if (event.type !== "error") return true;
  following.gaveUp = true;
  throw ended(following.reducer);
}

function ended(reducer: StreamReducer): ToolwrightError {
  return new ToolwrightError("MODEL_STREAM_ENDED", "The stream ended before the response was completed. Nothing of it was run.", {
    details: withPartialText({ responseId: reducer.responseId }, reducer.text),
  });
}

/** The response that an event ends, if it ends one; what is no success is thrown. */
function terminal(event: StreamEvent, reducer: StreamReducer): ModelResponse | undefined {
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
    case undefined:
      // The error form of chat-shaped gateways: no type, but an `error` key.
      if (event["error"]) throw failedResponse({ id: reducer.responseId, error: event["error"] }, reducer.text);
      if (event["object"] === "chat.completion.chunk") {
        throw new ToolwrightError("MODEL_PROTOCOL", "The server answers in the form of Chat Completions, not of Responses.");
      }
      return undefined;
    default:
      return undefined;
  }
}

/** Undefined for half an event: all that came before the end. */
function parseEvent(text: string, atEnd: boolean): StreamEvent | undefined {
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event === "object" && event !== null) return event as StreamEvent;
  } catch {
    if (atEnd) return undefined;
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
