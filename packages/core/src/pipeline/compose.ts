import { maskSecrets } from "../errors/mask.js";
import { RunStop } from "../errors/run-stop.js";
import { safely } from "../errors/safely.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** One layer of the onion: a middleware's wrap, bound to its context. */
export interface Layer<Call, Result> {
  readonly name: string;
  readonly repeats: boolean;
  wrap(call: Call, next: (call: Call) => Promise<Result>): Promise<Result>;
}

/**
 * Composes layers around a core, first outermost. The result runs one call through all of them.
 *
 * Caught with a sentence: `next()` without the call, a second `next` without `repeats`, nothing returned. A layer's own
 * throw is named after it; a ToolwrightError, a RunStop, what came from further in and anything thrown after an abort pass
 * as they are.
 */
export function compose<Call extends object, Result extends object>(
  hook: string,
  layers: readonly Layer<Call, Result>[],
  core: (call: Call) => Promise<Result>,
  signal: AbortSignal,
): (call: Call) => Promise<Result> {
  const last = layers.length;

  async function dispatch(index: number, call: Call): Promise<Result> {
    if (index === last) return core(call);
    const layer = layers[index] as Layer<Call, Result>;
    let called = false;
    let below: { readonly error: unknown } | undefined;
    const next = (inner: Call): Promise<Result> => {
      if (inner === undefined || inner === null) throw misuse(layer, hook, "called next() without the call", "Write `next(call)`.");
      if (called && !layer.repeats) {
        throw misuse(layer, hook, "called next a second time", "Set `repeats: true` if it means to repeat, as a retry does.");
      }
      called = true;
      const result = dispatch(index + 1, Object.freeze(inner));
      // A layer that lets go of it is told so below; the rejection itself must not end the process.
      result.catch((error: unknown) => (below = { error }));
      return result;
    };
    let result: Result;
    try {
      result = await layer.wrap(call, next);
    } catch (error) {
      // What came from further in, such as a store's error, is not this layer's doing.
      if (ToolwrightError.is(error) || RunStop.is(error) || signal.aborted || (below !== undefined && below.error === error)) throw error;
      throw new ToolwrightError("RUN_MIDDLEWARE", `The middleware "${layer.name}" threw in ${hook}: ${describe(error)}`, {
        cause: error,
        details: { middleware: layer.name, hook },
      });
    }
    if (result === undefined || result === null || typeof result !== "object") {
      throw misuse(
        layer,
        hook,
        `returned ${result === null ? "null" : typeof result}`,
        "Write `return next(call)`, or return a result of its own.",
      );
    }
    return result;
  }

  return (call) => dispatch(0, call);
}

function misuse(layer: { readonly name: string }, hook: string, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_MIDDLEWARE", `The middleware "${layer.name}" ${what} in ${hook}.`, {
    fix,
    details: { middleware: layer.name, hook },
  });
}

function describe(error: unknown): string {
  // It may be a driver's, with its connection string.
  return safely(() => (error instanceof Error ? maskSecrets(`${error.name}: ${error.message}`) : `a ${typeof error}`), "something odd");
}
