import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { openOrderStore } from "./index.js";

const directory = mkdtempSync(join(tmpdir(), "orders-open-"));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newPath = (): string => join(directory, `orders-${(files += 1)}.db`);

/** What version 1 made; a copy, since files of that version are out in the world. */
const versionOne = `
  PRAGMA application_id = 1417105266;
  PRAGMA user_version = 1;
  CREATE TABLE orders (
    order_id TEXT NOT NULL PRIMARY KEY,
    customer TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('processing', 'shipped', 'delivered', 'cancelled')),
    placed_at TEXT NOT NULL,
    delivery_days INTEGER NOT NULL CHECK (delivery_days >= 0),
    street TEXT NOT NULL,
    apartment TEXT,
    city TEXT NOT NULL,
    postal_code TEXT NOT NULL,
    country TEXT NOT NULL
  ) STRICT;
  CREATE INDEX orders_by_time ON orders (placed_at DESC, order_id);
  CREATE TABLE stock (
    sku TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count >= 0)
  ) STRICT;
  INSERT INTO orders VALUES ('OLD', 'Olga', 'processing', '2025-01-01T00:00:00.000Z', 9, 'Street 1', NULL, 'Town', '1', 'DE');`;

function fileWith(sql: string): string {
  const path = newPath();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

function numberOf(path: string, sql: string): number {
  const database = new DatabaseSync(path);
  const [value] = Object.values(database.prepare(sql).get() ?? {});
  database.close();
  return Number(value);
}

describe("openOrderStore", () => {
  it("is in memory with samples unless told otherwise, each store its own", async () => {
    using one = openOrderStore();
    using other = openOrderStore();
    await one.setStock({ sku: "BOOK-1", title: "Book", count: 99 });
    expect(await one.stock("BOOK-1")).toEqual({ sku: "BOOK-1", title: "Book", count: 99 });
    expect(await other.stock("BOOK-1")).toMatchObject({ count: 12 });
    using empty = openOrderStore({ sampleData: false });
    expect(await empty.search({ limit: 50 })).toEqual([]);
  });

  it("puts no samples into a file unless asked to, and none over data that is there", async () => {
    const path = newPath();
    {
      using store = openOrderStore({ path });
      expect(await store.search({ limit: 50 })).toEqual([]);
    }
    {
      using store = openOrderStore({ path, sampleData: true });
      expect(await store.search({ limit: 50 })).toHaveLength(6);
      await store.perform({ kind: "cancel", orderId: "A" }, { idempotencyKey: "k" });
    }
    using store = openOrderStore({ path, sampleData: true });
    expect(await store.order("A")).toMatchObject({ status: "cancelled" });
  });

  it("uses a write-ahead log in a file", () => {
    const path = newPath();
    openOrderStore({ path }).close();
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    database.close();
  });

  it("brings a database of version 1 up to date and keeps its orders", async () => {
    const path = fileWith(versionOne);
    {
      using store = openOrderStore({ path });
      expect(await store.order("OLD")).toMatchObject({ customer: "Olga", deliveryDays: 9, cancelReason: null });
      await store.perform({ kind: "cancel", orderId: "OLD", reason: "late" }, { idempotencyKey: "k" });
    }
    expect(numberOf(path, "PRAGMA user_version")).toBe(2);
    using again = openOrderStore({ path });
    expect(await again.order("OLD")).toMatchObject({ status: "cancelled", cancelReason: "late" });
  });

  it("makes the same tables whether a database is new or was migrated", () => {
    const schemaOf = (path: string): unknown => {
      openOrderStore({ path }).close();
      const database = new DatabaseSync(path);
      const tables = database
        .prepare("SELECT type, name, replace(replace(sql, char(10), ''), ' ', '') AS sql FROM sqlite_schema ORDER BY name")
        .all();
      database.close();
      return tables;
    };
    expect(schemaOf(fileWith(versionOne))).toEqual(schemaOf(newPath()));
  });

  it("leaves nothing of a migration that failed, and goes on from there the next time", async () => {
    const path = fileWith(`${versionOne} CREATE TABLE operations (unexpected TEXT);`);
    expect(() => openOrderStore({ path })).toThrow(expect.objectContaining({ code: "ORDERS_DATABASE_OPEN" }));
    expect(numberOf(path, "PRAGMA user_version")).toBe(1);
    expect(numberOf(path, "SELECT count(*) FROM pragma_table_info('orders') WHERE name = 'cancel_reason'")).toBe(0);
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE operations");
    database.close();
    using store = openOrderStore({ path });
    expect(await store.order("OLD")).toMatchObject({ customer: "Olga" });
  });

  it("refuses a database of a later release and leaves it as it is", () => {
    const path = newPath();
    openOrderStore({ path }).close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const before = readFileSync(path);
    expect(() => openOrderStore({ path, sampleData: true })).toThrow(
      expect.objectContaining({ code: "ORDERS_DATABASE_NEWER", message: expect.stringMatching(/version 3; .* up to 2\..*\nFix: Update /) }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each(["CREATE TABLE notes (text TEXT)", "PRAGMA user_version = 1", "PRAGMA application_id = 7; CREATE TABLE orders (id TEXT)"])(
    "refuses the database of another program (%s) and leaves it as it is",
    (sql) => {
      const path = fileWith(sql);
      const before = readFileSync(path);
      expect(() => openOrderStore({ path })).toThrow(expect.objectContaining({ code: "ORDERS_DATABASE_FOREIGN" }));
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  it("says what is wrong with a file that it cannot open", () => {
    const text = newPath();
    writeFileSync(text, "This is no database. ".repeat(100));
    for (const path of [text, join(directory, "missing", "orders.db"), directory]) {
      expect(() => openOrderStore({ path })).toThrow(
        expect.objectContaining({ code: "ORDERS_DATABASE_OPEN", retryable: false, message: expect.stringContaining(JSON.stringify(path)) }),
      );
    }
  });

  it("does not wait for a locked file longer than it may, and says that trying again may help", () => {
    const path = newPath();
    openOrderStore({ path }).close();
    const other = new DatabaseSync(path);
    other.exec("BEGIN EXCLUSIVE");
    expect(() => openOrderStore({ path, sampleData: true, busyTimeoutMs: 30 })).toThrow(
      expect.objectContaining({ code: "ORDERS_DATABASE_OPEN", retryable: true, message: expect.stringContaining("database is locked") }),
    );
    other.close();
    openOrderStore({ path, sampleData: true, busyTimeoutMs: 30 }).close();
  });

  it.each([{ path: "" }, { path: " " }, { busyTimeoutMs: -1 }, { busyTimeoutMs: 0.5 }, { busyTimeoutMs: 2 ** 31 }])(
    "refuses %j",
    (options) => {
      expect(() => openOrderStore(options)).toThrow(expect.objectContaining({ code: "RUN_OPTIONS" }));
    },
  );

  it("closes once, and rejects calls after that", async () => {
    const store = openOrderStore();
    store.close();
    store.close();
    await expect(store.stock("BOOK-1")).rejects.toMatchObject({ code: "ORDERS_STORE_CLOSED" });
    await expect(store.query({ kind: "cancel", orderId: "A" }, { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "ORDERS_STORE_CLOSED",
    });
  });
});
