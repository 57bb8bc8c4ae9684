import type { Item } from "@toolwright/core";
import { acceptRequest, type AcceptedRequest, type CheckOptions } from "../accept-request.js";
import { makeAnswer } from "../answer.js";
import { ApiError } from "../api-error.js";
import { type BackgroundParts, BackgroundResponse } from "../background-response.js";
import { sendJson, writeHead, type Exchange } from "../exchange.js";
import type { JsonRecord } from "../json-record.js";
import { finalStatus, renderResponse } from "../render-json.js";
import { renderEvents } from "../render-sse.js";
import type { EventsReply, HttpErrorSpec, OutputReply, Reply } from "../reply.js";
import type { ReplyOptions } from "../reply-options.js";
import type { RequestBody } from "../request-body.js";
import { frames } from "../sse-frames.js";
import type { Store } from "../store.js";
import type { ScriptRunner } from "../script.js";
import { transmit, untilGone, wait } from "../transmit.js";
import { streamBackground } from "./background-responses.js";

/** `POST /responses`: checks the request, asks the script, and answers. */
export async function createResponse(
  exchange: Exchange,
  body: JsonRecord,
  store: Store,
  script: ScriptRunner,
  checks: CheckOptions,
): Promise<void> {
  const { record, gone } = exchange;
  const request = acceptRequest(body, store, checks);
  record.context = request.context;
  if (request.conversation !== undefined) request.conversation.locked = true;
  // A response in the background holds the conversation after its request was answered.
  let isBackground = false;
  const unlock = (): void => {
    if (request.conversation !== undefined) request.conversation.locked = false;
  };
  try {
    const reply = await script.next({ body: body as RequestBody, index: record.index, context: request.context, headers: record.headers });
    if (reply === undefined) return beyondScript(exchange, script);
    if (reply.options.delayMs !== undefined) await wait(reply.options.delayMs, gone);
    if (gone.aborted) return;
    isBackground = request.background && reply.kind !== "http";
    await (isBackground ? sendBackground : send)(exchange, request, reply, store, unlock);
  } finally {
    if (!isBackground) unlock();
  }
}

async function send(exchange: Exchange, request: AcceptedRequest, reply: Reply, store: Store, unlock: () => void): Promise<void> {
  switch (reply.kind) {
    case "http":
      return sendHttp(exchange, reply.status, reply.error, reply.options);
    case "events":
      return sendEvents(exchange, request, reply, store, unlock);
    case "output":
      return sendOutput(exchange, request, reply, store, unlock);
  }
}

function beyondScript(exchange: Exchange, script: ScriptRunner): void {
  const message = `The script has ${script.length ?? 0} replies, and this is request ${exchange.record.index} (counted from 0). Add a reply for it, or find out why it was sent.`;
  const error = new ApiError(message, { status: 500, type: "server_error", code: "script_exhausted" });
  // Repeating it would only repeat the message.
  sendJson(exchange, 500, error.body(), { "x-should-retry": "false" });
}

async function sendHttp(exchange: Exchange, status: number, error: HttpErrorSpec, options: ReplyOptions): Promise<void> {
  const fallback = status >= 500 ? "server_error" : status === 429 ? "requests" : "invalid_request_error";
  const { code = null, message = `Scripted status ${status}.`, type = fallback, param = null } = error;
  const body = error.body ?? { error: { message, type, param, code } };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const contentType = typeof body === "string" ? "text/plain" : "application/json";
  writeHead(exchange, status, { "content-type": contentType, ...error.headers, ...options.headers });
  await transmit(exchange, { parts: [text], options, broken: undefined, keepBack: 0, finish: () => {} });
}

async function sendOutput(
  exchange: Exchange,
  request: AcceptedRequest,
  reply: OutputReply,
  store: Store,
  unlock: () => void,
): Promise<void> {
  const { options, broken } = reply;
  const answer = makeAnswer(reply, request, store);
  const finish = once(() => {
    if (broken?.processed !== false)
      keepResponse(request, answer.id, renderResponse(request, answer, finalStatus(answer), options.usage), store);
    unlock();
  });
  if (broken?.beforeHeaders === true) {
    finish();
    if (broken.kind === "hang") await untilGone(exchange.gone);
    return exchange.destroy();
  }
  const streams = request.stream && options.jsonInsteadOfSse !== true;
  if (!streams && answer.ending.kind === "error" && broken === undefined) {
    const { code, message, param } = answer.ending.error;
    return sendHttp(exchange, 500, { code, message, param, type: "server_error" }, options);
  }
  if (streams) {
    const events = transformed(renderEvents(request, answer, options), options.transformEvent);
    writeHead(exchange, 200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...options.headers });
    await transmit(exchange, { parts: frames(events, options.framing), options, broken, keepBack: 1, finish });
  } else {
    const text = JSON.stringify(renderResponse(request, answer, finalStatus(answer), options.usage), undefined, 2);
    const length = broken?.kind === "end" ? {} : { "content-length": String(Buffer.byteLength(text)) };
    const half = Math.floor(text.length / 2);
    const parts = broken === undefined ? [text] : [text.slice(0, half), text.slice(half)];
    writeHead(exchange, 200, { "content-type": "application/json", ...length, ...options.headers });
    // A JSON body has no events: it breaks in its middle, or right after the headers.
    const cutAt = broken === undefined ? undefined : { ...broken, afterEvents: broken.afterEvents === 0 ? 0 : 1 };
    const own = { ...options, hold: undefined, eventDelayMs: undefined };
    await transmit(exchange, { parts, options: own, broken: cutAt, keepBack: 1, finish });
  }
}

async function sendBackground(exchange: Exchange, request: AcceptedRequest, reply: Reply, store: Store, unlock: () => void): Promise<void> {
  if (reply.kind === "http") throw new TypeError("An error is no response in the background.");
  const { options } = reply;
  const { id, events, at, end } = reply.kind === "output" ? outputParts(request, reply, store) : eventParts(reply, store);
  const keep = (response: JsonRecord): void => {
    keepResponse(request, id, response, store);
    unlock();
  };
  const parts = { events: transformed(events, options.transformEvent), streamed: request.stream, spec: options.background ?? {} };
  const response = new BackgroundResponse({ ...parts, at, end, keep });
  store.background.set(id, response);
  const broken = reply.kind === "output" ? reply.broken : undefined;
  if (broken?.beforeHeaders === true) {
    if (broken.kind === "hang") await untilGone(exchange.gone);
    return exchange.destroy();
  }
  if (request.stream && options.jsonInsteadOfSse !== true) return streamBackground(exchange, response, -1, options, broken);
  if (broken === undefined) return sendJson(exchange, 200, response.begun(), options.headers);
  const text = JSON.stringify(response.begun());
  const half = Math.floor(text.length / 2);
  writeHead(exchange, 200, { "content-type": "application/json", ...options.headers });
  const cutAt = { ...broken, afterEvents: broken.afterEvents === 0 ? 0 : 1 };
  await transmit(exchange, { parts: [text.slice(0, half), text.slice(half)], options: {}, broken: cutAt, keepBack: 1, finish: () => {} });
}

type Parts = Pick<BackgroundParts, "events" | "at" | "end"> & { readonly id: string };

function outputParts(request: AcceptedRequest, reply: OutputReply, store: Store): Parts {
  const answer = makeAnswer(reply, request, store);
  const { usage } = reply.options;
  return {
    id: answer.id,
    events: renderEvents(request, answer, reply.options),
    at: (status) => renderResponse(request, answer, status, usage),
    end: () => renderResponse(request, answer, finalStatus(answer), usage),
  };
}

function eventParts(reply: EventsReply, store: Store): Parts {
  const events = numberEvents(reply.events);
  const response = lastResponse(events) ?? {};
  const id = typeof response["id"] === "string" ? response["id"] : store.ids.next("resp");
  return { id, events, at: (status) => ({ ...response, id, status, output: [], usage: null }), end: () => ({ ...response, id }) };
}

async function sendEvents(
  exchange: Exchange,
  request: AcceptedRequest,
  reply: EventsReply,
  store: Store,
  unlock: () => void,
): Promise<void> {
  const numbered = numberEvents(reply.events);
  const response = lastResponse(numbered);
  const finish = once(() => {
    if (response !== undefined && typeof response["id"] === "string") keepResponse(request, response["id"], response, store);
    unlock();
  });
  const { options } = reply;
  if (request.stream && options.jsonInsteadOfSse !== true) {
    const parts = frames(transformed(numbered, options.transformEvent), options.framing);
    writeHead(exchange, 200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...options.headers });
    await transmit(exchange, { parts, options, broken: undefined, keepBack: 1, finish });
    return;
  }
  finish();
  if (response === undefined)
    throw new TypeError(
      "The scripted events hold no response, and the request asked for no stream.\nFix: ask for a stream, or use another reply.",
    );
  sendJson(exchange, 200, response, options.headers);
}

function lastResponse(events: readonly (JsonRecord | string)[]): JsonRecord | undefined {
  const last = events.findLast((event): event is JsonRecord => typeof event !== "string" && typeof event["response"] === "object");
  return last?.["response"] as JsonRecord | undefined;
}

function numberEvents(events: EventsReply["events"]): readonly (JsonRecord | string)[] {
  return events.map((event, index) =>
    typeof event === "string" || Object.hasOwn(event, "sequence_number") ? event : { ...event, sequence_number: index },
  );
}

function transformed<T extends JsonRecord | string>(
  events: readonly T[],
  transform: ReplyOptions["transformEvent"],
): readonly (T | JsonRecord)[] {
  if (transform === undefined) return events;
  return events.flatMap((event, index): readonly (T | JsonRecord)[] => {
    if (typeof event === "string") return [event];
    const made = transform(event, index);
    if (made === undefined) return [];
    return Array.isArray(made) ? (made as readonly JsonRecord[]) : [made as JsonRecord]; // `isArray` does not narrow readonly lists
  });
}

/** Makes the response and its items available to later requests. */
function keepResponse(request: AcceptedRequest, id: string, response: JsonRecord, store: Store): void {
  const output = (Array.isArray(response["output"]) ? response["output"] : []) as readonly Item[];
  const done = response["status"] === "completed" || response["status"] === "incomplete";
  if (request.conversation !== undefined && done) store.append(request.conversation, [...request.input, ...output]);
  if (request.store) store.keep(id, { response, input: store.stored(request.input), output, previous: request.previous });
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
