import type { Item } from "../contracts/item.js";
import { wireText } from "../run/history-wire.js";

interface Joined {
  readonly items: readonly Item[];
  readonly text: string;
}

// By the first item of an input: a step's input is the one before it with items added, so only these are joined anew.
const joined = new WeakMap<Item, Joined>();

/** The items of an input as the inside of a JSON array. */
export function inputText(input: readonly Item[]): string {
  const first = input[0];
  if (first === undefined) return "";
  const before = joined.get(first);
  const known = before !== undefined && startsWith(input, before.items) ? before : undefined;
  const added = (known === undefined ? input : input.slice(known.items.length)).map(wireText).join(",");
  const text = known === undefined ? added : added === "" ? known.text : `${known.text},${added}`;
  joined.set(first, { items: input, text });
  return text;
}

// Item by item, since a middleware may have put another one in the middle.
function startsWith(input: readonly Item[], start: readonly Item[]): boolean {
  if (start.length > input.length) return false;
  for (let index = 0; index < start.length; index += 1) if (input[index] !== start[index]) return false;
  return true;
}
