import type { Item } from "../contracts/item.js";
import { isItem } from "./history-check.js";
import { answeredKey, answerType, callKey, isModelItem, type PairKey } from "./history-kinds.js";
import { outcomeOutput } from "./history-outcome.js";
import { skipped } from "./outcomes.js";

/** One thing that {@link repairHistory} did. */
export interface HistoryRepair {
  /** Of the item in the supplied list: the one that was removed or changed, or the call that got an output. */
  readonly index: number;
  /** That item's type. */
  readonly type: string;
  readonly action: "removed" | "output-added" | "id-removed";
  /** As words that follow "because". */
  readonly reason: string;
}

/** A history that the API accepts, and what was done to make it so. */
export interface RepairedHistory {
  readonly items: readonly Item[];
  /** In the order of the items; empty when there was nothing to mend. */
  readonly repairs: readonly HistoryRepair[];
}

interface Entry {
  readonly index: number;
  readonly item: Item;
}

type Report = (entry: { readonly index: number; readonly item: unknown }, action: HistoryRepair["action"], reason: string) => void;

/**
 * Mends a history that the API would refuse: one that was cut, put together by hand, or comes from another provider.
 *
 * - A call without an output gets one that says so; an output without its call, or a second one, is removed.
 * - Of two open calls under one call id, the later is removed.
 * - Of two items with one id, the later is removed if it is the same, and loses its id if it is not.
 * - Reasoning is removed when no item of the model follows it.
 *
 * The supplied items are not changed; those that stay are the same objects. Mending twice changes nothing more.
 *
 * @example
 * const { items, repairs } = repairHistory(imported);
 * await agent.run("Go on.", { history: { kind: "local", items } });
 */
export function repairHistory(items: readonly Item[]): RepairedHistory {
  const repairs: HistoryRepair[] = [];
  const report: Report = ({ index, item }, action, reason) => {
    repairs.push({ index, type: isItem(item) ? typeName(item) : typeof item, action, reason });
  };
  let entries = withoutNonItems(items, report);
  // Before ids are compared: of two copies of a reasoning item, the one that is followed must stay.
  entries = withoutLooseReasoning(entries, report);
  entries = withoutCopies(entries, report);
  entries = paired(entries, report);
  entries = withDistinctIds(entries, report);
  entries = withoutLooseReasoning(entries, report);
  return { items: entries.map(({ item }) => item), repairs: repairs.sort((left, right) => left.index - right.index) };
}

const typeName = (item: Item): string => item.type ?? (item["role"] === undefined ? "item_reference" : "message");

function withoutNonItems(items: readonly Item[], report: Report): readonly Entry[] {
  return items.flatMap((item, index) => {
    if (isItem(item)) return [{ index, item }];
    report({ index, item }, "removed", "it is no item");
    return [];
  });
}

// From the end, since reasoning may follow reasoning.
function withoutLooseReasoning(entries: readonly Entry[], report: Report): readonly Entry[] {
  let next: Item | undefined;
  const kept = entries.toReversed().filter((entry) => {
    const loose = entry.item.type === "reasoning" && (next === undefined || !isModelItem(next));
    if (loose) report(entry, "removed", "no item that the model wrote follows it");
    else next = entry.item;
    return !loose;
  });
  return kept.reverse();
}

const idOf = ({ item }: Entry): string | undefined => (typeof item["id"] === "string" && item["id"] !== "" ? item["id"] : undefined);

// These are complete without an id.
const mayLackId = ({ item }: Entry): boolean =>
  typeName(item) === "message" || callKey(item) !== undefined || answeredKey(item) !== undefined;

function withoutCopies(entries: readonly Entry[], report: Report): readonly Entry[] {
  const seen = new Map<string, Entry>();
  return entries.filter((entry) => {
    const id = idOf(entry);
    const first = id === undefined ? undefined : seen.get(id);
    if (id !== undefined && first === undefined) seen.set(id, entry);
    // Which of two outputs stays depends on their calls.
    if (first === undefined || answeredKey(entry.item) !== undefined) return true;
    const same = JSON.stringify(first.item) === JSON.stringify(entry.item);
    if (!same && mayLackId(entry)) return true;
    report(entry, "removed", `it ${same ? "is" : "has the id of"} items[${first.index}] again`);
    return false;
  });
}

function withDistinctIds(entries: readonly Entry[], report: Report): readonly Entry[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const id = idOf(entry);
    const first = id === undefined ? undefined : seen.get(id);
    if (id !== undefined && first === undefined) seen.set(id, entry.index);
    if (first === undefined) return entry;
    report(entry, "id-removed", `items[${first}], another item, has the same`);
    const { id: _, ...rest } = entry.item;
    return { index: entry.index, item: rest };
  });
}

/** Each call that the client answers gets exactly one output after it, and each output has its call before it. */
function paired(entries: readonly Entry[], report: Report): readonly Entry[] {
  const { removed, unanswered, answers } = pair(entries);
  for (const [entry, reason] of removed) report(entry, "removed", reason);
  const kept: Entry[] = [];
  const due: Entry[] = [];
  for (const [position, entry] of entries.entries()) {
    // What the model wrote in one reply stays together; its outputs come right after it, in the order of their calls.
    const answered = answers.get(entry);
    if (answered !== undefined) kept.push(...due.splice(0, due.filter(({ index }) => index < answered.index).length));
    else if (isModelItem(entry.item) ? startsReply(entries, position) : !removed.has(entry)) kept.push(...due.splice(0));
    if (removed.has(entry)) continue;
    kept.push(entry);
    if (!unanswered.has(entry)) continue;
    report(entry, "output-added", "it has no output");
    due.push({ index: entry.index, item: missingOutput(entry.item) });
  }
  return [...kept, ...due];
}

/** What the model writes after something of the client is a new reply. */
function startsReply(entries: readonly Entry[], position: number): boolean {
  const previous = entries[position - 1];
  return previous !== undefined && !isModelItem(previous.item);
}

interface Pairs {
  /** Calls and outputs that cannot stay, and why. */
  readonly removed: ReadonlyMap<Entry, string>;
  /** Calls that need an output. */
  readonly unanswered: ReadonlySet<Entry>;
  /** The call of each output that stays. */
  readonly answers: ReadonlyMap<Entry, Entry>;
}

function pair(entries: readonly Entry[]): Pairs {
  const removed = new Map<Entry, string>();
  const unanswered = new Set<Entry>();
  const open = new Map<PairKey, { readonly entry: Entry; readonly reply: number }>();
  const answered = new Set<PairKey>();
  const answers = new Map<Entry, Entry>();
  const abandon = (entry: Entry): void => {
    if (canBeAnswered(entry.item)) unanswered.add(entry);
    else removed.set(entry, "it has no output, and only its own client could give one");
  };
  let reply = 0;
  for (const [position, entry] of entries.entries()) {
    if (startsReply(entries, position)) reply += 1;
    const called = callKey(entry.item);
    const answer = answeredKey(entry.item);
    if (called !== undefined) {
      const first = open.get(called);
      if (!hasCallId(entry.item)) removed.set(entry, "it is a call without a call_id");
      else if (first?.reply === reply) removed.set(entry, `it has the call_id of items[${first.entry.index}], a call of the same reply`);
      else {
        if (first !== undefined) abandon(first.entry);
        open.set(called, { entry, reply });
      }
    } else if (answer !== undefined) {
      const call = open.get(answer);
      if (call !== undefined) answers.set(entry, call.entry);
      if (open.delete(answer)) answered.add(answer);
      else removed.set(entry, answered.has(answer) ? "its call has an output already" : "its call is not before it");
    }
  }
  for (const { entry } of open.values()) abandon(entry);
  return { removed, unanswered, answers };
}

const hasCallId = (item: Item): boolean => typeof item["call_id"] === "string" && item["call_id"] !== "";

const canBeAnswered = (item: Item): boolean => item.type === "function_call" || item.type === "custom_tool_call";

const missing = outcomeOutput(skipped("the history holds no output of it, so it counts as not executed."));

const missingOutput = (call: Item): Item => ({ type: answerType(call) as string, call_id: call["call_id"], output: missing });
