import type { Item } from "../contracts/item.js";
import { answeredCall, callOf } from "../run/history-calls.js";
import { answeredKey, callKey, isModelItem } from "../run/history-kinds.js";

/**
 * Where a history may be cut so that the API takes both the rest and whatever stands in place of the beginning: behind
 * complete steps alone. No call is parted from its output, and no reasoning from what it led to.
 *
 * @returns the index of the first item that stays: as many whole steps from the end as `fits` allows, at most `keepSteps`
 * and at least one; 0 when there is nothing to cut off.
 */
export function cutIndex(items: readonly Item[], keepSteps: number, fits: (rest: readonly Item[]) => boolean): number {
  const allowed = cuts(items);
  const starts = stepStarts(items);
  for (let steps = Math.min(keepSteps, starts.length); steps >= 1; steps -= 1) {
    const index = allowedBefore(allowed, withQuestion(items, starts[starts.length - steps] as number));
    if (steps === 1 || fits(items.slice(index))) return index;
  }
  return 0;
}

/** Items that say how to go on, or stand for a history themselves: they stay whatever is cut off around them. */
export function isFixed(item: Item): boolean {
  if (item["role"] === "system" || item["role"] === "developer") return true;
  return item.type === "compaction" || item.type === "configuration_update" || item.type === "additional_tools";
}

/** Where the latest question begins and ends: the last messages of the user that stand together. */
export function latestQuestion(items: readonly Item[]): readonly [start: number, end: number] {
  const end = items.findLastIndex(isUserMessage) + 1;
  let start = end;
  while (start > 0 && isUserMessage(items[start - 1] as Item)) start -= 1;
  return [start, end];
}

const isUserMessage = (item: Item): boolean => item["role"] === "user";

// A step begins where the model speaks after somebody else did.
function stepStarts(items: readonly Item[]): readonly number[] {
  const starts: number[] = [];
  items.forEach((item, index) => {
    const before = items[index - 1];
    if (isModelItem(item) && (before === undefined || !isModelItem(before))) starts.push(index);
  });
  return starts;
}

/** The messages that a step answers stay with it. */
function withQuestion(items: readonly Item[], start: number): number {
  let index = start;
  while (index > 0 && isQuestion(items[index - 1] as Item)) index -= 1;
  return index;
}

const isQuestion = (item: Item): boolean => item["role"] !== undefined && item["role"] !== "assistant";

function allowedBefore(allowed: ReadonlySet<number>, index: number): number {
  let found = index;
  while (found > 0 && !allowed.has(found)) found -= 1;
  return found;
}

function cuts(items: readonly Item[]): ReadonlySet<number> {
  const open = new Set<string>();
  const allowed = new Set<number>();
  items.forEach((item, index) => {
    if (open.size === 0 && items[index - 1]?.type !== "reasoning") allowed.add(index);
    const called = callKey(item) ?? callOf(item)?.call_id;
    const answered = answeredKey(item) ?? answeredCall(item);
    if (called !== undefined) open.add(called);
    if (answered !== undefined) open.delete(answered);
  });
  return allowed;
}
