import type { ToolCall } from "../contracts/middleware.js";
import type { OkOutcome, ToolOutcome, ToolOutput } from "../contracts/outcome.js";
import type { CacheAccess } from "./cache-access.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { digest } from "./digest.js";

/** Those who share what was read. */
export interface CacheScope {
  /** Names them; a digest. */
  readonly name: string;
  readonly access: CacheAccess;
}

/** What is kept of a read. */
interface KeptRead {
  /** The time between two writes that the read belongs to. */
  readonly epoch: string;
  readonly output: ToolOutput;
}

// Longer than what is read, so that it does not end a time by itself.
const leastEpochMs = 86_400_000;

/**
 * Reads of tools that were made before. Each belongs to an epoch of its scope, and a write begins a new one: whatever was
 * read before it, or is being read while it ends, is never given again. A store that loses an epoch loses its reads with it.
 */
export class CachedReads {
  readonly #ttlMs: number;
  /** Reads under way, by key and epoch. */
  readonly #flights = new Map<string, Promise<ToolOutcome | undefined>>();
  /** Epochs that are being begun, by scope. */
  readonly #beginning = new Map<string, Promise<string>>();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** The outcome of a read: one that is known, one that is under way, or its own. */
  async read(scope: CacheScope, call: ToolCall, read: () => Promise<ToolOutcome>, signal: AbortSignal): Promise<ToolOutcome> {
    const { access } = scope;
    const key = readKey(scope, call);
    // The epoch after the entry: a store that forgets what was not asked for longest then keeps it longer.
    const known = await access.get(key, signal);
    const epoch = await this.#epoch(scope, signal);
    if (isKept(known) && known.epoch === epoch) return { kind: "ok", output: known.output };
    if (signal.aborted) return read();

    const place = `${key} ${epoch}`;
    const flight = this.#flights.get(place);
    if (flight !== undefined) {
      const shared = await inTime(flight, call.timeoutMs ?? call.tool?.timeoutMs ?? 0, signal);
      // Another run's failure, or its abort, says nothing about this call.
      return shared?.kind === "ok" ? { kind: "ok", output: shared.output } : read();
    }
    const own = read();
    const settled = own.catch(() => undefined).finally(() => this.#flights.delete(place));
    this.#flights.set(place, settled);
    const outcome = await own;
    if (outcome.kind === "ok") void access.set(key, { epoch, output: outcome.output } satisfies KeptRead, this.#ttlMs);
    return outcome;
  }

  /** Something was written: what was read before is not given again. Resolves with whether the store knows. */
  async changed(scope: CacheScope, signal: AbortSignal): Promise<boolean> {
    const beginning = this.#beginning.get(scope.name);
    // The epoch that is being begun would otherwise take the place of the new one.
    if (beginning !== undefined && !signal.aborted) await beginning;
    return scope.access.set(epochKey(scope), crypto.randomUUID(), this.#epochMs, signal);
  }

  async #epoch(scope: CacheScope, signal: AbortSignal): Promise<string> {
    const key = epochKey(scope);
    const known = await scope.access.get(key, signal);
    if (typeof known === "string") return known;
    let beginning = this.#beginning.get(scope.name);
    if (beginning === undefined) {
      beginning = this.#begin(scope, key, signal).finally(() => this.#beginning.delete(scope.name));
      this.#beginning.set(scope.name, beginning);
    }
    return beginning;
  }

  async #begin({ access }: CacheScope, key: string, signal: AbortSignal): Promise<string> {
    const epoch = crypto.randomUUID();
    await access.set(key, epoch, this.#epochMs, signal);
    return epoch;
  }

  get #epochMs(): number {
    return Math.max(leastEpochMs, this.#ttlMs);
  }
}

const epochKey = ({ name }: CacheScope): string => `toolwright:epoch:${name}`;

function readKey({ name }: CacheScope, { tool, arguments: checked }: ToolCall): string {
  // The description too: a tool that promises something else is another tool.
  const { identity, description, parameters } = tool as NonNullable<ToolCall["tool"]>; // reads have a tool
  return `toolwright:read:${digest(canonicalJson([name, identity, description, parameters, checked]))}`;
}

function isKept(data: unknown): data is KeptRead {
  const { epoch, output } = (data ?? {}) as { readonly epoch?: unknown; readonly output?: unknown };
  return typeof epoch === "string" && (typeof output === "string" || Array.isArray(output));
}

/** What a read of somebody else came to; undefined when it takes longer than this one may, or the signal ends the wait. */
function inTime(
  flight: Promise<ToolOutcome | undefined>,
  limitMs: number,
  signal: AbortSignal,
): Promise<OkOutcome | ToolOutcome | undefined> {
  return new Promise((resolve) => {
    const finish = (outcome: ToolOutcome | undefined): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(outcome);
    };
    const stop = (): void => finish(undefined);
    const timer = setTimeout(stop, limitMs);
    signal.addEventListener("abort", stop, { once: true });
    void flight.then(finish);
  });
}
