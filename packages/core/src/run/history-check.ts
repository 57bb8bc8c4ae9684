import type { Item } from "../contracts/item.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/**
 * Refuses a supplied history that the API would refuse: an output without its call, a call without its output, a
 * reasoning item at the end without its follower.
 *
 * @throws ToolwrightError `RUN_HISTORY`, naming the item.
 */
export function assertReplayable(items: readonly Item[], openCalls: readonly string[]): void {
  const waiting = new Map<string, number>();
  const answered = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null) refuse(index, "is not an item");
    const callId = item["call_id"];
    if (isCall(item)) {
      if (typeof callId !== "string" || callId === "") refuse(index, "is a call without a call_id");
      if (waiting.has(callId)) refuse(index, `is a second call ${callId}, while the first has no output`);
      waiting.set(callId, index);
    } else if (isOutput(item)) {
      if (typeof callId !== "string" || !waiting.delete(callId)) {
        refuse(index, answered.has(String(callId)) ? `is a second output for ${String(callId)}` : `is an output for ${String(callId)}, which was not called before it`);
      }
      answered.add(callId);
    }
  }
  for (const [callId, index] of waiting) if (!openCalls.includes(callId)) refuse(index, `is the call ${callId}, which has no output`);
  if (items.at(-1)?.type === "reasoning") refuse(items.length - 1, "is reasoning without the item that must follow it");
}

const isCall = (item: Item): boolean => item.type === "function_call" || item.type === "custom_tool_call";
const isOutput = (item: Item): boolean => item.type === "function_call_output" || item.type === "custom_tool_call_output";

function refuse(index: number, what: string): never {
  throw new ToolwrightError("RUN_HISTORY", `history.items[${index}] ${what}.`, {
    fix: "Supply the history that a run gave back (`result.history`), or add or remove the item.",
    details: { index },
  });
}
