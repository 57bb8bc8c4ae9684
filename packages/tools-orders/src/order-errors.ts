import { ToolError } from "@toolwright/core";
import type { Order } from "./order.js";

// Their messages are for the model: no path, no SQL, and of what it sent only the id, cut short.
const shown = (id: string): string => JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);

export const orderNotFound = (orderId: string): ToolError =>
  new ToolError({
    code: "ORDER_NOT_FOUND",
    message: `There is no order ${shown(orderId)}. An id must be exact, capital letters included.`,
  });

/**
 * `ORDER_ALREADY_SHIPPED`, `ORDER_ALREADY_DELIVERED` or `ORDER_ALREADY_CANCELLED`.
 *
 * @param consequence - ends the message, e.g. `so it cannot be cancelled`
 */
export function orderAlready({ orderId, status }: Order, consequence: string): ToolError {
  return new ToolError({
    code: `ORDER_ALREADY_${status.toUpperCase()}`,
    message: `Order ${shown(orderId)} is already ${status}, ${consequence}.`,
  });
}

export const keyReused = (): ToolError =>
  new ToolError({
    code: "ORDER_KEY_REUSED",
    message: "The idempotency key of this call belongs to another operation. Nothing was changed.",
  });

export const alreadyUndone = (orderId: string): ToolError =>
  new ToolError({
    code: "ORDER_OPERATION_UNDONE",
    message: `This operation on order ${shown(orderId)} was undone, so it is not done again. Nothing was changed.`,
  });

export const changedSince = (orderId: string): ToolError =>
  new ToolError({
    code: "ORDER_CHANGED_SINCE",
    message: `Order ${shown(orderId)} was changed again after this operation, so it cannot be undone by itself. Undo the later change first.`,
  });

export const operationMissing = (orderId: string): ToolError =>
  new ToolError({
    code: "ORDER_OPERATION_MISSING",
    message: `An operation on order ${shown(orderId)} is said to be done, but this database has no record of it. Nothing was undone.`,
  });

export const databaseBusy = (waitedMs: number, cause: unknown): ToolError =>
  new ToolError({
    code: "ORDER_DATABASE_BUSY",
    message: `The order database was in use by others for ${waitedMs} ms. Nothing was changed.`,
    retryable: true,
    cause,
  });
