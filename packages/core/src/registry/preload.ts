import { ToolwrightError } from "../errors/toolwright-error.js";
import { firstLine } from "./package-manifest.js";
import type { PackageSource } from "./package-source.js";

/** Options of `registry.preload`. */
export interface PreloadOptions {
  /** Milliseconds that one package may take. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait. What is being imported goes on, since an import cannot be ended. */
  readonly signal?: AbortSignal | undefined;
}

const defaultTimeoutMs = 60_000;
// The longest that a Node timer can wait.
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * Opens all packages side by side.
 *
 * @throws ToolwrightError of the first that fails, in the order of the packages.
 */
export async function preloadSources(sources: readonly PackageSource[], options: PreloadOptions): Promise<void> {
  const { timeoutMs, signal } = checked(options);
  signal?.throwIfAborted();
  const fix = "Look what its import or `create` waits for, or raise `preload({ timeoutMs })`.";
  const ends = await untilAborted(Promise.allSettled(sources.map((source) => source.openWithin(timeoutMs, fix))), signal);
  const failed = ends.flatMap((end, index) =>
    end.status === "rejected" ? [{ name: sources[index]?.manifest.package, error: end.reason as unknown }] : [],
  );
  const [first, ...others] = failed;
  if (first === undefined) return;
  if (others.length === 0 || !ToolwrightError.is(first.error)) throw first.error;
  const { code, details, fix: ownFix, cause } = first.error;
  const also = others.map(({ name }) => name).join(", ");
  throw new ToolwrightError(code, `${firstLine(first.error)} These failed too: ${also}.`, {
    details: { ...details, failed: failed.map(({ name }) => name) },
    cause,
    ...(ownFix !== undefined && { fix: ownFix }),
  });
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener("abort", abort);
  }
}

function checked(options: unknown): { readonly timeoutMs: number; readonly signal: AbortSignal | undefined } {
  const given = (typeof options === "object" && options !== null ? options : {}) as PreloadOptions;
  const unknownKey = Object.keys(given).find((key) => key !== "timeoutMs" && key !== "signal");
  if (unknownKey !== undefined)
    throw wrong(`\`preload\` has no option ${JSON.stringify(unknownKey)}.`, "The options are timeoutMs, signal.");
  const { timeoutMs = defaultTimeoutMs, signal } = given;
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestTimeoutMs))
    throw wrong(`\`timeoutMs\` is ${String(timeoutMs)}.`, `Use whole milliseconds from 1 to ${longestTimeoutMs}.`);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrong("`signal` is no AbortSignal.", "Pass one, or leave it out.");
  return { timeoutMs, signal };
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
