/**
 * Where a cache keeps what it knows: the process's own memory by default, or something that processes share. Values are JSON
 * texts that hold outputs of tools and replies of the model; keys are digests.
 */
export interface CacheStore {
  /** Gives the value, or nothing. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Keeps a value for so long at most. It may forget it earlier. */
  set(key: string, value: string, options: { readonly ttlMs: number }): unknown;
}

/** A store in memory, bounded by entries and by bytes: what was not asked for longest goes first. */
export function memoryStore(maxEntries: number, maxBytes: number): CacheStore {
  const values = new Map<string, string>();
  let bytes = 0;
  const drop = (key: string): void => {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    bytes -= bytesOf(key, value);
  };
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      // The one that was asked for last goes last.
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      drop(key);
      const size = bytesOf(key, value);
      if (size > maxBytes) return;
      values.set(key, value);
      bytes += size;
      for (const oldest of values.keys()) {
        if (values.size <= maxEntries && bytes <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}

const bytesOf = (key: string, value: string): number => 2 * (key.length + value.length);
