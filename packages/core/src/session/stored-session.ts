import type { CallIdentity, HeldSession, LoadedSession, RunStore, Session, UnfinishedStep } from "../contracts/history.js";
import type { Item } from "../contracts/item.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { callOf, callsIn } from "../run/history-calls.js";

interface StepIdentity {
  readonly runId: string;
  readonly step: number;
}

/** A record that a session takes. Items and outcomes are JSON text already. */
export type SessionChange =
  | { readonly type: "input"; readonly items: readonly string[] }
  | (StepIdentity & {
      readonly type: "reply";
      readonly responseId: string | undefined;
      readonly items: readonly string[];
      readonly hasCalls: boolean;
    })
  | (CallIdentity & { readonly type: "started"; readonly tool: string; readonly arguments: string; readonly idempotencyKey: string })
  | (CallIdentity & { readonly type: "outcome"; readonly outcome: string })
  | (StepIdentity & { readonly type: "outputs"; readonly items: readonly string[]; readonly pausedBy: string | undefined });

/** What a session's store holds, as text. */
export interface StoredItems {
  readonly items: readonly string[];
  /** The step that is not finished, and where its reply stands among the items. */
  readonly open:
    | (StepIdentity & Pick<UnfinishedStep, "responseId" | "pausedBy"> & { readonly from: number; readonly until: number })
    | undefined;
  readonly calls: ReadonlyMap<string, { readonly started: boolean; readonly outcome: string | undefined }>;
}

/** Where sessions are kept. */
export interface SessionBackend {
  read(): Promise<StoredItems>;
  /**
   * @param forRun - drops input that has had no reply: it was never part of the history.
   * @throws ToolwrightError `RUN_SESSION_BUSY` while another run has it.
   */
  acquire(owner: string, forRun: boolean): Promise<void>;
  /** Resolves when the change is durable. @throws ToolwrightError `RUN_SESSION` when `owner` does not have the session. */
  apply(owner: string, change: SessionChange): Promise<void>;
  release(owner: string): Promise<void>;
}

/** A session over any backend: turns records into text and back, and gives itself to one run at a time. */
export class StoredSession implements Session {
  readonly #backend: SessionBackend;
  #last: Promise<unknown> = Promise.resolve();

  constructor(backend: SessionBackend) {
    this.#backend = backend;
  }

  async load(): Promise<LoadedSession> {
    return parseStored(await this.#backend.read());
  }

  acquire(): Promise<HeldSession> {
    return this.#hold(true);
  }

  async #hold(forRun: boolean): Promise<HeldSession> {
    const owner = crypto.randomUUID();
    await this.#backend.acquire(owner, forRun);
    return new HeldStoredSession(this.#backend, owner);
  }

  input(items: readonly Item[]): Promise<void> {
    return this.#once((held) => held.input(items));
  }

  reply(step: Parameters<RunStore["reply"]>[0]): Promise<void> {
    return this.#once((held) => held.reply(step));
  }

  started(call: Parameters<RunStore["started"]>[0]): Promise<void> {
    return this.#once((held) => held.started(call));
  }

  outcome(call: CallIdentity, outcome: ToolOutcome): Promise<void> {
    return this.#once((held) => held.outcome(call, outcome));
  }

  outputs(step: Parameters<RunStore["outputs"]>[0]): Promise<void> {
    return this.#once((held) => held.outputs(step));
  }

  // A record from outside a run must not get between those of one, nor those from outside between each other.
  #once(write: (held: HeldSession) => Promise<void>): Promise<void> {
    const written = this.#after(this.#last, write);
    this.#last = written.catch(() => {});
    return written;
  }

  async #after(earlier: Promise<unknown>, write: (held: HeldSession) => Promise<void>): Promise<void> {
    await earlier;
    const held = await this.#hold(false);
    await write(held).finally(() => held.release());
  }
}

class HeldStoredSession implements HeldSession {
  readonly #backend: SessionBackend;
  readonly #owner: string;

  constructor(backend: SessionBackend, owner: string) {
    this.#backend = backend;
    this.#owner = owner;
  }

  async load(): Promise<LoadedSession> {
    return parseStored(await this.#backend.read());
  }

  input(items: readonly Item[]): Promise<void> {
    return this.#backend.apply(this.#owner, { type: "input", items: items.map(text) });
  }

  reply({ runId, step, responseId, output }: Parameters<RunStore["reply"]>[0]): Promise<void> {
    return this.#backend.apply(this.#owner, {
      type: "reply",
      runId,
      step,
      responseId,
      items: output.map(text),
      hasCalls: output.some((item) => callOf(item) !== undefined),
    });
  }

  started({ runId, step, callId, tool, arguments: supplied, idempotencyKey }: Parameters<RunStore["started"]>[0]): Promise<void> {
    return this.#backend.apply(this.#owner, { type: "started", runId, step, callId, tool, arguments: supplied, idempotencyKey });
  }

  outcome({ runId, step, callId }: CallIdentity, outcome: ToolOutcome): Promise<void> {
    return this.#backend.apply(this.#owner, { type: "outcome", runId, step, callId, outcome: JSON.stringify(outcome) });
  }

  outputs({ runId, step, items, pausedBy }: Parameters<RunStore["outputs"]>[0]): Promise<void> {
    return this.#backend.apply(this.#owner, { type: "outputs", runId, step, items: items.map(text), pausedBy });
  }

  release(): Promise<void> {
    return this.#backend.release(this.#owner);
  }
}

const text = (item: Item): string => JSON.stringify(item);

function parseStored({ items, open, calls }: StoredItems): LoadedSession {
  // What is stored was an item and an outcome when it was written.
  const parsed = items.map((item) => JSON.parse(item) as Item);
  if (open === undefined) return { items: parsed, unfinished: undefined };
  const { runId, step, responseId, pausedBy, from, until } = open;
  const output = parsed.slice(from, until);
  const callIds = new Set(callsIn(output).map((call) => call.call_id));
  const known = [...callIds].map((callId) => {
    const call = calls.get(callId);
    const outcome = call?.outcome === undefined ? undefined : (JSON.parse(call.outcome) as ToolOutcome);
    return { callId, started: call?.started ?? false, outcome };
  });
  return { items: parsed, unfinished: { runId, step, responseId, output, calls: known, pausedBy } };
}
