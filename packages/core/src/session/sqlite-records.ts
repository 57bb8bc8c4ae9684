import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sessionBusy, sessionLost, stepOpen, stepUnknown } from "./session-errors.js";
import { holderName, isGone, type OwnerRow, thisPlace } from "./session-owner.js";
import type { SessionChange, StoredItems } from "./stored-session.js";

interface SessionRow {
  readonly number: number;
  readonly kept: number;
  readonly open_run: string | null;
  readonly open_step: number | null;
  readonly open_response: string | null;
  readonly open_from: number | null;
  readonly open_until: number | null;
  readonly paused_by: string | null;
  readonly owner: string | null;
}

type Prepared = { readonly [Name in keyof typeof statements]: StatementSync };

const statements = {
  create: "INSERT INTO sessions (id) VALUES (?) ON CONFLICT (id) DO NOTHING",
  find: "SELECT * FROM sessions WHERE id = ?",
  own: "UPDATE sessions SET owner = ?, owner_machine = ?, owner_process = ?, owner_thread = ?, owner_seen = ? WHERE number = ?",
  seen: "UPDATE sessions SET owner_seen = ? WHERE id = ? AND owner = ?",
  free: "UPDATE sessions SET owner = NULL, owner_machine = NULL, owner_process = NULL, owner_thread = NULL, owner_seen = NULL WHERE id = ? AND owner = ?",
  items: "SELECT item FROM items WHERE session = ? AND position < ? ORDER BY position",
  calls: "SELECT call_id, started, outcome FROM calls WHERE session = ?",
  countFrom: "SELECT count(*) AS count FROM items WHERE session = ? AND position >= ?",
  cutFrom: "DELETE FROM items WHERE session = ? AND position >= ?",
  add: "INSERT INTO items (session, position, item) VALUES (?, ?, ?)",
  keep: "UPDATE sessions SET kept = ? WHERE number = ?",
  open: "UPDATE sessions SET kept = ?, open_run = ?, open_step = ?, open_response = ?, open_from = ?, open_until = ? WHERE number = ?",
  pause: "UPDATE sessions SET kept = ?, paused_by = ? WHERE number = ?",
  finish: `UPDATE sessions SET kept = ?, open_run = NULL, open_step = NULL, open_response = NULL, open_from = NULL, open_until = NULL, paused_by = NULL
    WHERE number = ?`,
  start: `INSERT INTO calls (session, call_id, started, tool, arguments, idempotency_key) VALUES (?, ?, 1, ?, ?, ?) ON CONFLICT (session, call_id)
    DO UPDATE SET started = 1, tool = excluded.tool, arguments = excluded.arguments, idempotency_key = excluded.idempotency_key, outcome = NULL`,
  settle: `INSERT INTO calls (session, call_id, started, outcome) VALUES (?, ?, 0, ?)
    ON CONFLICT (session, call_id) DO UPDATE SET outcome = excluded.outcome`,
  forget: "DELETE FROM calls WHERE session = ?",
} as const;

/** What is read from and written to a file of sessions. Each writing method throws before it changes anything, or not at all. */
export class SessionRecords {
  readonly #prepared: Prepared;

  constructor(database: DatabaseSync) {
    this.#prepared = Object.fromEntries(Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)])) as Prepared;
  }

  read(id: string): StoredItems {
    const row = this.#find(id);
    if (row === undefined) return { items: [], open: undefined, calls: new Map() };
    const items = this.#prepared.items.all(row.number, row.kept).map(({ item }) => String(item));
    const calls = this.#prepared.calls.all(row.number).map(({ call_id: callId, started, outcome }) => {
      return [String(callId), { started: started === 1, outcome: outcome === null ? undefined : String(outcome) }] as const;
    });
    return { items, open: openStep(row), calls: new Map(calls) };
  }

  acquire(id: string, name: string, owner: string, forRun: boolean): void {
    this.#prepared.create.run(id);
    const row = this.#find(id) as SessionRow & OwnerRow; // it is there now; the owner's columns are set together
    const now = Date.now();
    if (row.owner !== null && !isGone(row, now)) throw sessionBusy(name, holderName(row));
    if (forRun) this.#prepared.cutFrom.run(row.number, row.kept);
    const place = thisPlace();
    this.#prepared.own.run(owner, place.owner_machine, place.owner_process, place.owner_thread, now, row.number);
  }

  seen(id: string, owner: string): void {
    this.#prepared.seen.run(Date.now(), id, owner);
  }

  release(id: string, owner: string): void {
    this.#prepared.free.run(id, owner);
  }

  apply(id: string, name: string, owner: string, change: SessionChange): void {
    const row = this.#find(id);
    if (row === undefined || row.owner !== owner) throw sessionLost(name);
    switch (change.type) {
      case "input":
        if (row.open_run !== null) throw stepOpen(name);
        this.#prepared.cutFrom.run(row.number, row.kept);
        this.#add(row.number, row.kept, change.items);
        return;
      case "reply":
        if (row.open_run !== null) throw stepOpen(name);
        return this.#reply(row, change);
      case "started":
        if (!isOpen(row, change)) throw stepUnknown(name);
        this.#prepared.start.run(row.number, change.callId, change.tool, change.arguments, change.idempotencyKey);
        return;
      case "outcome":
        // One that comes after its step is over changes nothing: the outputs are there.
        if (isOpen(row, change)) this.#prepared.settle.run(row.number, change.callId, change.outcome);
        return;
      case "outputs":
        if (!isOpen(row, change)) throw stepUnknown(name);
        return this.#outputs(row, change);
      default:
        return assertNever(change);
    }
  }

  #find(id: string): SessionRow | undefined {
    return this.#prepared.find.get(id) as SessionRow | undefined; // the columns of the table
  }

  #reply(row: SessionRow, { runId, step, responseId, items, hasCalls }: SessionChange & { type: "reply" }): void {
    const from = row.kept + Number(this.#prepared.countFrom.get(row.number, row.kept)?.["count"]);
    const until = this.#add(row.number, from, items);
    if (hasCalls) this.#prepared.open.run(until, runId, step, responseId ?? null, from, until, row.number);
    else this.#prepared.keep.run(until, row.number);
  }

  #outputs(row: SessionRow, { items, pausedBy }: SessionChange & { type: "outputs" }): void {
    const from = row.open_until as number; // set while a step is open
    this.#prepared.cutFrom.run(row.number, from);
    const until = this.#add(row.number, from, items);
    if (pausedBy !== undefined) {
      this.#prepared.pause.run(until, pausedBy, row.number);
      return;
    }
    this.#prepared.finish.run(until, row.number);
    this.#prepared.forget.run(row.number);
  }

  /** Gives the position after the last. */
  #add(session: number, from: number, items: readonly string[]): number {
    for (const [index, item] of items.entries()) this.#prepared.add.run(session, from + index, item);
    return from + items.length;
  }
}

function isOpen(row: SessionRow, { runId, step }: { readonly runId: string; readonly step: number }): boolean {
  return row.open_run === runId && row.open_step === step;
}

function openStep(row: SessionRow): StoredItems["open"] {
  const { open_run: runId, open_step: step, open_from: from, open_until: until } = row;
  if (runId === null || step === null || from === null || until === null) return undefined;
  return { runId, step, from, until, responseId: row.open_response ?? undefined, pausedBy: row.paused_by ?? undefined };
}

function assertNever(change: never): never {
  throw new Error(`Unknown change: ${JSON.stringify(change)}`);
}
