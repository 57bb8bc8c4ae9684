import type { JsonObject } from "../contracts/json.js";
import type { Middleware, MiddlewareContext, RunInfo } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/**
 * What the hooks of each middleware get in one run: state of its own, fresh or as it was when the run paused.
 *
 * @throws ToolwrightError `RUN_MIDDLEWARE` naming one whose `state` threw.
 */
export function middlewareContexts(
  list: readonly Middleware[],
  run: RunInfo,
  signal: AbortSignal,
  restored: { readonly [name: string]: JsonObject },
): ReadonlyMap<Middleware, MiddlewareContext> {
  return new Map(
    list.map((middleware) => {
      const saved = restored[middleware.name];
      const state = saved === undefined ? freshState(middleware) : structuredClone(saved);
      return [middleware, { state, run, signal } as MiddlewareContext];
    }),
  );
}

function freshState({ name, state }: Middleware): JsonObject {
  try {
    const fresh: unknown = state?.() ?? {};
    if (typeof fresh !== "object" || fresh instanceof Promise) throw new TypeError("state is not an object");
    // It is kept when the run pauses: what cannot be copied then is said now, before any tool has run.
    structuredClone(fresh);
    return fresh as JsonObject;
  } catch (error) {
    if (ToolwrightError.is(error)) throw error;
    throw new ToolwrightError("RUN_MIDDLEWARE", `The middleware "${name}" has no state that is plain data.`, {
      fix: "Let `state` give an object of plain data, at once: `state: () => ({ count: 0 })`.",
      cause: error,
      details: { middleware: name, hook: "state" },
    });
  }
}
