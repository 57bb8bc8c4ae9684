import type { DatabaseSync } from "node:sqlite";
import { ToolwrightError } from "@toolwright/core";
import { inTransaction, readPragma } from "./sqlite.js";

/** Marks a file as an order database ("TwOr"), so that no other program's file is ever migrated. */
const applicationId = 0x54_77_4f_72;

interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** In order, one version each. One that was published never changes again: what it made is in people's files. */
const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
      PRAGMA application_id = ${applicationId};
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
      ) STRICT;`,
  },
  {
    version: 2,
    // An operation without a result was undone before it was done: its key is used up.
    sql: `
      ALTER TABLE orders ADD COLUMN cancel_reason TEXT;
      CREATE TABLE operations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        idempotency_key TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL CHECK (kind IN ('cancel', 'change_address')),
        order_id TEXT NOT NULL,
        arguments TEXT NOT NULL,
        result TEXT,
        former TEXT,
        recorded_at TEXT NOT NULL,
        undone_at TEXT,
        CHECK (undone_at IS NOT NULL OR (result IS NOT NULL AND former IS NOT NULL))
      ) STRICT;
      CREATE INDEX operations_by_order ON operations (order_id, kind, id);`,
  },
];

/** The version that this release of the package reads and writes. */
const schemaVersion = migrations.length;

/**
 * Brings a database to the present version, each migration in a transaction of its own. A database that is there already is
 * left alone; several processes may do this at once.
 *
 * @throws ToolwrightError `ORDERS_DATABASE_NEWER` for a database of a later release, `ORDERS_DATABASE_FOREIGN` for one that is
 * not an order database.
 */
export function migrate(database: DatabaseSync): void {
  while (!isCurrent(database)) inTransaction(database, () => step(database));
}

function isCurrent(database: DatabaseSync): boolean {
  return readPragma(database, "application_id") === applicationId && readPragma(database, "user_version") === schemaVersion;
}

// Looks again under the lock: another process may have been faster.
function step(database: DatabaseSync): void {
  const version = readPragma(database, "user_version");
  if (readPragma(database, "application_id") !== applicationId && (version !== 0 || !isEmpty(database))) {
    throw new ToolwrightError("ORDERS_DATABASE_FOREIGN", "The file is a database of another program; it was left as it is.", {
      fix: "Give `path` another file, or one that does not exist yet.",
    });
  }
  if (version > schemaVersion) {
    throw new ToolwrightError(
      "ORDERS_DATABASE_NEWER",
      `The database has schema version ${version}; this release of @toolwright/tools-orders knows versions up to ${schemaVersion}. It was left as it is.`,
      { fix: "Update @toolwright/tools-orders, or use another file.", details: { version, known: schemaVersion } },
    );
  }
  const next = migrations[version];
  if (next === undefined) return;
  database.exec(next.sql);
  database.exec(`PRAGMA user_version = ${next.version}`);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}
