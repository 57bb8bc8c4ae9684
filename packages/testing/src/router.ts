import type { CheckOptions } from "./accept-request.js";
import { ApiError } from "./api-error.js";
import { checkAuthorization, readJsonBody } from "./checks/http.js";
import type { Exchange } from "./exchange.js";
import type { JsonRecord } from "./json-record.js";
import type { RequestBody } from "./request-body.js";
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  getConversation,
  listConversationItems,
} from "./routes/conversations.js";
import { createResponse } from "./routes/create-response.js";
import { cancelResponse, countInputTokens, deleteResponse, getResponse, listInputItems } from "./routes/stored-responses.js";
import type { ScriptRunner } from "./script.js";
import type { Store } from "./store.js";

/** What the routes work with. */
export interface RouterContext {
  readonly store: Store;
  readonly script: ScriptRunner;
  readonly checks: CheckOptions;
  readonly apiKey: string | undefined;
}

/** Whether a request is one that the script answers. */
export const isCreateResponse = (method: string, path: string): boolean => method === "POST" && path === "/v1/responses";

/**
 * Answers a request.
 *
 * @throws ApiError for a refusal.
 */
export async function route(exchange: Exchange, context: RouterContext): Promise<void> {
  const { record } = exchange;
  const { store } = context;
  const url = new URL(record.path, "http://localhost");
  const [version, resource, id, part, ...rest] = url.pathname.split("/").slice(1).map(decodeURIComponent);
  checkAuthorization(record.headers, context.apiKey);
  if (version !== "v1" || rest.length > 0) throw unknownUrl(exchange);
  // A cancellation has no body that says anything.
  const body = record.method === "POST" && part !== "cancel" ? readBody(exchange) : {};

  switch (`${record.method} ${[resource, id === undefined ? undefined : "{id}", part].filter((word) => word !== undefined).join("/")}`) {
    case "POST responses":
      return createResponse(exchange, body, store, context.script, context.checks);
    case "GET responses/{id}":
      return getResponse(exchange, String(id), url.searchParams, store);
    case "POST responses/{id}/cancel":
      return cancelResponse(exchange, String(id), store);
    case "DELETE responses/{id}":
      return deleteResponse(exchange, String(id), store);
    case "GET responses/{id}/input_items":
      return listInputItems(exchange, String(id), url.searchParams, store);
    case "POST responses/{id}":
      if (id === "input_tokens") return countInputTokens(exchange, body);
      break;
    case "POST conversations":
      return createConversation(exchange, body, store);
    case "GET conversations/{id}":
      return getConversation(exchange, String(id), store);
    case "DELETE conversations/{id}":
      return deleteConversation(exchange, String(id), store);
    case "GET conversations/{id}/items":
      return listConversationItems(exchange, String(id), url.searchParams, store);
    case "POST conversations/{id}/items":
      return addConversationItems(exchange, String(id), body, store);
    default:
  }
  throw unknownUrl(exchange);
}

function readBody({ record }: Exchange): JsonRecord {
  const body = readJsonBody(record.bytes, record.headers["content-type"]);
  record.body = body as RequestBody;
  return body;
}

const unknownUrl = ({ record }: Exchange): ApiError =>
  new ApiError(`Invalid URL (${record.method} ${record.path}): the stand-in server does not have it.`, {
    status: 404,
    code: "unknown_url",
  });
