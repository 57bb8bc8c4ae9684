import type { Item } from "../contracts/item.js";

/** Calls that the client answers, and the type of their answer. */
const answers: ReadonlyMap<string, string> = new Map([
  ["function_call", "function_call_output"],
  ["custom_tool_call", "custom_tool_call_output"],
  ["computer_call", "computer_call_output"],
  ["apply_patch_call", "apply_patch_call_output"],
]);
const calls: ReadonlyMap<string, string> = new Map([...answers].map(([call, answer]) => [answer, call]));

/** What pairs a call with its output: their kind and their call id. */
export type PairKey = string;

/** The key of a call that the client answers; undefined for any other item. */
export function callKey(item: Item): PairKey | undefined {
  return answers.has(item.type) ? `${item.type} ${String(item["call_id"])}` : undefined;
}

/** The key of the call that an item answers; undefined for any other item. */
export function answeredKey(item: Item): PairKey | undefined {
  const call = calls.get(item.type);
  return call === undefined ? undefined : `${call} ${String(item["call_id"])}`;
}

/** The type of the item that answers a call. */
export function answerType(call: Item): string | undefined {
  return answers.get(call.type);
}

const clientTypes: ReadonlySet<string> = new Set([
  ...answers.values(),
  "shell_call_output",
  "local_shell_call_output",
  "mcp_approval_response",
  "compaction_trigger",
]);

/** Whether the model wrote it, be its type ever so new: only such an item can follow reasoning. */
export function isModelItem(item: Item): boolean {
  // A message may leave its type out, and so may a reference to any item.
  if (item.type === "message" || (item.type === undefined && item["role"] !== undefined)) return item["role"] === "assistant";
  return !clientTypes.has(item.type);
}
