import { ApiError } from "../api-error.js";
import type { BackgroundResponse } from "../background-response.js";
import { sendJson, writeHead, type Exchange } from "../exchange.js";
import type { JsonRecord } from "../json-record.js";
import type { Break } from "../reply.js";
import type { ReplyOptions } from "../reply-options.js";
import { frames } from "../sse-frames.js";
import { transmit } from "../transmit.js";

/** What a request about a background response asks for. */
interface Asked {
  readonly stream: boolean;
  /** Events up to this number are not wanted. */
  readonly after: number;
  /** What of it may be shown. */
  show(response: JsonRecord): JsonRecord;
}

/** `GET /responses/{id}` of a response in the background: as it is, or its events. */
export async function getBackground(exchange: Exchange, response: BackgroundResponse, asked: Asked): Promise<void> {
  const fault = response.nextFault();
  if (fault !== undefined && "status" in fault) {
    const { status, code = "server_error", message = `Scripted status ${fault.status}.`, headers } = fault;
    return sendJson(exchange, status, { error: { message, type: "server_error", param: null, code } }, headers);
  }
  if (!asked.stream) return fault === undefined ? sendJson(exchange, 200, asked.show(response.look())) : exchange.destroy();
  if (!response.streamed) throw notStreamed();
  if (response.tooOld)
    throw new ApiError("This response can no longer be streamed because it is more than 5 minutes old", { param: "stream" });
  const broken: Break | undefined = fault === undefined ? undefined : { kind: "cut", afterEvents: fault.cutAfterEvents };
  return streamBackground(exchange, response, asked.after, {}, broken);
}

// The API's own words for this are not known.
export const notStreamed = (): ApiError =>
  new ApiError("This response cannot be streamed: it was not created with 'background' and 'stream' set to true.", { param: "stream" });

/** Sends the events of a response, the last one when it is done. A connection that breaks leaves it going its way. */
export async function streamBackground(
  exchange: Exchange,
  response: BackgroundResponse,
  after: number,
  options: ReplyOptions,
  broken: Break | undefined,
): Promise<void> {
  const parts = frames(response.eventsAfter(after), options.framing);
  using _connection = response.connect(exchange.destroy);
  writeHead(exchange, 200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...options.headers });
  const hold = options.hold ?? { afterEvents: Math.max(0, parts.length - 1), until: response.done };
  const finish = (): void => void (broken === undefined && response.finish());
  await transmit(exchange, { parts, options: { ...options, hold }, broken, keepBack: 1, finish });
}
