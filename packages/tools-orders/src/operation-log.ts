import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { QueryAnswer } from "@toolwright/core";
import { type CancelledOrder, type Former, type Operation, operationText, type RedirectedOrder } from "./operation.js";
import { alreadyUndone, keyReused } from "./order-errors.js";

/** An operation as it was recorded, in the transaction of its effect. */
export type RecordedOperation =
  | { readonly id: number; readonly undone: false; readonly result: CancelledOrder | RedirectedOrder; readonly former: Former }
  /** Also one that was undone before it was ever done. */
  | { readonly id: number; readonly undone: true };

interface OperationRow {
  readonly id: number;
  readonly kind: string;
  readonly arguments: string;
  readonly result: string | null;
  readonly former: string | null;
  readonly undoneAt: string | null;
}

/**
 * What was done under which idempotency key. It is written in the transaction of the effect, so an effect and its record are
 * both there or both not, whenever the process dies. Records are kept: a key that was forgotten could act twice.
 */
export class OperationLog {
  readonly #now: () => Date;
  readonly #find: StatementSync;
  readonly #later: StatementSync;
  readonly #insert: StatementSync;
  readonly #markUndone: StatementSync;

  constructor(database: DatabaseSync, now: () => Date) {
    this.#now = now;
    this.#find = database.prepare(
      "SELECT id, kind, arguments, result, former, undone_at AS undoneAt FROM operations WHERE idempotency_key = ?",
    );
    this.#later = database.prepare(
      "SELECT 1 FROM operations WHERE order_id = :orderId AND kind = :kind AND id > :id AND undone_at IS NULL LIMIT 1",
    );
    this.#insert = database.prepare(
      `INSERT INTO operations (idempotency_key, kind, order_id, arguments, result, former, recorded_at, undone_at)
       VALUES (:key, :kind, :orderId, :arguments, :result, :former, :now, :undoneAt)`,
    );
    this.#markUndone = database.prepare("UPDATE operations SET undone_at = :now WHERE id = :id");
  }

  /** @throws ToolError `ORDER_KEY_REUSED` when the key is that of another operation. */
  find(key: string, operation: Operation): RecordedOperation | undefined {
    // Written by this class, into a STRICT table.
    const row = this.#find.get(key) as OperationRow | undefined;
    if (row === undefined) return undefined;
    if (row.kind !== operation.kind || row.arguments !== operationText(operation)) throw keyReused();
    if (row.undoneAt !== null || row.result === null || row.former === null) return { id: row.id, undone: true };
    return {
      id: row.id,
      undone: false,
      result: JSON.parse(row.result) as CancelledOrder | RedirectedOrder,
      former: JSON.parse(row.former) as Former,
    };
  }

  /** The recorded result, for a key that acted already. */
  resultOf(key: string, operation: Operation): CancelledOrder | RedirectedOrder | undefined {
    const recorded = this.find(key, operation);
    if (recorded?.undone === true) throw alreadyUndone(operation.orderId);
    return recorded?.result;
  }

  answer(key: string, operation: Operation): QueryAnswer {
    const recorded = this.find(key, operation);
    return recorded === undefined || recorded.undone ? { absent: true } : { done: true, result: recorded.result };
  }

  /** True when an operation of the same kind on the same order came after it and still stands. */
  isOverlaid({ kind, orderId }: Operation, { id }: RecordedOperation): boolean {
    return this.#later.get({ kind, orderId, id }) !== undefined;
  }

  record(key: string, operation: Operation, result: CancelledOrder | RedirectedOrder, former: Former): void {
    this.#add(key, operation, JSON.stringify(result), JSON.stringify(former), null);
  }

  /** Uses a key up that never acted: whoever comes with it later finds it undone. */
  recordUndone(key: string, operation: Operation): void {
    this.#add(key, operation, null, null, this.#now().toISOString());
  }

  markUndone({ id }: RecordedOperation): void {
    this.#markUndone.run({ id, now: this.#now().toISOString() });
  }

  #add(key: string, operation: Operation, result: string | null, former: string | null, undoneAt: string | null): void {
    const { kind, orderId } = operation;
    const now = this.#now().toISOString();
    this.#insert.run({ key, kind, orderId, arguments: operationText(operation), result, former, now, undoneAt });
  }
}
