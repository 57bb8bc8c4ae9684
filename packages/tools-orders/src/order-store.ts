import type { DatabaseSync } from "node:sqlite";
import { type QueryAnswer, ToolwrightError } from "@toolwright/core";
import { plainAddress } from "./address.js";
import type { AddressChange, CancelledOrder, Cancellation, Former, Operation, RedirectedOrder } from "./operation.js";
import { OperationLog, type RecordedOperation } from "./operation-log.js";
import type { NewOrder, Order, OrderSummary, StockItem } from "./order.js";
import { changedSince, operationMissing, orderAlready, orderNotFound } from "./order-errors.js";
import { OrderRows } from "./order-rows.js";
import type { OrderSearch } from "./order-search.js";
import { inTransaction } from "./sqlite.js";
import { whenFree } from "./when-free.js";

/** Options of every method of {@link OrderStore}. */
export interface StoreOptions {
  /** Ends the waiting for a database that others use. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of the methods that are about one operation. */
export interface OperationOptions extends StoreOptions {
  /** Names the operation: the same key acts once. A tool takes it from its `ToolContext`. */
  readonly idempotencyKey: string;
}

/**
 * Orders and stock in an SQLite database. Make one with `openOrderStore()`.
 *
 * Every method waits while another connection writes, up to `busyTimeoutMs`, and then throws the retryable ToolError
 * `ORDER_DATABASE_BUSY`. An operation and the record of it are one transaction: after a crash at any moment both are there or
 * both are not.
 */
export class OrderStore implements Disposable {
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #rows: OrderRows;
  readonly #log: OperationLog;
  #open = true;

  /** @param database - already migrated, and the store's own from now on */
  constructor(database: DatabaseSync, options: { readonly busyTimeoutMs: number; readonly now: () => Date }) {
    this.#database = database;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#rows = new OrderRows(database);
    this.#log = new OperationLog(database, options.now);
  }

  /** The order of an id, or undefined. */
  order(orderId: string, options: StoreOptions = {}): Promise<Order | undefined> {
    return this.#read(() => this.#rows.find(orderId), options);
  }

  /** The article of a stock-keeping unit, or undefined. */
  stock(sku: string, options: StoreOptions = {}): Promise<StockItem | undefined> {
    return this.#read(() => this.#rows.stock(sku), options);
  }

  /** Orders that fit, newest first. */
  search({ customer, status, limit }: OrderSearch, options: StoreOptions = {}): Promise<readonly OrderSummary[]> {
    return this.#read(() => this.#rows.search(customer, status, limit), options);
  }

  /** Adds an order. Rejects when there is one of that id already. */
  addOrder(order: NewOrder, options: StoreOptions = {}): Promise<void> {
    return this.#write(() => this.#rows.insert(order), options);
  }

  /** Sets title and count of an article, known or new. */
  setStock(item: StockItem, options: StoreOptions = {}): Promise<void> {
    return this.#write(() => this.#rows.setStock(item), options);
  }

  /**
   * Does an operation, once per idempotency key: the same key again gives the recorded result and changes nothing.
   *
   * @throws ToolError `ORDER_NOT_FOUND`, `ORDER_ALREADY_SHIPPED`, `ORDER_ALREADY_DELIVERED`, `ORDER_ALREADY_CANCELLED`,
   * `ORDER_KEY_REUSED` (the key is another operation's), `ORDER_OPERATION_UNDONE`; with each of them nothing was changed.
   */
  perform(operation: Cancellation, options: OperationOptions): Promise<CancelledOrder>;
  perform(operation: AddressChange, options: OperationOptions): Promise<RedirectedOrder>;
  perform(operation: Operation, options: OperationOptions): Promise<CancelledOrder | RedirectedOrder> {
    const key = checkedKey(options);
    return this.#write(() => {
      const known = this.#log.resultOf(key, operation);
      if (known !== undefined) return known;
      const { result, former } = this.#apply(operation);
      this.#log.record(key, operation, result, former);
      return result;
    }, options);
  }

  /**
   * Whether an operation was done under its key. One that was undone is absent; one that another connection is about to
   * commit is waited for.
   *
   * @throws ToolError `ORDER_KEY_REUSED` when the key is another operation's.
   */
  query(operation: Operation, options: OperationOptions): Promise<QueryAnswer> {
    const key = checkedKey(options);
    return this.#write(() => this.#log.answer(key, operation), options);
  }

  /**
   * Undoes an operation; doing so twice is doing so once. One that was never done uses its key up, so that an attempt that
   * was held up somewhere does nothing when it arrives.
   *
   * @param options.wasDone - true when the operation is known to be done: then a missing record is an error
   * @throws ToolError `ORDER_CHANGED_SINCE`, `ORDER_ALREADY_SHIPPED`, `ORDER_ALREADY_DELIVERED`, `ORDER_NOT_FOUND`,
   * `ORDER_OPERATION_MISSING`, `ORDER_KEY_REUSED`; with each of them nothing was changed.
   */
  undo(operation: Operation, options: OperationOptions & { readonly wasDone?: boolean | undefined }): Promise<void> {
    const key = checkedKey(options);
    return this.#write(() => {
      const recorded = this.#log.find(key, operation);
      if (recorded === undefined) {
        if (options.wasDone === true) throw operationMissing(operation.orderId);
        this.#log.recordUndone(key, operation);
      } else if (!recorded.undone) {
        this.#restore(operation, recorded, recorded.former);
        this.#log.markUndone(recorded);
      }
    }, options);
  }

  /** Closes the database. Calls that still wait are rejected; closing twice is closing once. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #apply(operation: Operation): { readonly result: CancelledOrder | RedirectedOrder; readonly former: Former } {
    const { orderId } = operation;
    const order = this.#existing(orderId);
    switch (operation.kind) {
      case "cancel": {
        if (order.status !== "processing") throw orderAlready(order, "so it cannot be cancelled");
        const reason = operation.reason ?? null;
        this.#rows.setStatus(orderId, "cancelled", reason);
        return { result: { orderId, status: "cancelled", reason }, former: { status: order.status } };
      }
      case "change_address": {
        if (order.status !== "processing") throw orderAlready(order, "so its address cannot be changed");
        const address = plainAddress(operation.address);
        this.#rows.setAddress(orderId, address);
        return { result: { orderId, address }, former: { address: order.address } };
      }
    }
  }

  #restore(operation: Operation, recorded: RecordedOperation, former: Former): void {
    const { orderId } = operation;
    const order = this.#existing(orderId);
    if (this.#log.isOverlaid(operation, recorded)) throw changedSince(orderId);
    if ("status" in former) {
      if (order.status !== "cancelled") throw changedSince(orderId);
      this.#rows.setStatus(orderId, former.status, null);
      return;
    }
    if (order.status === "shipped" || order.status === "delivered") throw orderAlready(order, "so its former address cannot be restored");
    if (operation.kind === "change_address" && !sameAddress(order.address, operation.address)) throw changedSince(orderId);
    this.#rows.setAddress(orderId, former.address);
  }

  #existing(orderId: string): Order {
    const order = this.#rows.find(orderId);
    if (order === undefined) throw orderNotFound(orderId);
    return order;
  }

  #read<T>(work: () => T, { signal }: StoreOptions): Promise<T> {
    return whenFree(
      () => {
        if (!this.#open)
          throw new ToolwrightError("ORDERS_STORE_CLOSED", "The order store is closed.", { fix: "Close it after the last call." });
        return work();
      },
      { waitMs: this.#busyTimeoutMs, signal },
    );
  }

  #write<T>(work: () => T, options: StoreOptions): Promise<T> {
    return this.#read(() => inTransaction(this.#database, work), options);
  }
}

function checkedKey({ idempotencyKey }: OperationOptions): string {
  if (typeof idempotencyKey === "string" && idempotencyKey !== "") return idempotencyKey;
  throw new ToolwrightError("RUN_OPTIONS", "OrderStore: `idempotencyKey` must be a text that is not empty.");
}

const sameAddress = (one: AddressChange["address"], other: AddressChange["address"]): boolean =>
  JSON.stringify(plainAddress(one)) === JSON.stringify(plainAddress(other));
