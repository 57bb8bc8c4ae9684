import type { JsonValue } from "../contracts/json.js";
import type { Item } from "../contracts/item.js";
import type { ModelRequest, ModelResponse } from "../contracts/model.js";
import type { ToolOutput } from "../contracts/outcome.js";
import { maskSecrets } from "../errors/mask.js";
import { answeredCall, callOf } from "../run/history-calls.js";
import { replyItems } from "./reply-items.js";
import type { Attributes } from "./trace-api.js";

// Content is written as JSON texts in the form of the conventions' message schemas, and only when it was asked for.

/** Instructions and messages of a request. */
export function requestContent({ instructions, input }: ModelRequest): Attributes {
  return {
    "gen_ai.system_instructions": instructions === undefined ? undefined : JSON.stringify([textPart(instructions)]),
    "gen_ai.input.messages": `[${input.map(messageText).join(",")}]`,
  };
}

/** Messages of a reply. */
export function responseContent(response: ModelResponse): Attributes {
  return { "gen_ai.output.messages": `[${replyItems(response).map(messageText).join(",")}]` };
}

/** Arguments or an output, as text. */
export function shownOutput(output: ToolOutput): string {
  return maskSecrets(
    typeof output === "string" ? output : output.map((part) => (part.type === "input_text" ? part.text : `[${part.type}]`)).join("\n"),
  );
}

/** What a call was answered with; of one that a hosted server makes, a person's word. */
function shownAnswer({ type, output, approve, reason }: Item): string {
  if (type === "mcp_approval_response") return maskSecrets([approve === true ? "approved" : "refused", reason ?? []].flat().join(": "));
  return shownOutput(output as ToolOutput); // of the other two kinds of answers
}

export const shownArguments = (value: JsonValue): string => maskSecrets(JSON.stringify(value));

// Written once for each item, however many requests carry it.
const written = new WeakMap<Item, string>();

function messageText(item: Item): string {
  let text = written.get(item);
  if (text === undefined) written.set(item, (text = JSON.stringify(message(item))));
  return text;
}

function message(item: Item): object {
  const call = callOf(item);
  if (call !== undefined) {
    const given = item.type === "custom_tool_call" ? item["input"] : call.arguments;
    return {
      role: "assistant",
      parts: [{ type: "tool_call", id: call.call_id, name: call.name, arguments: maskSecrets(String(given)) }],
    };
  }
  const answered = answeredCall(item);
  if (answered !== undefined) return { role: "tool", parts: [{ type: "tool_call_response", id: answered, response: shownAnswer(item) }] };
  if (item.type === "message") return { role: String(item["role"]), parts: parts(item["content"]) };
  // Sealed, or of a kind that has no form here: that it was there is all that is told.
  return { role: "assistant", parts: [{ type: item.type }] };
}

function parts(content: unknown): readonly object[] {
  if (typeof content === "string") return [textPart(content)];
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).map((part) => {
    const { type, text, refusal } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown; readonly refusal?: unknown };
    const words = text ?? refusal;
    return typeof words === "string" ? textPart(words) : { type: String(type) };
  });
}

const textPart = (text: string): object => ({ type: "text", content: maskSecrets(text) });
