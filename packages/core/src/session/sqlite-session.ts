import type { Session } from "../contracts/history.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { SessionDatabase } from "./sqlite-database.js";
import { SqliteBackend } from "./sqlite-backend.js";
import { StoredSession } from "./stored-session.js";

/** Options of {@link sqliteSession}. */
export interface SqliteSessionOptions {
  /** A file, made when there is none, in a directory that exists. It holds any number of sessions. */
  readonly path: string;
  /** Names the session in the file, e.g. the id of a chat. */
  readonly id: string;
  /** Milliseconds that a record waits while another process writes to the file. Default 5 000. */
  readonly busyTimeoutMs?: number | undefined;
}

/** A session in a file. */
export interface SqliteSession extends Session, Disposable {
  /** Lets go of the file. Records after that are refused. */
  close(): void;
}

/**
 * Opens a session in an SQLite file, through Node's own `node:sqlite`. What is recorded survives the end of the process and
 * a loss of power; the next run on the session settles a step that was cut off: calls that had not started run, finished
 * ones are kept, and a write that had started is `unknown` and never repeated.
 *
 * One run at a time has the session, in this process and among all on this machine; a second is refused with
 * `RUN_SESSION_BUSY`. A run whose process has died, or has not answered for 30 seconds, loses it to the next one. The file
 * must be on a local disk.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; `RUN_SESSION` when the file cannot be opened, belongs to another
 * program or a later release, or this runtime has no `node:sqlite`.
 * @example
 * using session = sqliteSession({ path: "chats.db", id: chatId });
 * await agent.run(question, { history: { kind: "local", session } });
 */
export function sqliteSession(options: SqliteSessionOptions): SqliteSession {
  const { path, id, busyTimeoutMs = 5000 } = checked(options);
  const file = process.getBuiltinModule?.("node:path").resolve(path) ?? path;
  return new OpenSqliteSession(SessionDatabase.open(file, busyTimeoutMs), id, busyTimeoutMs);
}

class OpenSqliteSession extends StoredSession implements SqliteSession {
  readonly #backend: SqliteBackend;

  constructor(database: SessionDatabase, id: string, busyTimeoutMs: number) {
    const backend = new SqliteBackend(database, id, busyTimeoutMs);
    super(backend);
    this.#backend = backend;
  }

  close(): void {
    this.#backend.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function checked(options: SqliteSessionOptions): SqliteSessionOptions {
  const { path, id, busyTimeoutMs } = options ?? {};
  if (typeof path !== "string" || path.trim() === "" || path === ":memory:")
    throw wrong("path", path, "Pass a file's path; for a session in memory there is `memorySession()`.");
  if (typeof id !== "string" || id === "" || !id.isWellFormed())
    throw wrong("id", id, "Pass a text that names the session, e.g. the id of a chat.");
  const isTime = busyTimeoutMs === undefined || (Number.isInteger(busyTimeoutMs) && busyTimeoutMs >= 0 && busyTimeoutMs < 2 ** 31);
  if (!isTime) throw wrong("busyTimeoutMs", busyTimeoutMs, "Pass whole milliseconds from 0.");
  return options;
}

const wrong = (name: string, value: unknown, fix: string): ToolwrightError =>
  new ToolwrightError(
    "RUN_OPTIONS",
    `sqliteSession: \`${name}\` is ${typeof value === "string" ? JSON.stringify(value) : String(value)}.`,
    { fix },
  );
