import { sessionError } from "./session-errors.js";
import { addOwner, heartbeatMs, removeOwner } from "./session-owner.js";
import type { SessionDatabase } from "./sqlite-database.js";
import type { SessionBackend, SessionChange, StoredItems } from "./stored-session.js";

/** A file that is locked must not hold up the end of a run. */
const releaseWaitMs = 25;

/** One session in a file. */
export class SqliteBackend implements SessionBackend {
  readonly #file: SessionDatabase;
  readonly #id: string;
  readonly #name: string;
  readonly #waitMs: number;
  /** Runs that have the session through this object, and the timers that tell that they live. */
  readonly #held = new Map<string, NodeJS.Timeout>();
  #closed = false;

  constructor(file: SessionDatabase, id: string, waitMs: number) {
    this.#file = file;
    this.#id = id;
    this.#name = `The session ${JSON.stringify(id)}`;
    this.#waitMs = waitMs;
  }

  async read(): Promise<StoredItems> {
    this.#assertOpen();
    return this.#file.read(({ records }) => records.read(this.#id));
  }

  async acquire(owner: string, forRun: boolean): Promise<void> {
    this.#assertOpen();
    await this.#file.write(({ records }) => {
      records.acquire(this.#id, this.#name, owner, forRun);
      addOwner(owner);
    }, this.#waitMs);
    const beat = (): void => void this.#file.write(({ records }) => records.seen(this.#id, owner), this.#waitMs).catch(() => {});
    this.#held.set(owner, setInterval(beat, heartbeatMs).unref());
  }

  async apply(owner: string, change: SessionChange): Promise<void> {
    this.#assertOpen();
    await this.#file.write(({ records }) => records.apply(this.#id, this.#name, owner, change), this.#waitMs);
  }

  async release(owner: string): Promise<void> {
    clearInterval(this.#held.get(owner));
    if (!this.#held.delete(owner)) return;
    // From now on it counts as free in this thread, whenever the file says so.
    removeOwner(owner);
    const written = this.#file.write(({ records }) => records.release(this.#id, owner), this.#waitMs);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([written, new Promise((resolve) => (timer = setTimeout(resolve, releaseWaitMs)))]);
    clearTimeout(timer);
    written.catch(() => {});
  }

  close(): void {
    if (this.#closed) return;
    for (const owner of this.#held.keys()) this.release(owner).catch(() => {});
    this.#closed = true;
    this.#file.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw sessionError(`${this.#name} is closed.`, "Close a session when its runs have ended.");
  }
}
