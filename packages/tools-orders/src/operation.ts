import { type Address, plainAddress } from "./address.js";

/** Cancels an order. */
export interface Cancellation {
  readonly kind: "cancel";
  readonly orderId: string;
  readonly reason?: string | undefined;
}

/** Sends an order somewhere else. */
export interface AddressChange {
  readonly kind: "change_address";
  readonly orderId: string;
  readonly address: Address;
}

/** A change of an order that happens once per idempotency key, can be asked about, and can be undone. */
export type Operation = Cancellation | AddressChange;

/** What a cancellation came to. */
export interface CancelledOrder {
  readonly orderId: string;
  readonly status: "cancelled";
  readonly reason: string | null;
}

/** What a change of address came to. */
export interface RedirectedOrder {
  readonly orderId: string;
  readonly address: Address;
}

/** What was there before: enough to undo the operation. */
export type Former = { readonly status: "processing" } | { readonly address: Address };

/** The operation as text: equal for equal operations, whatever the order of keys or the class of the address. */
export function operationText(operation: Operation): string {
  const { kind, orderId } = operation;
  return JSON.stringify(kind === "cancel" ? [orderId, operation.reason ?? null] : [orderId, plainAddress(operation.address)]);
}
