import type { Middleware } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/**
 * Refuses orders that cannot work.
 *
 * A layer that repeats tool calls must stand inside one that ends the run for a failure: from outside it would never see
 * the failure, since that layer throws past it.
 *
 * @param ordered - outermost first.
 * @throws ToolwrightError `RUN_OPTIONS` naming both and the fix.
 */
export function assertNoBadPair(ordered: readonly Middleware[]): void {
  const rethrower = ordered.findIndex((middleware) => middleware.wrapToolCall !== undefined && Boolean(middleware.options?.["rethrow"]));
  const repeater = ordered.findIndex((middleware) => middleware.wrapToolCall !== undefined && middleware.repeats === true);
  const inner = ordered[rethrower];
  const outer = ordered[repeater];
  if (inner === undefined || outer === undefined || repeater > rethrower) return;
  throw new ToolwrightError(
    "RUN_OPTIONS",
    `${outer.name} stands outside ${inner.name}, which throws past it: it would never repeat anything that ends the run.`,
    {
      fix: `Put ${inner.name} before ${outer.name} in \`middleware\`.`,
    },
  );
}
