import type { Item } from "../contracts/item.js";
import { prefixDigests } from "./item-digest.js";

/** What stands for the beginning of a history. */
export type Summary = {
  /** Items that it stands for, from the first on. */
  covered: number;
  /** Of these items, so that it is never put in place of others. */
  digest: string;
  text: string;
};

const kept = 64;

/** Summaries made in this process: the next run on the same history begins with that of the one before. */
export class Summaries {
  readonly #texts = new Map<string, string>();

  keep({ digest, text }: Summary): void {
    this.#texts.delete(digest);
    this.#texts.set(digest, text);
    if (this.#texts.size > kept) this.#texts.delete(this.#texts.keys().next().value as string);
  }

  /** The one that stands for most of the items; undefined when there is none. */
  find(items: readonly Item[]): Summary | undefined {
    if (this.#texts.size === 0) return undefined;
    const digests = prefixDigests(items, items.length);
    for (let covered = items.length; covered > 0; covered -= 1) {
      const digest = digests[covered] as string;
      const text = this.#texts.get(digest);
      if (text !== undefined) return { covered, digest, text };
    }
    return undefined;
  }
}

/** Whether a summary is of the beginning of these items. */
export function isOf({ covered, digest }: Summary, items: readonly Item[]): boolean {
  return covered <= items.length && prefixDigests(items, covered)[covered] === digest;
}

/** A summary of the first items. */
export function summaryOf(items: readonly Item[], covered: number, text: string): Summary {
  return { covered, digest: prefixDigests(items, covered)[covered] as string, text };
}
