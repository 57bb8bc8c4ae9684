import type { Address } from "./address.js";

/** Where an order stands. */
export type OrderStatus = "processing" | "shipped" | "delivered" | "cancelled";

/** An order as the store keeps it. */
export interface Order {
  readonly orderId: string;
  readonly customer: string;
  readonly status: OrderStatus;
  /** ISO 8601 time in UTC. */
  readonly placedAt: string;
  /** Days until it arrives, as the carrier told last; 0 once it is delivered. */
  readonly deliveryDays: number;
  readonly address: Address;
  /** Why it was cancelled, if anybody said. */
  readonly cancelReason: string | null;
}

/** An order in a list: no address, since a list is no place for one. */
export interface OrderSummary {
  readonly orderId: string;
  readonly customer: string;
  readonly status: OrderStatus;
  readonly placedAt: string;
}

/** A new order. */
export type NewOrder = Omit<Order, "cancelReason">;

/** An article and how many of it there are. */
export interface StockItem {
  readonly sku: string;
  readonly title: string;
  readonly count: number;
}
