import type { ModelDelta, ModelResponse } from "../contracts/model.js";
import { isFunctionCall, replyText } from "./history-items.js";

/** Tells of a reply that is there whole what a stream would have told, in fewer pieces. */
export async function tellWhole(
  { id, output }: Pick<ModelResponse, "id" | "output">,
  onDelta: (delta: ModelDelta) => void | Promise<void>,
): Promise<void> {
  await onDelta({ type: "response-start", responseId: id });
  for (const item of output) {
    // Told what it is by whoever takes the reply.
    if (typeof item !== "object" || item === null) continue;
    if (isFunctionCall(item) || item.type === "custom_tool_call") {
      const callId = String(item["call_id"]);
      await onDelta({ type: "tool-input-start", callId, tool: String(item["name"]) });
      await onDelta({ type: "tool-input-end", callId, arguments: String(item["arguments"] ?? item["input"]) });
    } else if (item.type === "message") {
      const { phase } = item;
      if (typeof phase === "string") await onDelta({ type: "message-start", phase });
      const { text, refusal } = replyText([item]);
      if (text !== "") await onDelta({ type: "text-delta", text });
      if (refusal !== undefined) await onDelta({ type: "refusal-delta", text: refusal });
    }
  }
}
