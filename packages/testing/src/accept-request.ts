import type { Item } from "@toolwright/core";
import { ApiError } from "./api-error.js";
import { checkIdentity } from "./checks/identity.js";
import { readInput } from "./checks/input.js";
import { checkItems } from "./checks/items.js";
import { checkNamespaces } from "./checks/namespaces.js";
import { checkPairing } from "./checks/pairing.js";
import { checkParameters } from "./checks/parameters.js";
import { checkReasoning } from "./checks/reasoning.js";
import { checkTextFormat } from "./checks/schemas.js";
import { checkTools } from "./checks/tools.js";
import { isRecord, type JsonRecord } from "./json-record.js";
import type { Conversation, Store, StoredResponse } from "./store.js";

/** A request that passed every check, with what it builds on. */
export interface AcceptedRequest {
  readonly body: JsonRecord;
  readonly stream: boolean;
  readonly background: boolean;
  /** Whether the response is kept for later requests. */
  readonly store: boolean;
  readonly encryptedReasoning: boolean;
  readonly previous: StoredResponse | undefined;
  readonly conversation: Conversation | undefined;
  /** The request's own items, in one form. */
  readonly input: readonly Item[];
  /** Everything that the model reads: what the server keeps, then the input. */
  readonly context: readonly Item[];
}

/** Which refusals are switched on. */
export interface CheckOptions {
  readonly checks: boolean;
  readonly verifyEncryptedContent: boolean;
}

/**
 * Looks at a request as the API does before it asks the model.
 *
 * @throws ApiError with the API's status, message, `param` and code for the first thing that is wrong.
 */
export function acceptRequest(body: JsonRecord, store: Store, options: CheckOptions): AcceptedRequest {
  if (options.checks) {
    checkParameters(body);
    checkTools(body);
    checkTextFormat(body["text"]);
  }
  const previous = previousResponse(body["previous_response_id"], store);
  const conversation = openConversation(body["conversation"], store);
  const held = previous === undefined ? (conversation?.items ?? []) : store.chain(previous);
  const entries = readInput(body["input"], store);
  if (options.checks) {
    checkItems(entries, store);
    checkIdentity(held, entries, store);
    checkReasoning(held, entries, store, options);
    checkPairing(held, entries);
    checkNamespaces(body["tools"], held, entries);
  }
  const input = entries.map((entry) => entry.item);
  const include = body["include"];
  return {
    body,
    stream: body["stream"] === true,
    background: body["background"] === true,
    store: body["store"] !== false,
    encryptedReasoning: Array.isArray(include) && include.includes("reasoning.encrypted_content"),
    previous,
    conversation,
    input,
    context: [...held, ...input],
  };
}

function previousResponse(id: unknown, store: Store): StoredResponse | undefined {
  if (typeof id !== "string") return undefined;
  const stored = store.responses.get(id);
  const usable = stored !== undefined && ["completed", "incomplete"].includes(String(stored.response["status"]));
  if (usable) return stored;
  throw new ApiError(`Previous response with id '${id}' not found.`, {
    param: "previous_response_id",
    code: "previous_response_not_found",
  });
}

function openConversation(parameter: unknown, store: Store): Conversation | undefined {
  const id = isRecord(parameter) ? parameter["id"] : parameter;
  if (typeof id !== "string") return undefined;
  const conversation = store.conversation(id);
  if (conversation.locked) {
    throw new ApiError("Another process is currently operating on this conversation. Please retry in a few seconds.", {
      param: "conversation",
      code: "conversation_locked",
    });
  }
  return conversation;
}
