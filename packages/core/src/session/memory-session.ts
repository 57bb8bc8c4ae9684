import type { Session } from "../contracts/history.js";
import type { Item } from "../contracts/item.js";
import { assertDistinctIds, assertReplayable } from "../run/history-check.js";
import { sessionBusy, sessionLost, stepOpen, stepUnknown } from "./session-errors.js";
import { type SessionBackend, type SessionChange, StoredSession, type StoredItems } from "./stored-session.js";

/**
 * Makes a session that lives as long as this process: runs on it follow each other, one at a time.
 *
 * @param items - what it holds at first, e.g. `repairHistory(imported).items`. Copied.
 * @throws ToolwrightError `RUN_HISTORY` for items that the API would refuse.
 * @example
 * const session = memorySession();
 * await agent.run("My name is Ada.", { history: { kind: "local", session } });
 * await agent.run("What is my name?", { history: { kind: "local", session } });
 */
export function memorySession(items: readonly Item[] = []): Session {
  assertReplayable(items, []);
  assertDistinctIds(items);
  return new StoredSession(new MemoryBackend(items.map((item) => JSON.stringify(item))));
}

const name = "The session";

class MemoryBackend implements SessionBackend {
  readonly #items: string[];
  #input: readonly string[] = [];
  #open: StoredItems["open"];
  readonly #calls = new Map<string, { readonly started: boolean; readonly outcome: string | undefined }>();
  #owner: string | undefined;

  constructor(items: string[]) {
    this.#items = items;
  }

  async read(): Promise<StoredItems> {
    return { items: this.#items.slice(), open: this.#open, calls: new Map(this.#calls) };
  }

  async acquire(owner: string, forRun: boolean): Promise<void> {
    if (this.#owner !== undefined) throw sessionBusy(name, "of this process");
    this.#owner = owner;
    if (forRun) this.#input = [];
  }

  async release(owner: string): Promise<void> {
    if (this.#owner === owner) this.#owner = undefined;
  }

  async apply(owner: string, change: SessionChange): Promise<void> {
    if (this.#owner !== owner) throw sessionLost(name);
    switch (change.type) {
      case "input":
        if (this.#open !== undefined) throw stepOpen(name);
        this.#input = change.items;
        return;
      case "reply":
        return this.#reply(change);
      case "started":
        if (!this.#isOpen(change)) throw stepUnknown(name);
        this.#calls.set(change.callId, { started: true, outcome: undefined });
        return;
      case "outcome":
        // One that comes after its step is over changes nothing: the outputs are there.
        if (this.#isOpen(change))
          this.#calls.set(change.callId, { started: this.#calls.get(change.callId)?.started ?? false, outcome: change.outcome });
        return;
      case "outputs":
        return this.#outputs(change);
      default:
        return assertNever(change);
    }
  }

  #isOpen({ runId, step }: { readonly runId: string; readonly step: number }): boolean {
    return this.#open?.runId === runId && this.#open.step === step;
  }

  #reply({ runId, step, responseId, items, hasCalls }: SessionChange & { type: "reply" }): void {
    if (this.#open !== undefined) throw stepOpen(name);
    this.#items.push(...this.#input);
    this.#input = [];
    const from = this.#items.length;
    this.#items.push(...items);
    if (hasCalls) this.#open = { runId, step, responseId, pausedBy: undefined, from, until: this.#items.length };
  }

  #outputs(change: SessionChange & { type: "outputs" }): void {
    const open = this.#open;
    if (open === undefined || !this.#isOpen(change)) throw stepUnknown(name);
    this.#items.splice(open.until, Number.POSITIVE_INFINITY, ...change.items);
    if (change.pausedBy === undefined) {
      this.#open = undefined;
      this.#calls.clear();
    } else this.#open = { ...open, pausedBy: change.pausedBy };
  }
}

function assertNever(change: never): never {
  throw new Error(`Unknown change: ${JSON.stringify(change)}`);
}
