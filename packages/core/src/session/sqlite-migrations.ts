import type { DatabaseSync } from "node:sqlite";
import { sessionError } from "./session-errors.js";

/** Marks a file as one of sessions ("TwSe"), so that no other program's file is ever changed. */
const applicationId = 0x54_77_53_65;

/**
 * In order, one version each. One that was published never changes again: what it made is in people's files.
 *
 * Items at positions from `kept` on are input without a reply yet. `open_…` is the step whose calls are not all answered:
 * its reply stands at positions `open_from` to before `open_until`, outputs from before a pause after it. `owner…` is the
 * run that has the session.
 */
const migrations: readonly string[] = [
  `PRAGMA application_id = ${applicationId};
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept >= 0),
    open_run TEXT,
    open_step INTEGER,
    open_response TEXT,
    open_from INTEGER,
    open_until INTEGER,
    paused_by TEXT,
    owner TEXT,
    owner_machine TEXT,
    owner_process INTEGER,
    owner_thread INTEGER,
    owner_seen INTEGER,
    CHECK ((open_run IS NULL) = (open_step IS NULL) AND (open_run IS NULL) = (open_from IS NULL) AND (open_run IS NULL) = (open_until IS NULL)),
    CHECK (open_run IS NOT NULL OR paused_by IS NULL)
  ) STRICT;
  CREATE TABLE items (
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item TEXT NOT NULL,
    PRIMARY KEY (session, position)
  ) STRICT;
  CREATE TABLE calls (
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    started INTEGER NOT NULL CHECK (started IN (0, 1)),
    tool TEXT,
    arguments TEXT,
    idempotency_key TEXT,
    outcome TEXT,
    PRIMARY KEY (session, call_id)
  ) STRICT;`,
];

/**
 * Brings a file to the present version, each migration in a transaction of its own. Several processes may do this at once.
 *
 * @throws ToolwrightError `RUN_SESSION` for a file of a later release or of another program.
 */
export function migrate(database: DatabaseSync): void {
  while (!isCurrent(database)) {
    database.exec("BEGIN IMMEDIATE");
    try {
      migrateOnce(database);
      database.exec("COMMIT");
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}

/** Undoes what there is to undo: SQLite may have done so itself, and the first error is the one to tell. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There is no transaction any more.
  }
}

const pragma = (database: DatabaseSync, name: "application_id" | "user_version"): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);

function isCurrent(database: DatabaseSync): boolean {
  return pragma(database, "application_id") === applicationId && pragma(database, "user_version") === migrations.length;
}

// Looks again under the lock: another process may have been faster.
function migrateOnce(database: DatabaseSync): void {
  const version = pragma(database, "user_version");
  const isEmpty = version === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (pragma(database, "application_id") !== applicationId && !isEmpty) {
    throw sessionError(
      "The file is a database of another program; it was left as it is.",
      "Give `path` another file, or one that does not exist yet.",
    );
  }
  if (version > migrations.length) {
    throw sessionError(
      `The file has version ${version}; this release of @toolwright/core knows versions up to ${migrations.length}. It was left as it is.`,
      "Update @toolwright/core, or use another file.",
      { details: { version, known: migrations.length } },
    );
  }
  const next = migrations[version];
  if (next === undefined) return;
  database.exec(next);
  database.exec(`PRAGMA user_version = ${version + 1}`);
}
