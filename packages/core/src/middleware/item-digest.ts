import type { Item } from "../contracts/item.js";
import { wireText } from "../run/history-wire.js";
import { digest } from "./digest.js";

interface Link {
  readonly before: string;
  readonly after: string;
}

// Items are the same objects from step to step, so that each is read once.
const links = new WeakMap<Item, Link>();

/** Digests of the beginnings of a list of items: the one at `n` is of the first `n` of them. */
export function prefixDigests(items: readonly Item[], count: number): readonly string[] {
  const digests = [""];
  let before = "";
  for (let index = 0; index < count; index += 1) {
    const item = items[index] as Item;
    let link = links.get(item);
    if (link?.before !== before) links.set(item, (link = { before, after: digest(`${before} ${wireText(item)}`) }));
    digests.push((before = link.after));
  }
  return digests;
}
