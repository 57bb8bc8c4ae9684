import type { Item } from "@toolwright/core";
import { ApiError } from "../api-error.js";
import { readInput } from "../checks/input.js";
import { checkItems } from "../checks/items.js";
import { sendJson, type Exchange } from "../exchange.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import type { Conversation, Store } from "../store.js";
import { itemList } from "./stored-responses.js";

const maximumItems = 20;

/** `POST /conversations`. */
export function createConversation(exchange: Exchange, body: JsonRecord, store: Store): void {
  const conversation = store.createConversation(newItems(body["items"] ?? [], store), isRecord(body["metadata"]) ? body["metadata"] : {});
  sendJson(exchange, 200, shown(conversation));
}

/** `GET /conversations/{id}`. */
export function getConversation(exchange: Exchange, id: string, store: Store): void {
  sendJson(exchange, 200, shown(store.conversation(id)));
}

/** `DELETE /conversations/{id}`: its items stay. */
export function deleteConversation(exchange: Exchange, id: string, store: Store): void {
  store.conversation(id);
  store.conversations.delete(id);
  sendJson(exchange, 200, { id, object: "conversation.deleted", deleted: true });
}

/** `GET /conversations/{id}/items`. */
export function listConversationItems(exchange: Exchange, id: string, query: URLSearchParams, store: Store): void {
  sendJson(exchange, 200, itemList(store.conversation(id).items, query));
}

/** `POST /conversations/{id}/items`. */
export function addConversationItems(exchange: Exchange, id: string, body: JsonRecord, store: Store): void {
  const added = store.append(store.conversation(id), newItems(body["items"], store));
  sendJson(exchange, 200, itemList(added, new URLSearchParams({ order: "asc" })));
}

const shown = ({ id, createdAt, metadata }: Conversation): object => ({ id, object: "conversation", created_at: createdAt, metadata });

function newItems(items: unknown, store: Store): readonly Item[] {
  if (!Array.isArray(items))
    throw new ApiError("Missing required parameter: 'items'.", { param: "items", code: "missing_required_parameter" });
  if (items.length > maximumItems) {
    const message = `Invalid 'items': array too long. Expected an array with maximum length ${maximumItems}, but got an array with length ${items.length} instead.`;
    throw new ApiError(message, { param: "items", code: "array_above_max_length" });
  }
  const entries = readInput(items, store, "items");
  checkItems(entries, store);
  return entries.map((entry) => entry.item);
}
