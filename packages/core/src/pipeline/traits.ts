import type { Middleware, MiddlewareTrait } from "../contracts/middleware.js";

/** True when the middleware says so of itself, or when its fields show it. */
export function hasTrait(middleware: Middleware, trait: MiddlewareTrait): boolean {
  if (middleware.traits !== undefined) return middleware.traits.includes(trait);
  // Of a middleware without traits its fields tell the most.
  if (middleware.repeats !== true) return false;
  return (
    (trait === "repeats-model" && middleware.wrapModelCall !== undefined) ||
    (trait === "repeats-tool" && middleware.wrapToolCall !== undefined)
  );
}
