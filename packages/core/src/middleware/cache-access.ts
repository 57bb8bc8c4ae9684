import { maskSecrets } from "../errors/mask.js";
import type { CacheStore } from "./cache-store.js";

/** What became of a store's operation that failed. */
export type StoreErrorListener = (error: unknown, operation: "get" | "set") => void;

/** Milliseconds that a run waits for a store. */
const patienceMs = 1_000;

/** A store whose failures and delays are no failure of a run: what it does not give in time it does not have. */
export class CacheAccess {
  readonly #store: CacheStore;
  readonly #tell: StoreErrorListener;

  constructor(store: CacheStore, onError: StoreErrorListener | undefined) {
    this.#store = store;
    this.#tell = (error, operation) => {
      try {
        (onError ?? warn)(error, operation);
      } catch {
        // Whoever listens must not fail the run either.
      }
    };
  }

  /** What was kept under a key; undefined when there is nothing, or nothing any more. */
  async get(key: string, signal: AbortSignal): Promise<unknown> {
    const text = await this.#inTime("get", () => this.#store.get(key), signal);
    if (text === undefined || text === null) return undefined;
    try {
      const { until, data } = JSON.parse(text) as { readonly until?: unknown; readonly data?: unknown };
      return typeof until === "number" && until > Date.now() ? data : undefined;
    } catch (error) {
      this.#tell(error, "get");
      return undefined;
    }
  }

  /** Resolves with whether it is kept. */
  async set(key: string, data: unknown, ttlMs: number, signal?: AbortSignal): Promise<boolean> {
    const value = JSON.stringify({ until: Date.now() + ttlMs, data });
    const done = await this.#inTime("set", async () => (await this.#store.set(key, value, { ttlMs }), true), signal);
    return done === true;
  }

  async #inTime<T>(operation: "get" | "set", work: () => T | Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    try {
      const result = work();
      if (typeof (result as Partial<Promise<T>> | null | undefined)?.then !== "function") return result;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`The store did not answer within ${patienceMs} ms.`)), patienceMs);
      });
      const aborted = new Promise<undefined>((resolve) => {
        stop = () => resolve(undefined);
        if (signal?.aborted === true) stop();
        else signal?.addEventListener("abort", stop, { once: true });
      });
      return await Promise.race([result, late, aborted]);
    } catch (error) {
      this.#tell(error, operation);
      return undefined;
    } finally {
      clearTimeout(timer);
      if (stop !== undefined) signal?.removeEventListener("abort", stop);
    }
  }
}

let warned = false;

// Once: a store that is down would fill the log.
function warn(error: unknown, operation: "get" | "set"): void {
  if (warned) return;
  warned = true;
  const why = error instanceof Error ? maskSecrets(`${error.name}: ${error.message}`).slice(0, 300) : typeof error;
  process.emitWarning(`cache(): the store failed in \`${operation}\`, and the run went on without it. ${why}`, {
    code: "TOOLWRIGHT_CACHE_STORE",
    detail: "Further failures are not told. Pass `onStoreError` to hear of each.",
  });
}
