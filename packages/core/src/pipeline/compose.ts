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
 *
 * @param passOn - what goes in for a call that a layer has changed: it may put back what a layer may not take away.
 */
export function compose<Call extends object, Result extends object>(
  hook: string,
  layers: readonly Layer<Call, Result>[],
  core: (call: Call) => Promise<Result>,
  signal: AbortSignal,
  passOn: (outer: Call, inner: Call) => Call = (_, inner) => inner,
): (call: Call) => Promise<Result> {
  const last = layers.length;
  if (last === 0) return core;
  // What came from further in, such as a store's error, is no layer's doing.
  const fromCore = new Set<unknown>();
  const note = (error: unknown): void => void fromCore.add(error);
  const failures = layers.map((layer) => failureOf(layer, hook, signal, fromCore));

  function ask(index: number, call: Call): Promise<Result> {
    const layer = layers[index] as Layer<Call, Result>;
    let inner: Promise<Result> | undefined;
    const next = (given: Call): Promise<Result> => {
      if (given === undefined || given === null) throw misuse(layer, hook, "called next() without the call", "Write `next(call)`.");
      if (inner !== undefined && !layer.repeats) {
        throw misuse(layer, hook, "called next a second time", "Set `repeats: true` if it means to repeat, as a retry does.");
      }
      const passed = given === call ? call : Object.freeze(passOn(call, given));
      return (inner = index + 1 === last ? askCore(passed) : ask(index + 1, passed));
    };
    let result: Promise<Result>;
    try {
      result = layer.wrap(call, next);
    } catch (error) {
      result = Promise.reject(error as Error);
    }
    // What came from further in was looked at there: a layer that only passes it on costs no promise of its own.
    return inner !== undefined && result === inner ? result : checked(index, result);
  }

  function askCore(call: Call): Promise<Result> {
    const result = core(call);
    // A layer that lets go of it is told so; the rejection itself must not end the process.
    result.catch(note);
    return result;
  }

  function checked(index: number, result: Promise<Result>): Promise<Result> {
    const fail = failures[index] as (error: unknown) => never;
    const watched: Promise<Result> = (result instanceof Promise ? result : Promise.resolve(result)).then(
      (value) => {
        if (typeof value === "object" && value !== null) return value;
        watched.catch(() => {});
        return fail(nothingReturned(layers[index] as Layer<Call, Result>, hook, value));
      },
      (error: unknown) => {
        watched.catch(() => {});
        return fail(error);
      },
    );
    return watched;
  }

  return (call) => ask(0, call);
}

function nothingReturned(layer: { readonly name: string }, hook: string, value: unknown): ToolwrightError {
  const what = `returned ${value === null ? "null" : typeof value}`;
  return misuse(layer, hook, what, "Write `return next(call)`, or return a result of its own.");
}

function failureOf(layer: { readonly name: string }, hook: string, signal: AbortSignal, fromCore: ReadonlySet<unknown>) {
  return (error: unknown): never => {
    if (ToolwrightError.is(error) || RunStop.is(error) || signal.aborted || fromCore.has(error)) throw error;
    throw new ToolwrightError("RUN_MIDDLEWARE", `The middleware "${layer.name}" threw in ${hook}: ${describe(error)}`, {
      cause: error,
      details: { middleware: layer.name, hook },
    });
  };
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
