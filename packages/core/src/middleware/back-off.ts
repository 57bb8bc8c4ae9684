import { ToolwrightError } from "../errors/toolwright-error.js";

/** Bounds of the waits between attempts, in milliseconds. */
export interface BackOff {
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * Fills in defaults so that setting one bound alone is never an error: the default of the other gives way.
 *
 * @throws ToolwrightError `RUN_OPTIONS` when both are set the wrong way round.
 */
export function backOffOf(
  owner: string,
  options: { readonly minDelayMs?: number | undefined; readonly maxDelayMs?: number | undefined },
  defaults: BackOff,
): BackOff {
  const maxDelayMs = options.maxDelayMs ?? Math.max(defaults.maxDelayMs, options.minDelayMs ?? 0);
  const minDelayMs = options.minDelayMs ?? Math.min(defaults.minDelayMs, maxDelayMs);
  if (minDelayMs > maxDelayMs) {
    throw new ToolwrightError("RUN_OPTIONS", `${owner}(): \`minDelayMs\` is ${minDelayMs}, above \`maxDelayMs\`, which is ${maxDelayMs}.`);
  }
  return { minDelayMs, maxDelayMs };
}

/**
 * The wait after a failed attempt (1 for the first): anywhere between the minimum and a ceiling that doubles with each
 * attempt. Spreading over the whole range keeps many clients that failed together from coming back together.
 */
export function backOffDelay({ minDelayMs, maxDelayMs }: BackOff, attempt: number): number {
  // A power beyond what a number holds would make nothing of a minimum of nothing.
  const ceiling = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(attempt, 60));
  return minDelayMs + Math.random() * (ceiling - minDelayMs);
}
