import type { AcceptedRequest } from "./accept-request.js";
import { isRecord, type JsonRecord } from "./json-record.js";
import type { Ending, OutputPart, OutputReply } from "./reply.js";
import { seal } from "./sealed-reasoning.js";
import type { Store } from "./store.js";

/** An item as it is sent: always with a type, and an `id` unless the script says otherwise. */
export type OutputItem = JsonRecord & { readonly type: string };

/** A reply turned into the items of one response. */
export interface Answer {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly items: readonly OutputItem[];
  /** How many of the items are finished; the one after them stays open. */
  readonly finished: number;
  readonly ending: Ending;
}

/** Gives a reply's parts their ids and forms, and lets the store remember what was sent. */
export function makeAnswer(reply: OutputReply, request: AcceptedRequest, store: Store): Answer {
  const items = reply.parts.map((part) => makeItem(part, request, store));
  const last = items.at(-1);
  const { ending } = reply;
  if (ending.kind === "incomplete" && last !== undefined && "status" in last) items[items.length - 1] = { ...last, status: "incomplete" };
  const encrypted = items.map((item) => item["encrypted_content"]).filter((text) => typeof text === "string");
  store.issue(items, encrypted);
  const open = (ending.kind === "failed" || ending.kind === "error") && items.length > 0 ? 1 : 0;
  return {
    id: reply.options.responseId ?? store.ids.next("resp"),
    createdAt: Math.floor(Date.now() / 1000),
    items,
    finished: items.length - open,
    ending,
  };
}

function makeItem(part: OutputPart, request: AcceptedRequest, store: Store): OutputItem {
  switch (part.kind) {
    case "text":
      return message(part, store, { type: "output_text", text: part.text, annotations: part.annotations ?? [], logprobs: [] });
    case "refusal":
      return message(part, store, { type: "refusal", refusal: part.refusal });
    case "reasoning":
      return reasoning(part, request, store);
    case "call":
      return call(part, store);
    case "item": {
      const { item } = part;
      const type = typeof item["type"] === "string" ? item["type"] : "message";
      return { ...(Object.hasOwn(item, "id") ? {} : { id: store.ids.forItem(type) }), ...item, type };
    }
  }
}

function message(part: Extract<OutputPart, { kind: "text" | "refusal" }>, store: Store, content: JsonRecord): OutputItem {
  const phase = part.phase === undefined ? {} : { phase: part.phase };
  return {
    id: part.id ?? store.ids.forItem("message"),
    type: "message",
    status: "completed",
    role: "assistant",
    content: [content],
    ...phase,
  };
}

function reasoning(part: Extract<OutputPart, { kind: "reasoning" }>, request: AcceptedRequest, store: Store): OutputItem {
  const id = part.id ?? store.ids.forItem("reasoning");
  return {
    id,
    type: "reasoning",
    summary: (part.summary ?? []).map((text) => ({ type: "summary_text", text })),
    ...(part.text === undefined ? {} : { content: [{ type: "reasoning_text", text: part.text }] }),
    ...(request.encryptedReasoning ? { encrypted_content: part.encryptedContent ?? seal(id) } : {}),
  };
}

function call(part: Extract<OutputPart, { kind: "call" }>, store: Store): OutputItem {
  const given = part.arguments ?? {};
  return {
    id: part.id ?? store.ids.forItem("function_call"),
    type: "function_call",
    status: "completed",
    arguments: typeof given === "string" ? given : JSON.stringify(given),
    call_id: part.callId ?? store.ids.next("call"),
    name: part.name,
    ...(part.namespace === undefined ? {} : { namespace: part.namespace }),
    ...(part.async === undefined ? {} : { async: part.async }),
  };
}

/** The text of one content part of a message or reasoning item, whatever its kind. */
export const partText = (part: unknown): string => {
  if (!isRecord(part)) return "";
  const text = part["text"] ?? part["refusal"];
  return typeof text === "string" ? text : "";
};
