import type { Item } from "../contracts/item.js";
import { wireText } from "../run/history-wire.js";

interface Known {
  readonly items: readonly Item[];
  /** The items as the inside of a JSON array. */
  readonly text: string;
}

// By the first item of an input: a step's input is the one before it with items added, so only these are joined anew.
const known = new WeakMap<Item, Known>();

const opening = '{"input":[';

/**
 * The body of a request: its input, then the other fields.
 *
 * @param fields - the rest of the body, as the inside of a JSON object.
 */
export function bodyText(input: readonly Item[], fields: string): string {
  const first = input[0];
  if (first === undefined) return `${opening}],${fields}}`;
  const before = known.get(first);
  const common = before !== undefined && startsWith(input, before.items) ? before : undefined;
  const added = (common === undefined ? input : input.slice(common.items.length)).map(wireText).join(",");
  const text = common === undefined ? added : added === "" ? common.text : `${common.text},${added}`;
  const body = `${opening}${text}],${fields}}`;
  // A part of the very body that is sent, which is one piece: what was only joined would be a chain of all its pieces, and
  // each request would have to walk along it.
  known.set(first, { items: input, text: body.slice(opening.length, opening.length + text.length) });
  return body;
}

// Item by item, since a middleware may have put another one in the middle.
function startsWith(input: readonly Item[], start: readonly Item[]): boolean {
  if (start.length > input.length) return false;
  for (let index = 0; index < start.length; index += 1) if (input[index] !== start[index]) return false;
  return true;
}
