import { Param, type QueryAnswer, Tool, type ToolContext, ToolError, type ToolOutcome } from "@toolwright/core";
import type { Address } from "./address.js";
import type { AddressChange, CancelledOrder, Cancellation, RedirectedOrder } from "./operation.js";
import type { OrderSummary } from "./order.js";
import { orderAlready, orderNotFound } from "./order-errors.js";
import type { OrderSearch } from "./order-search.js";
import type { OrderStore } from "./order-store.js";

/** When an order arrives. */
export interface Delivery {
  readonly orderId: string;
  /** Days from now. */
  readonly days: number;
}

/** How many of an article there are; an unknown one has no count. */
export type StockReport =
  | { readonly sku: string; readonly found: true; readonly count: number }
  | { readonly sku: string; readonly found: false; readonly count: null };

const longestReason = 500;

/** Orders of a shop: delivery, stock, search, cancellation, change of address. */
export class OrderTools implements Disposable {
  // A #private field: the store is neither printed nor part of any schema.
  readonly #store: OrderStore;

  /** @param store - from `openOrderStore()`. Disposing the tools closes it. */
  constructor(store: OrderStore) {
    this.#store = store;
  }

  /** Tells in how many days an order arrives. Use it for questions about when a delivery comes. */
  @Tool({ effect: "read", resource: "order:{orderId}", echo: ["orderId"] })
  async getDelivery(
    @Param("Id of the order, exactly as the customer or a search gives it, e.g. A") orderId: string,
    context: ToolContext,
  ): Promise<Delivery> {
    const order = await this.#store.order(orderId, context);
    if (order === undefined) throw orderNotFound(orderId);
    if (order.status === "delivered") throw orderAlready(order, "so there is no delivery to wait for");
    if (order.status === "cancelled") throw orderAlready(order, "so it will not be delivered");
    return { orderId: order.orderId, days: order.deliveryDays };
  }

  /** Tells how many pieces of an article are in stock. `found` is false for an article that does not exist; a count of 0 means that it is sold out. */
  @Tool({ effect: "read", echo: ["sku"] })
  async getStock(@Param("Stock-keeping unit of the article, exact, e.g. BOOK-1") sku: string, context: ToolContext): Promise<StockReport> {
    const item = await this.#store.stock(sku, context);
    return item === undefined ? { sku, found: false, count: null } : { sku: item.sku, found: true, count: item.count };
  }

  /** Finds orders by customer and state, newest first. Use it when the id of an order is not known. */
  @Tool({ effect: "read" })
  async searchOrders(search: OrderSearch, context: ToolContext): Promise<readonly OrderSummary[]> {
    return this.#store.search(search, context);
  }

  /** Cancels an order that is still being processed. Use it only when the customer asks for it. */
  @Tool({
    effect: "destructive",
    resource: "order:{orderId}",
    idempotent: true,
    query: "queryCancelOrder",
    compensate: "reopenOrder",
    echo: ["orderId"],
  })
  async cancelOrder(
    @Param("Id of the order, exact, e.g. A") orderId: string,
    @Param("Why the customer cancels, in a few words") reason: string | undefined,
    context: ToolContext,
  ): Promise<CancelledOrder> {
    return this.#store.perform(cancellation(orderId, reason), context);
  }

  /** Whether a call of `cancelOrder` took effect. */
  async queryCancelOrder(orderId: string, reason: string | undefined, context: ToolContext): Promise<QueryAnswer> {
    return this.#store.query(cancellation(orderId, reason), context);
  }

  /** Undoes a call of `cancelOrder`. */
  async reopenOrder(orderId: string, reason: string | undefined, outcome: ToolOutcome, context: ToolContext): Promise<void> {
    return this.#store.undo(cancellation(orderId, reason), undoOptions(outcome, context));
  }

  /** Changes the address that an order goes to, as long as it is still being processed. */
  @Tool({
    effect: "write",
    resource: "order:{orderId}",
    idempotent: true,
    query: "queryChangeAddress",
    compensate: "restoreAddress",
    echo: ["orderId"],
  })
  async changeAddress(
    @Param("Id of the order, exact, e.g. A") orderId: string,
    @Param("The whole new address") address: Address,
    context: ToolContext,
  ): Promise<RedirectedOrder> {
    return this.#store.perform(addressChange(orderId, address), context);
  }

  /** Whether a call of `changeAddress` took effect. */
  async queryChangeAddress(orderId: string, address: Address, context: ToolContext): Promise<QueryAnswer> {
    return this.#store.query(addressChange(orderId, address), context);
  }

  /** Undoes a call of `changeAddress`. */
  async restoreAddress(orderId: string, address: Address, outcome: ToolOutcome, context: ToolContext): Promise<void> {
    return this.#store.undo(addressChange(orderId, address), undoOptions(outcome, context));
  }

  /** Closes the store. */
  [Symbol.dispose](): void {
    this.#store.close();
  }
}

function cancellation(orderId: string, reason: string | undefined): Cancellation {
  const text = reason?.trim();
  if (text !== undefined && text.length > longestReason) {
    throw new ToolError({ code: "ORDER_REASON", message: `\`reason\` has more than ${longestReason} characters: say it in a few words.` });
  }
  return { kind: "cancel", orderId, reason: text === "" ? undefined : text };
}

const addressChange = (orderId: string, address: Address): AddressChange => ({ kind: "change_address", orderId, address });

const undoOptions = ({ kind }: ToolOutcome, { idempotencyKey, signal }: ToolContext) => ({
  idempotencyKey,
  signal,
  wasDone: kind === "ok",
});
