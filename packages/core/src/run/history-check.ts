import type { Item } from "../contracts/item.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { answeredKey, callKey, isModelItem, type PairKey } from "./history-kinds.js";

/**
 * Refuses a supplied history that the API would refuse: an output without its call, a call without its output, reasoning
 * that does not stand right before an item of the model.
 *
 * @param openCalls - calls that may lack their output.
 * @throws ToolwrightError `RUN_HISTORY`, naming the item.
 */
export function assertReplayable(items: readonly Item[], openCalls: readonly string[]): void {
  const waiting = new Map<PairKey, number>();
  const answered = new Set<PairKey>();
  for (const [index, item] of items.entries()) {
    if (!isItem(item)) refuse(index, "is not an item");
    const called = callKey(item);
    const answers = answeredKey(item);
    if (called !== undefined) {
      const callId = item["call_id"];
      if (typeof callId !== "string" || callId === "") refuse(index, "is a call without a call_id");
      if (waiting.has(called)) refuse(index, `is a second call ${callId}, while the first has no output`);
      waiting.set(called, index);
    } else if (answers !== undefined) {
      const callId = String(item["call_id"]);
      if (!waiting.delete(answers))
        refuse(
          index,
          answered.has(answers) ? `is a second output for ${callId}` : `is an output for ${callId}, which was not called before it`,
        );
      answered.add(answers);
    } else if (item.type === "reasoning" && !isFollowed(items, index)) {
      refuse(index, "is reasoning without the item that must follow it");
    }
  }
  for (const index of waiting.values()) {
    const callId = String(items[index]?.["call_id"]);
    if (!openCalls.includes(callId)) refuse(index, `is the call ${callId}, which has no output`);
  }
}

/**
 * Refuses a supplied history in which two items have one id. What a server that repeats its ids has sent within a run or a
 * session is left to that server.
 *
 * @throws ToolwrightError `RUN_HISTORY`, naming the items.
 */
export function assertDistinctIds(items: readonly Item[]): void {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const id = item["id"];
    if (typeof id !== "string" || id === "") continue;
    const first = seen.get(id);
    if (first !== undefined) refuse(index, `has the id ${id}, which history.items[${first}] has too`);
    seen.set(id, index);
  }
}

/** Whether it can be an item at all: a message may leave its type out, and so may a reference. */
export function isItem(item: unknown): item is Item {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  const { type, role, id } = item as { readonly type?: unknown; readonly role?: unknown; readonly id?: unknown };
  return typeof type === "string" || (type === undefined && (typeof role === "string" || typeof id === "string"));
}

function isFollowed(items: readonly Item[], index: number): boolean {
  const next: unknown = items[index + 1];
  return isItem(next) && isModelItem(next);
}

function refuse(index: number, what: string): never {
  throw new ToolwrightError("RUN_HISTORY", `history.items[${index}] ${what}.`, {
    fix: "Supply the history that a run gave back (`result.history`), or mend it with `repairHistory(items)`.",
    details: { index },
  });
}
