import { ToolwrightError } from "../errors/toolwright-error.js";

/**
 * The run's own abort signal: follows the caller's, and ends every wait at once. One listener on the caller's signal for
 * a whole run, taken away at its end.
 */
export class RunAbort {
  readonly #controller = new AbortController();
  readonly #waiters = new Set<() => void>();
  readonly #caller: AbortSignal | undefined;
  readonly #follow = (): void => this.abort(this.#caller?.reason);

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted) this.abort(caller.reason);
    else caller?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }

  get reason(): unknown {
    return this.#controller.signal.reason;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.#controller.abort(reason);
    for (const waiter of [...this.#waiters]) waiter();
    this.#waiters.clear();
  }

  /** Calls back when the run is aborted; gives the way to take it back. */
  onAbort(waiter: () => void): () => void {
    if (this.aborted) waiter();
    else this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Settles as the promise does, or rejects with `RUN_ABORTED` as soon as the run is aborted. */
  race<T>(promise: Promise<T>): Promise<T> {
    if (this.aborted) {
      promise.catch(() => {});
      return Promise.reject(this.error());
    }
    return new Promise((resolve, reject) => {
      const off = this.onAbort(() => reject(this.error()));
      promise.then(resolve, reject).finally(off);
    });
  }

  error(): ToolwrightError {
    // Its own time limit is an error of its own.
    if (ToolwrightError.is(this.reason, "RUN_TIMEOUT")) return this.reason;
    return new ToolwrightError("RUN_ABORTED", "The run was aborted.", { cause: this.reason });
  }

  /** Lets go of the caller's signal. */
  dispose(): void {
    this.#caller?.removeEventListener("abort", this.#follow);
    this.#waiters.clear();
  }
}
