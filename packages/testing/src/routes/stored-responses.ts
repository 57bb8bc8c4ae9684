import type { Item } from "@toolwright/core";
import { sendJson, type Exchange } from "../exchange.js";
import type { JsonRecord } from "../json-record.js";
import type { Store } from "../store.js";

/** `GET /responses/{id}`: the response as it ended. */
export function getResponse(exchange: Exchange, id: string, store: Store): void {
  sendJson(exchange, 200, store.response(id).response);
}

/** `DELETE /responses/{id}`. */
export function deleteResponse(exchange: Exchange, id: string, store: Store): void {
  store.response(id);
  store.responses.delete(id);
  sendJson(exchange, 200, { id, object: "response", deleted: true });
}

/** `GET /responses/{id}/input_items`: what the response was made from, newest first unless asked otherwise. */
export function listInputItems(exchange: Exchange, id: string, query: URLSearchParams, store: Store): void {
  const stored = store.response(id);
  const earlier = stored.previous === undefined ? [] : store.chain(stored.previous);
  sendJson(exchange, 200, itemList([...earlier, ...stored.input], query));
}

/** `POST /responses/input_tokens`: a rough count. */
export function countInputTokens(exchange: Exchange, body: JsonRecord): void {
  sendJson(exchange, 200, { object: "response.input_tokens", input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
}

/** One page of items in the API's form. */
export function itemList(items: readonly Item[], query: URLSearchParams): object {
  const ordered = query.get("order") === "asc" ? items : items.toReversed();
  const after = query.get("after");
  const start = after === null ? 0 : ordered.findIndex((item) => item["id"] === after) + 1;
  const limit = Math.min(100, Math.max(1, Number(query.get("limit") ?? 20) || 20));
  const data = ordered.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: start + limit < ordered.length,
  };
}
