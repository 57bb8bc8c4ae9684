import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Address, plainAddress } from "./address.js";
import type { NewOrder, Order, OrderStatus, OrderSummary, StockItem } from "./order.js";

/** One form for all spellings of a name that differ in case only; SQLite's own `lower` knows ASCII alone. */
const fold = (text: unknown): string => String(text).normalize("NFKC").toLowerCase();

const summaryColumns = "order_id AS orderId, customer, status, placed_at AS placedAt";
const addressColumns = "street, apartment, city, postal_code AS postalCode, country";

interface OrderRow extends Omit<Order, "address"> {
  readonly street: string;
  readonly apartment: string | null;
  readonly city: string;
  readonly postalCode: string;
  readonly country: string;
}

/** The statements on orders and stock, prepared once. Transactions are the caller's. */
export class OrderRows {
  readonly #find: StatementSync;
  readonly #search: StatementSync;
  readonly #insert: StatementSync;
  readonly #setStatus: StatementSync;
  readonly #setAddress: StatementSync;
  readonly #stock: StatementSync;
  readonly #setStock: StatementSync;

  constructor(database: DatabaseSync) {
    database.function("fold", { deterministic: true }, fold);
    this.#find = database.prepare(
      `SELECT ${summaryColumns}, delivery_days AS deliveryDays, cancel_reason AS cancelReason, ${addressColumns} FROM orders WHERE order_id = ?`,
    );
    this.#search = database.prepare(
      `SELECT ${summaryColumns} FROM orders
       WHERE (:customer IS NULL OR instr(fold(customer), fold(:customer)) > 0) AND (:status IS NULL OR status = :status)
       ORDER BY placed_at DESC, order_id LIMIT :limit`,
    );
    this.#insert = database.prepare(
      `INSERT INTO orders (order_id, customer, status, placed_at, delivery_days, street, apartment, city, postal_code, country)
       VALUES (:orderId, :customer, :status, :placedAt, :deliveryDays, :street, :apartment, :city, :postalCode, :country)`,
    );
    this.#setStatus = database.prepare("UPDATE orders SET status = :status, cancel_reason = :reason WHERE order_id = :orderId");
    this.#setAddress = database.prepare(
      `UPDATE orders SET street = :street, apartment = :apartment, city = :city, postal_code = :postalCode, country = :country
       WHERE order_id = :orderId`,
    );
    this.#stock = database.prepare("SELECT sku, title, count FROM stock WHERE sku = ?");
    this.#setStock = database.prepare(
      "INSERT INTO stock (sku, title, count) VALUES (:sku, :title, :count) ON CONFLICT DO UPDATE SET title = :title, count = :count",
    );
  }

  // The casts: STRICT tables hold nothing but the declared types, and the CHECKs nothing but the declared states.

  find(orderId: string): Order | undefined {
    const row = this.#find.get(orderId) as OrderRow | undefined;
    if (row === undefined) return undefined;
    const { street, apartment, city, postalCode, country, ...rest } = row;
    return { ...rest, address: plainAddress({ street, apartment: apartment ?? undefined, city, postalCode, country }) };
  }

  search(customer: string | undefined, status: OrderStatus | undefined, limit: number): readonly OrderSummary[] {
    const rows = this.#search.all({ customer: customer?.trim() ?? null, status: status ?? null, limit });
    // Rows have no prototype; plain objects compare and print as everybody expects.
    return rows.map((row) => ({ ...row })) as unknown as readonly OrderSummary[];
  }

  insert({ address, orderId, customer, status, placedAt, deliveryDays }: NewOrder): void {
    this.#insert.run({ orderId, customer, status, placedAt, deliveryDays, ...addressParameters(address) });
  }

  setStatus(orderId: string, status: OrderStatus, reason: string | null): void {
    this.#setStatus.run({ orderId, status, reason });
  }

  setAddress(orderId: string, address: Address): void {
    this.#setAddress.run({ orderId, ...addressParameters(address) });
  }

  stock(sku: string): StockItem | undefined {
    const row = this.#stock.get(sku);
    return row === undefined ? undefined : ({ ...row } as unknown as StockItem);
  }

  setStock({ sku, title, count }: StockItem): void {
    this.#setStock.run({ sku, title, count });
  }
}

function addressParameters({ street, apartment, city, postalCode, country }: Address): Record<string, string | null> {
  return { street, apartment: apartment ?? null, city, postalCode, country };
}
