import { setTimeout as sleep } from "node:timers/promises";
import { databaseBusy } from "./order-errors.js";
import { isBusy } from "./sqlite.js";

/** How long to wait for a lock, and what ends the waiting. */
export interface Patience {
  /** Milliseconds in all. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

const shortestPauseMs = 5;
const longestPauseMs = 50;

/**
 * Runs `work`, and again while SQLite says that another connection holds the lock. `work` must leave nothing behind when it
 * throws. SQLite would wait by itself, but by holding up the whole process, aborts included.
 *
 * @throws the signal's reason when it is aborted before `work` went through; ToolError `ORDER_DATABASE_BUSY`, retryable, when
 * the time is over.
 */
export async function whenFree<T>(work: () => T, { waitMs, signal }: Patience): Promise<T> {
  const end = performance.now() + waitMs;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    signal?.throwIfAborted();
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= end) throw databaseBusy(waitMs, error);
    }
    // Not all waiters at the same moments.
    await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
