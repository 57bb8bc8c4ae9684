import type { Middleware, MiddlewareTrait } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { hasTrait } from "./traits.js";

interface BadPair {
  readonly outer: MiddlewareTrait;
  readonly inner: MiddlewareTrait;
  /** What goes wrong, after the names of both. */
  readonly why: string;
}

const badPairs: readonly BadPair[] = [
  {
    outer: "repeats-tool",
    inner: "throws-outcomes",
    why: "which throws past it: it would never repeat anything that ends the run.",
  },
  {
    outer: "asks-approval",
    inner: "changes-arguments",
    why: "which may change arguments after it has looked at them: what runs would not be what was approved.",
  },
];

/**
 * Refuses orders that cannot work, by what middlewares say of themselves in `traits`.
 *
 * @param ordered - outermost first.
 * @throws ToolwrightError `RUN_OPTIONS` naming both and the fix.
 */
export function assertNoBadPair(ordered: readonly Middleware[]): void {
  for (const [place, outer] of ordered.entries()) {
    for (const inner of ordered.slice(place + 1)) {
      const bad = badPairs.find((pair) => hasTrait(outer, pair.outer) && hasTrait(inner, pair.inner));
      if (bad === undefined) continue;
      throw new ToolwrightError("RUN_OPTIONS", `${outer.name} stands outside ${inner.name}, ${bad.why}`, {
        fix: `Put ${inner.name} before ${outer.name} in \`middleware\`.`,
      });
    }
  }
}
