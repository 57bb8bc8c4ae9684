import type { Item } from "../contracts/item.js";
import type { ModelResponse } from "../contracts/model.js";

const noUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 } as const;

/** A message of no model, which refuses. It has no id, since no server knows it. */
export function refusal(reason: string): Item {
  return { type: "message", role: "assistant", status: "completed", content: [{ type: "refusal", refusal: reason }] };
}

/** A reply of no model: it refuses. */
export function refusalReply(reason: string): ModelResponse {
  return { id: undefined, output: [refusal(reason)], usage: noUsage };
}

/**
 * The items of a reply with another text in the place of its answer. Everything else stays where it is: the API takes no
 * reasoning back without the very item that followed it.
 */
export function withAnswer(output: readonly Item[], text: string): readonly Item[] {
  const messages = output.filter((item) => item.type === "message");
  const final = messages.filter((item) => item["phase"] === "final_answer");
  const answer = new Set(final.length > 0 ? final : messages);
  const last = [...answer].at(-1);
  return output.map((item) =>
    answer.has(item) ? { ...item, content: [{ type: "output_text", text: item === last ? text : "", annotations: [] }] } : item,
  );
}
