import { AsyncLocalStorage, createHook } from "node:async_hooks";

/** Timers that code started for which somebody answers. */
export class OwnTimers {
  readonly #timers = new Map<number, NodeJS.Timeout>();

  /** Runs code of which this one holds the timers. */
  inside<T>(code: () => T): T {
    return owner.run(this, code);
  }

  /** Runs code that belongs to nobody, from within. */
  outside<T>(code: () => T): T {
    return owner.exit(code);
  }

  /** True for code that runs inside. */
  get isHere(): boolean {
    return owner.getStore() === this;
  }

  note(id: number, timer: NodeJS.Timeout): void {
    this.#timers.set(id, timer);
    owners.set(id, this);
  }

  forget(id: number): void {
    this.#timers.delete(id);
  }

  /** How many are left that would keep a process alive. They are ended. */
  endLeft(): number {
    const left = [...this.#timers.values()].filter((timer) => timer.hasRef());
    for (const timer of left) clearTimeout(timer);
    return left.length;
  }
}

const owner = new AsyncLocalStorage<OwnTimers>();
const owners = new Map<number, OwnTimers>();

const hook = createHook({
  init(id, type, _, resource) {
    if (type === "Timeout") owner.getStore()?.note(id, resource as NodeJS.Timeout);
  },
  // Fired or cleared.
  destroy(id) {
    owners.get(id)?.forget(id);
    owners.delete(id);
  },
});
let watchers = 0;

/** Watches over timers for as long as something takes: they come from any module, `node:timers/promises` among them. */
export async function watchingTimers<T>(work: () => Promise<T>): Promise<T> {
  watchers += 1;
  if (watchers === 1) hook.enable();
  try {
    return await work();
  } finally {
    watchers -= 1;
    if (watchers === 0) {
      hook.disable();
      owners.clear();
    }
  }
}
