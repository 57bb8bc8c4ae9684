import type { JsonObject } from "../contracts/json.js";
import type { Middleware } from "../contracts/middleware.js";

/**
 * Defines a middleware; the type of `state` is inferred for its hooks.
 *
 * @example
 * const audit = defineMiddleware({
 *   name: "audit",
 *   state: () => ({ writes: 0 }),
 *   async wrapToolCall(call, next, { state }) {
 *     const outcome = await next(call);
 *     if (call.tool?.effect !== "read" && outcome.kind === "ok") state.writes += 1;
 *     return outcome;
 *   },
 * });
 */
export function defineMiddleware<State extends JsonObject = Record<never, never>>(middleware: Middleware<State>): Middleware<State> {
  return middleware;
}
