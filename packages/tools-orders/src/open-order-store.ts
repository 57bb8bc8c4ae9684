import { DatabaseSync } from "node:sqlite";
import { ToolwrightError } from "@toolwright/core";
import { migrate } from "./migrations.js";
import { OrderRows } from "./order-rows.js";
import { OrderStore } from "./order-store.js";
import { sampleOrders, sampleStock } from "./sample-data.js";
import { inTransaction, isBusy } from "./sqlite.js";

/** Options of {@link openOrderStore}. */
export interface OrderStoreOptions {
  /** A file, made when there is none, in a directory that exists; or `":memory:"`, the default, which is gone when it is closed. */
  readonly path?: string | undefined;
  /** Puts sample orders and articles into a database that has neither. Default: true in memory, false in a file. */
  readonly sampleData?: boolean | undefined;
  /** Milliseconds that a call waits while another connection writes. Default 5 000. */
  readonly busyTimeoutMs?: number | undefined;
  /** The time for records. Default: now. */
  readonly now?: (() => Date) | undefined;
}

const inMemory = ":memory:";
/** What SQLite itself waits after opening, without yielding to anything else; the store waits on top, and yields. */
const ownWaitMs = 10;

/**
 * Opens a database of orders, makes it or brings it up to date. Several processes may have one file open at once.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; `ORDERS_DATABASE_OPEN` when the file cannot be opened or is no
 * database; `ORDERS_DATABASE_NEWER` when a later release wrote it; `ORDERS_DATABASE_FOREIGN` when another program did.
 */
export function openOrderStore(options: OrderStoreOptions = {}): OrderStore {
  const { path = inMemory, sampleData = path === inMemory, busyTimeoutMs = 5000, now = () => new Date() } = options;
  if (typeof path !== "string" || path.trim() === "") {
    throw new ToolwrightError("RUN_OPTIONS", `openOrderStore: \`path\` must be a file or "${inMemory}".`);
  }
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > 2 ** 31 - 1) {
    throw new ToolwrightError(
      "RUN_OPTIONS",
      `openOrderStore: \`busyTimeoutMs\` must be whole milliseconds from 0, not ${String(busyTimeoutMs)}.`,
    );
  }
  const database = attempt(path, () => new DatabaseSync(path));
  try {
    attempt(path, () => prepare(database, sampleData, busyTimeoutMs));
    return new OrderStore(database, { busyTimeoutMs, now });
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepare(database: DatabaseSync, sampleData: boolean, busyTimeoutMs: number): void {
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  migrate(database);
  useWriteAheadLog(database, busyTimeoutMs);
  if (sampleData) inTransaction(database, () => addSamples(database));
  database.exec(`PRAGMA busy_timeout = ${Math.min(ownWaitMs, busyTimeoutMs)}`);
}

// Readers and a writer then do not stop each other. FULL: what was answered survives a loss of power.
function useWriteAheadLog(database: DatabaseSync, busyTimeoutMs: number): void {
  database.exec("PRAGMA synchronous = FULL");
  const end = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      // In memory this changes nothing.
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      // The one statement for which SQLite does not wait by itself when several processes do it at once.
      if (!isBusy(error) || performance.now() >= end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ownWaitMs);
    }
  }
}

function addSamples(database: DatabaseSync): void {
  if (database.prepare("SELECT 1 FROM orders UNION ALL SELECT 1 FROM stock LIMIT 1").get() !== undefined) return;
  const rows = new OrderRows(database);
  for (const order of sampleOrders) rows.insert(order);
  for (const item of sampleStock) rows.setStock(item);
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (ToolwrightError.is(error)) throw error;
    const { errstr, message } = error as { errstr?: unknown; message?: unknown };
    throw new ToolwrightError(
      "ORDERS_DATABASE_OPEN",
      `The order database ${JSON.stringify(path)} could not be opened: ${String(errstr ?? message)}.`,
      {
        cause: error,
        retryable: isBusy(error),
        fix: "Check that its directory exists, that the file is an SQLite database or absent, and that no other process keeps it locked.",
      },
    );
  }
}
