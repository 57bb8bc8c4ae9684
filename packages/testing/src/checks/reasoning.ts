import type { Item } from "@toolwright/core";
import { ApiError } from "../api-error.js";
import { unseal } from "../sealed-reasoning.js";
import type { Store } from "../store.js";
import { itemNotFound, type InputEntry } from "./input.js";

/** What this check needs to know of the server. */
export interface ReasoningOptions {
  /** Whether `encrypted_content` must be text that a stand-in server made. */
  readonly verifyEncryptedContent: boolean;
}

/**
 * A reasoning item is either stored or carries content that can be verified, stands right before the item it led to, and
 * items that it led to do not come without it.
 */
export function checkReasoning(previous: readonly Item[], entries: readonly InputEntry[], store: Store, options: ReasoningOptions): void {
  const known = new Set<unknown>(previous.map((item) => item["id"]));
  let compacted = previous.some((item) => item.type === "compaction");
  for (const [index, { item, referenced }] of entries.entries()) {
    compacted ||= item.type === "compaction";
    if (item.type === "reasoning") {
      if (!referenced) checkContent(item, store, options);
      checkFollower(item, entries[index + 1]?.item, store);
    }
    const needed = store.issued(item["id"])?.reasoning;
    // What lies before a compaction may be dropped.
    if (needed !== undefined && !known.has(needed) && !compacted) {
      throw new ApiError(
        `Item '${String(item["id"])}' of type '${item.type}' was provided without its required 'reasoning' item: '${needed}'.`,
        { param: "input" },
      );
    }
    known.add(item["id"]);
  }
}

function checkContent(item: Item, store: Store, { verifyEncryptedContent }: ReasoningOptions): void {
  const { id, encrypted_content: content } = item;
  if (typeof content !== "string" || content === "") {
    if (store.persisted(id) === undefined) throw itemNotFound(String(id));
    return;
  }
  if (!verifyEncryptedContent || store.issuedEncrypted(content)) return;
  const sealedFor = unseal(content);
  if (sealedFor === undefined) throw unverified(id, "Encrypted content could not be decrypted or parsed.");
  if (id !== undefined && id !== sealedFor) throw unverified(id, "Encrypted content item_id did not match the target item id.");
}

const unverified = (id: unknown, reason: string): ApiError =>
  new ApiError(`The encrypted content for item ${String(id)} could not be verified. Reason: ${reason}`, {
    code: "invalid_encrypted_content",
  });

function checkFollower(item: Item, next: Item | undefined, store: Store): void {
  const follower = store.issued(item["id"])?.follower;
  const id = next?.["id"];
  const wrongItem = follower !== undefined && typeof id === "string" && id !== follower && !store.lent(id);
  if (next !== undefined && isModelItem(next) && !wrongItem) return;
  throw new ApiError(`Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`, {
    param: "input",
  });
}

/** What the client or a person contributes: no reasoning leads to it. */
const clientTypes = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "computer_call_output",
  "apply_patch_call_output",
  "shell_call_output",
  "local_shell_call_output",
  "mcp_approval_response",
  "compaction_trigger",
]);

/** Whether the model wrote it, be its type ever so new. */
const isModelItem = (item: Item): boolean => (item.type === "message" ? item["role"] === "assistant" : !clientTypes.has(item.type));
