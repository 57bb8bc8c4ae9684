import type { Middleware, MiddlewareContext, OutgoingRequest } from "../contracts/middleware.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Kernel } from "./kernel.js";

/**
 * Asks every middleware of a run that may refuse a request.
 *
 * @throws what the one that refuses throws; `RUN_MIDDLEWARE` naming one that breaks.
 */
export function askMiddlewares(
  { middleware: list }: Kernel,
  request: OutgoingRequest,
  contexts: ReadonlyMap<Middleware, MiddlewareContext>,
): void {
  for (const middleware of list) {
    try {
      middleware.onRequest?.(request, contexts.get(middleware) as MiddlewareContext);
    } catch (error) {
      if (ToolwrightError.is(error) || RunStop.is(error)) throw error;
      throw new ToolwrightError("RUN_MIDDLEWARE", `The middleware "${middleware.name}" threw in onRequest.`, {
        cause: error,
        details: { middleware: middleware.name, hook: "onRequest" },
      });
    }
  }
}

/** True for the end of a budget, in whatever way it ends. */
export const isBudget = (error: unknown): boolean => RunStop.is(error) || ToolwrightError.is(error, "RUN_BUDGET");
