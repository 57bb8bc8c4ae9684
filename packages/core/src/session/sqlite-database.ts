import type * as Sqlite from "node:sqlite";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { sessionError } from "./session-errors.js";
import { migrate, rollBack } from "./sqlite-migrations.js";
import { SessionRecords } from "./sqlite-records.js";

/** What SQLite itself waits for a lock, holding up this thread; more is waited by timers. */
const ownWaitMs = 10;
const pauseMs = 15;

interface Job {
  readonly work: (file: SessionDatabase) => unknown;
  readonly deadline: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * A file of sessions, opened once in a thread however many sessions use it. Writes that are asked for at about the same
 * time share a transaction, since making one durable costs far more than making it larger.
 */
export class SessionDatabase {
  readonly path: string;
  readonly records: SessionRecords;
  readonly #database: Sqlite.DatabaseSync;
  #users = 1;
  #queue: Job[] = [];
  #flushing = false;

  private constructor(path: string, database: Sqlite.DatabaseSync) {
    this.path = path;
    this.#database = database;
    this.records = new SessionRecords(database);
  }

  /** Give back each with {@link close}. @throws ToolwrightError `RUN_SESSION`. */
  static open(path: string, busyTimeoutMs: number): SessionDatabase {
    const known = open.get(path);
    if (known !== undefined) {
      known.#users += 1;
      return known;
    }
    const opened = new SessionDatabase(path, openFile(path, busyTimeoutMs));
    open.set(path, opened);
    return opened;
  }

  /**
   * Runs `work` in a transaction that holds the write lock, and resolves when it is durable. It must throw before it
   * changes anything, or not at all: others share the transaction.
   *
   * @throws what `work` throws; ToolwrightError `RUN_SESSION` when another process keeps the lock for `waitMs`.
   */
  write<T>(work: (file: SessionDatabase) => T, waitMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      // The job's value is what `work` gives.
      this.#queue.push({ work, deadline: performance.now() + waitMs, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Several statements that see one state of the file. @throws ToolwrightError `RUN_SESSION`. */
  read<T>(work: (file: SessionDatabase) => T): T {
    try {
      this.#database.exec("BEGIN");
      const result = work(this);
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      rollBack(this.#database);
      throw asSessionError(this.path, error);
    }
  }

  /** Does what is still to be done; the last user's closes the file. */
  close(): void {
    this.#flush();
    this.#users -= 1;
    if (this.#users > 0) return;
    open.delete(this.path);
    for (const job of this.#queue.splice(0))
      job.reject(sessionError(`The session's file ${this.path} was closed.`, "Close it when its runs have ended."));
    this.#database.close();
  }

  #schedule(afterMs = 0): void {
    if (this.#flushing) return;
    this.#flushing = true;
    const flush = (): void => {
      this.#flushing = false;
      this.#flush();
    };
    if (afterMs === 0) setImmediate(flush);
    else setTimeout(flush, afterMs);
  }

  #flush(): void {
    if (this.#queue.length === 0 || this.#users === 0) return;
    const jobs = this.#queue.splice(0);
    const settle: (() => void)[] = [];
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const job of jobs) settle.push(attempt(job, this));
      this.#database.exec("COMMIT");
    } catch (error) {
      rollBack(this.#database);
      this.#failed(jobs, error);
      return;
    }
    for (const done of settle) done();
  }

  #failed(jobs: readonly Job[], error: unknown): void {
    const now = performance.now();
    const waits = jobs.filter((job) => isBusy(error) && job.deadline > now);
    for (const job of jobs) if (!waits.includes(job)) job.reject(asSessionError(this.path, error));
    this.#queue.unshift(...waits);
    if (waits.length > 0) this.#schedule(pauseMs);
  }
}

const open = new Map<string, SessionDatabase>();

// A refusal of one job is that job's alone; what SQLite throws undoes the whole transaction.
function attempt(job: Job, file: SessionDatabase): () => void {
  try {
    const value = job.work(file);
    return () => job.resolve(value);
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return () => job.reject(error);
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  // Extended codes have the plain one in their low byte.
  return typeof errcode === "number" && (errcode & 0xff) === sqliteBusy;
}

function openFile(path: string, busyTimeoutMs: number): Sqlite.DatabaseSync {
  const { DatabaseSync } = sqlite();
  let database: Sqlite.DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    prepare(database, busyTimeoutMs);
    return database;
  } catch (error) {
    database?.close();
    throw asSessionError(path, error);
  }
}

// Loaded here, so that importing this package does not load it.
function sqlite(): typeof Sqlite {
  // Typed as if it were always there; before Node 22.13 it is not, or hidden behind a flag.
  const found = process.getBuiltinModule?.("node:sqlite") as typeof Sqlite | undefined;
  if (found !== undefined) return found;
  throw sessionError(
    `This ${process.title || "runtime"} (${process.version}) has no node:sqlite.`,
    "Use Node 22.13 or later, or `memorySession()`.",
  );
}

function prepare(database: Sqlite.DatabaseSync, busyTimeoutMs: number): void {
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  migrate(database);
  // FULL: what was answered survives a loss of power.
  database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  useWriteAheadLog(database, busyTimeoutMs);
  database.exec(`PRAGMA busy_timeout = ${Math.min(ownWaitMs, busyTimeoutMs)}`);
}

// Readers and a writer then do not stop each other. The one statement for which SQLite does not wait by itself.
function useWriteAheadLog(database: Sqlite.DatabaseSync, busyTimeoutMs: number): void {
  const end = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ownWaitMs);
    }
  }
}

function asSessionError(path: string, error: unknown): unknown {
  if (ToolwrightError.is(error)) return error;
  const { errstr, message } = error as { readonly errstr?: unknown; readonly message?: unknown };
  return sessionError(
    `The session's file ${path} cannot be used: ${String(errstr ?? message)}.`,
    "Check that its directory exists and has room, that the file is one of sessions or absent, and that no other process keeps it locked.",
    { cause: error, retryable: isBusy(error) },
  );
}
