/** How a call uses a key: readers share it, a writer has it alone. */
export interface LaneKey {
  readonly key: string;
  readonly mode: "read" | "write";
}

/** What became of waiting for one's turn. */
export type Turn = { readonly kind: "granted" } | { readonly kind: "blocked"; readonly reason: string } | { readonly kind: "paused" };

/** A call's place in all its lanes. */
export interface Ticket {
  /** Whether it is this call's turn: at once if that is known, else when it is, or when it will never be. */
  turn(): Turn | Promise<Turn>;
  release(): void;
  /** The holder's method goes on after its time: whoever waits is told so, and whoever comes later too. */
  orphan(reason: string): void;
  /** The holder waits for a person: whoever is behind waits with it. */
  pause(): void;
}

/**
 * First-come lanes by key. A ticket takes its place in all its lanes at once, so that two calls can never wait for each
 * other.
 */
export class Lanes {
  readonly #queues = new Map<string, Entry[]>();
  /** Called whenever the last place has been let go. */
  onFree: (() => void) | undefined;

  /** True when nobody has a place. */
  get free(): boolean {
    return this.#queues.size === 0;
  }

  reserve(keys: readonly LaneKey[]): Ticket {
    const entry = new Entry(distinct(keys), this.#queues, () => this.free && this.onFree?.());
    entry.enter();
    return entry;
  }
}

class Entry implements Ticket {
  readonly keys: readonly LaneKey[];
  readonly #queues: Map<string, Entry[]>;
  readonly #released: () => void;
  #hold: Turn | undefined;
  #waiter: ((turn: Turn) => void) | undefined;
  #inside = false;

  constructor(keys: readonly LaneKey[], queues: Map<string, Entry[]>, released: () => void) {
    this.keys = keys;
    this.#queues = queues;
    this.#released = released;
  }

  enter(): void {
    if (this.#inside) return;
    this.#inside = true;
    for (const { key } of this.keys) {
      const queue = this.#queues.get(key);
      if (queue === undefined) this.#queues.set(key, [this]);
      else queue.push(this);
    }
  }

  turn(): Turn | Promise<Turn> {
    // A repetition of a call that has let its place go takes a new one, at the end.
    this.enter();
    const now = this.#look();
    if (now !== undefined) return now;
    return new Promise((resolve) => {
      this.#waiter = resolve;
    });
  }

  release(): void {
    if (!this.#inside) return;
    this.#inside = false;
    for (const { key } of this.keys) {
      const queue = (this.#queues.get(key) ?? []).filter((entry) => entry !== this);
      if (queue.length === 0) this.#queues.delete(key);
      else this.#queues.set(key, queue);
    }
    this.#wakeOthers();
    this.#released();
  }

  orphan(reason: string): void {
    this.#hold = { kind: "blocked", reason };
    this.#wakeOthers();
  }

  pause(): void {
    this.#hold = { kind: "paused" };
    this.#wakeOthers();
  }

  #look(): Turn | undefined {
    let waiting = false;
    for (const { key, mode } of this.keys) {
      for (const ahead of this.#queues.get(key) ?? []) {
        if (ahead === this) break;
        const shared = mode === "read" && ahead.keys.find((other) => other.key === key)?.mode === "read";
        if (shared) continue;
        if (ahead.#hold !== undefined) return ahead.#hold;
        waiting = true;
        // Whatever holds up the one ahead ends it first, and then this one looks again.
        break;
      }
    }
    return waiting ? undefined : { kind: "granted" };
  }

  #wakeOthers(): void {
    for (const { key } of this.keys) {
      for (const entry of this.#queues.get(key) ?? []) {
        const turn = entry.#waiter === undefined ? undefined : entry.#look();
        if (turn === undefined) continue;
        const waiter = entry.#waiter;
        entry.#waiter = undefined;
        waiter?.(turn);
      }
    }
  }
}

// One key named by two templates is one place, and a write there outweighs a read.
function distinct(keys: readonly LaneKey[]): readonly LaneKey[] {
  const modes = new Map<string, LaneKey["mode"]>();
  for (const { key, mode } of keys) if (modes.get(key) !== "write") modes.set(key, mode);
  return [...modes].map(([key, mode]) => ({ key, mode }));
}
