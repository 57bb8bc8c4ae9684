import type { FunctionCallItem, Item } from "../contracts/item.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { isFunctionCall, outputItem } from "./history-items.js";
import { outcomeOutput } from "./history-outcome.js";

const seen = new WeakMap<Item, FunctionCallItem>();

/**
 * An item that the run answers, as a call of a function: a call of a custom tool has one argument, `input`; a hosted MCP
 * server's call that waits for approval is a call of `server.tool`. Undefined for any other item.
 */
export function callOf(item: Item): FunctionCallItem | undefined {
  if (isFunctionCall(item)) return item;
  if (item.type !== "custom_tool_call" && item.type !== "mcp_approval_request") return undefined;
  const known = seen.get(item) ?? (item.type === "custom_tool_call" ? customCall(item) : approvalRequest(item));
  seen.set(item, known);
  return known;
}

/** The calls among the items of a reply, in the model's order. */
export const callsIn = (items: readonly Item[]): readonly FunctionCallItem[] => items.flatMap((item) => callOf(item) ?? []);

/** The call that an item answers; undefined for any other item. */
export function answeredCall(item: Item): string | undefined {
  if (item.type === "function_call_output" || item.type === "custom_tool_call_output") return String(item["call_id"]);
  return item.type === "mcp_approval_response" ? String(item["approval_request_id"]) : undefined;
}

/** The type of the item that a call is in a reply, if it is there. */
export const callTypeIn = (reply: readonly Item[], callId: string): string | undefined =>
  reply.findLast((each) => callOf(each)?.call_id === callId)?.type;

/** The item that answers a call, by the type of the call's own item, with what it came to. */
export function answerTo(type: string | undefined, callId: string, outcome: ToolOutcome, output = outcomeOutput(outcome)): Item {
  if (type === "custom_tool_call") return { ...outputItem(callId, output), type: "custom_tool_call_output" };
  if (type !== "mcp_approval_request") return outputItem(callId, output);
  const approve = outcome.kind === "ok";
  const reason = "reason" in outcome ? String(outcome.reason).toWellFormed() : undefined;
  return { type: "mcp_approval_response", approval_request_id: callId, approve, ...(!approve && reason !== undefined && { reason }) };
}

/** An answer with the `caller` of its call: a program of the model's that made the call goes on by it. */
export function withCaller(items: readonly Item[], answer: Item): Item {
  const callId = answeredCall(answer);
  const caller = items.findLast((each) => callOf(each)?.call_id === callId)?.["caller"];
  const isDirect = (caller as { readonly type?: unknown } | null | undefined)?.type === "direct";
  return typeof caller === "object" && caller !== null && !isDirect ? { ...answer, caller } : answer;
}

const customCall = (item: Item): FunctionCallItem => ({
  type: "function_call",
  call_id: String(item["call_id"] ?? ""),
  name: String(item["name"]),
  arguments: JSON.stringify({ input: typeof item["input"] === "string" ? item["input"] : "" }),
});

const approvalRequest = (item: Item): FunctionCallItem => ({
  type: "function_call",
  call_id: String(item["id"] ?? ""),
  name: `${String(item["server_label"])}.${String(item["name"])}`,
  arguments: String(item["arguments"] ?? "{}"),
});
