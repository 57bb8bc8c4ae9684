import type { DatabaseSync } from "node:sqlite";

const sqliteBusy = 5;

/** True for an error of SQLite that says that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  // Extended codes have the plain one in their low byte.
  return code === "ERR_SQLITE_ERROR" && typeof errcode === "number" && (errcode & 0xff) === sqliteBusy;
}

/** Runs `work` in a transaction that holds the write lock from its start: all of it happens, or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // After a full disk, for one, SQLite has rolled back itself; the first error is the one to tell.
  }
}

/** A number of the database file's header. */
export function readPragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
