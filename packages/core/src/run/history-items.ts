import type { FunctionCallItem, FunctionCallOutputItem, InputItem, Item } from "../contracts/item.js";
import type { ToolOutput } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** True for a call of a function tool. */
export function isFunctionCall(item: Item): item is FunctionCallItem {
  return item.type === "function_call";
}

/** True for the output of a function tool. */
export function isFunctionCallOutput(item: Item): item is FunctionCallOutputItem {
  return item.type === "function_call_output";
}

/** The output item of a call. It joins by `call_id`; the item id plays no part. */
export function outputItem(callId: string, output: ToolOutput): FunctionCallOutputItem {
  return { type: "function_call_output", call_id: callId, output: wellFormed(output) };
}

/** A run's input as items: a text is one user message. */
export function inputItems(input: string | readonly InputItem[]): readonly Item[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input.toWellFormed() }];
  if (!Array.isArray(input)) {
    throw new ToolwrightError("RUN_OPTIONS", `The input is ${input === null ? "null" : typeof input}.`, {
      fix: "Pass a text or a list of items.",
    });
  }
  return (input as readonly InputItem[]).map((item, index) => {
    if (typeof item !== "object" || item === null) {
      throw new ToolwrightError("RUN_OPTIONS", `input[${index}] is not an item.`, { fix: "Pass a text or a list of items." });
    }
    // A copy: what its owner makes of it later is another item.
    return { ...item, ...(item.type === undefined && "role" in item && { type: "message" }) } as Item;
  });
}

// A lone surrogate would make every later request of this history invalid.
function wellFormed(output: ToolOutput): ToolOutput {
  if (typeof output === "string") return output.toWellFormed();
  return output.map((part) => (part.type === "input_text" ? { ...part, text: part.text.toWellFormed() } : part));
}

/** Text, refusal of the assistant messages of a reply. Commentary does not count when there is a final answer. */
export function replyText(output: readonly Item[]): { readonly text: string; readonly refusal: string | undefined } {
  const messages = output.filter((item) => item.type === "message");
  const final = messages.filter((item) => item["phase"] === "final_answer");
  let text = "";
  let refusal: string | undefined;
  for (const message of final.length > 0 ? final : messages) {
    const content = message["content"];
    // A form that some servers use for an answer too.
    if (typeof content === "string") text += content;
    if (!Array.isArray(content)) continue;
    for (const part of content as readonly ({ type?: string; text?: string; refusal?: string } | null)[]) {
      if (part === null) continue;
      if (part.type === "output_text") text += part.text ?? "";
      else if (part.type === "refusal") refusal = (refusal ?? "") + (part.refusal ?? "");
    }
  }
  return { text, refusal };
}
