import type { Item } from "@toolwright/core";
import { ApiError } from "../api-error.js";
import type { InputEntry } from "./input.js";

/** Calls that the client answers, the type of their answer, and their name in messages. */
const kinds: Readonly<Record<string, { readonly answer: string; readonly name: string }>> = {
  function_call: { answer: "function_call_output", name: "function call" },
  custom_tool_call: { answer: "custom_tool_call_output", name: "custom tool call" },
  computer_call: { answer: "computer_call_output", name: "computer call" },
  apply_patch_call: { answer: "apply_patch_call_output", name: "apply patch call" },
};
const answers = new Map(Object.entries(kinds).map(([type, { answer, name }]) => [answer, { type, name }]));

interface OpenCall {
  readonly item: Item;
  readonly name: string;
}

/**
 * Every call has exactly one output after it, and every output its call before it, in the whole history that the model
 * reads. Twins (calls of one id, both still open) share an output. An `async` call may be answered by a later request.
 */
export function checkPairing(previous: readonly Item[], entries: readonly InputEntry[]): void {
  const open = new Map<string, OpenCall>();
  const follow = (item: Item, sent: boolean): void => {
    const kind = Object.hasOwn(kinds, item.type) ? kinds[item.type] : undefined;
    const answer = answers.get(item.type);
    const callId = String(item["call_id"]);
    if (kind !== undefined) {
      const key = `${item.type} ${callId}`;
      if (sent && sameCall(open.get(key)?.item, item, previous)) throw resentCall(callId);
      if (!open.has(key)) open.set(key, { item, name: kind.name });
    } else if (answer !== undefined && !open.delete(`${answer.type} ${callId}`)) {
      throw new ApiError(`No tool call found for ${answer.name} output with call_id ${callId}.`, { param: "input" });
    }
  };
  for (const item of previous) follow(item, false);
  for (const { item } of entries) follow(item, true);
  for (const { item, name } of open.values()) {
    if (item["async"] === true) continue;
    throw new ApiError(`No tool output found for ${name} ${String(item["call_id"])}.`, { param: "input" });
  }
}

/** The server holds this very call already, and it is sent again without its id. */
const sameCall = (held: Item | undefined, sent: Item, previous: readonly Item[]): boolean =>
  held !== undefined && previous.includes(held) && held["name"] === sent["name"] && held["arguments"] === sent["arguments"];

const resentCall = (callId: string): ApiError =>
  new ApiError(`Duplicate item found with call_id ${callId}. Remove duplicate items from your input and try again.`, { param: "input" });
