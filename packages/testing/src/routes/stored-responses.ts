import type { Item } from "@toolwright/core";
import { ApiError } from "../api-error.js";
import { sendJson, type Exchange } from "../exchange.js";
import type { JsonRecord } from "../json-record.js";
import type { Store } from "../store.js";
import { getBackground, notStreamed } from "./background-responses.js";

/** `GET /responses/{id}`: the response as it is. */
export async function getResponse(exchange: Exchange, id: string, query: URLSearchParams, store: Store): Promise<void> {
  const stream = query.get("stream") === "true";
  const sealed = query.getAll("include[]").includes("reasoning.encrypted_content");
  const show = (response: JsonRecord): JsonRecord => (sealed ? response : withoutSealed(response));
  const background = store.background.get(id);
  const after = Number(query.get("starting_after") ?? -1);
  if (background !== undefined) return getBackground(exchange, background, { stream, after, show });
  const { response } = store.response(id);
  if (stream) throw notStreamed();
  sendJson(exchange, 200, show(response));
}

// Only who asks for it gets it, as with the request that made the response.
function withoutSealed(response: JsonRecord): JsonRecord {
  const output = response["output"];
  if (!Array.isArray(output)) return response;
  return { ...response, output: (output as readonly JsonRecord[]).map(({ encrypted_content: _, ...item }) => item) };
}

/** `POST /responses/{id}/cancel`: for responses in the background; repeated, it changes nothing. */
export function cancelResponse(exchange: Exchange, id: string, store: Store): void {
  const background = store.background.get(id);
  if (background !== undefined) return sendJson(exchange, 200, background.cancel());
  store.response(id);
  throw new ApiError("Cannot cancel a synchronous response.", { param: "response_id" });
}

/** `DELETE /responses/{id}`. */
export function deleteResponse(exchange: Exchange, id: string, store: Store): void {
  store.response(id);
  store.responses.delete(id);
  store.background.delete(id);
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
