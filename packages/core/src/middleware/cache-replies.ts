import type { Item } from "../contracts/item.js";
import type { ModelCall } from "../contracts/middleware.js";
import type { ModelRequest, ModelResponse } from "../contracts/model.js";
import { replyText } from "../run/history-items.js";
import { callKey, answeredKey } from "../run/history-kinds.js";
import { askedModel } from "./asked-model.js";
import type { CacheAccess } from "./cache-access.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { digest } from "./digest.js";
import { withoutFenceIds } from "./without-fence-ids.js";

/** Nothing was asked, so nothing was used. */
const noUsage: ModelResponse["usage"] = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };

/** The reply that was given to the same request before; undefined when there is none. */
export async function keptReply(access: CacheAccess, key: string, signal: AbortSignal): Promise<ModelResponse | undefined> {
  const output = await access.get(key, signal);
  return Array.isArray(output) && output.every(isItem) ? { id: undefined, output, usage: noUsage } : undefined;
}

/** Keeps a reply, if another run may be given it: words and calls, but no refusal and nothing that only its server understands. */
export function keepReply(access: CacheAccess, key: string, { output }: ModelResponse, ttlMs: number): void {
  if (!Array.isArray(output) || !output.every(isItem)) return;
  // Reasoning belongs to the response in which it came up.
  const items = output.filter(({ type }) => type !== "reasoning");
  const fit = items.length > 0 && items.every(({ type }) => kept.has(type));
  if (fit && replyText(items).refusal === undefined) void access.set(key, items, ttlMs);
}

/** What any request can be answered with: other items name what a server has done for this one. */
const kept: ReadonlySet<string> = new Set(["message", "function_call", "custom_tool_call"]);

function isItem(item: unknown): item is Item {
  return typeof (item as { readonly type?: unknown } | null)?.type === "string";
}

/**
 * What makes two requests the same: all that the model reads, and how it is asked. Ids that servers and runs give anew each
 * time, and reasoning, which only its own server can read, play no part.
 */
export function replyKey(call: ModelCall, user: string | undefined): string {
  const { instructions, input, tools, toolChoice, settings, answerOnly } = call.request;
  const parts = [user, askedModel(call), instructions, inputDigests(input), toolsDigest(tools), toolChoice, settings, answerOnly];
  return `toolwright:reply:${digest(canonicalJson(parts.map((part) => part ?? null)))}`;
}

function inputDigests(input: readonly Item[]): readonly string[] {
  const callIds = new Map<unknown, number>();
  return input
    .filter(({ type }) => type !== "reasoning")
    .map((item) => {
      if (callKey(item) === undefined && answeredKey(item) === undefined) return itemDigest(item);
      const callId = item["call_id"];
      if (!callIds.has(callId)) callIds.set(callId, callIds.size);
      return `${callIds.get(callId)} ${itemDigest(item)}`;
    });
}

// Items and the list of tools are the same objects from step to step, so that each is read once.
const digests = new WeakMap<object, string>();

const itemDigest = (item: Item): string =>
  once(item, () => withoutFenceIds(canonicalJson({ ...item, id: undefined, call_id: undefined, status: undefined })));
const toolsDigest = (tools: ModelRequest["tools"]): string => once(tools, () => canonicalJson(tools));

function once(thing: object, text: () => string): string {
  let known = digests.get(thing);
  if (known === undefined) digests.set(thing, (known = digest(text())));
  return known;
}
