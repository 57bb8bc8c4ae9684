import type { Usage } from "../contracts/usage.js";

/** Prices of a model, in one currency, for a million tokens. The application's own: prices change. */
export interface TokenPrices {
  readonly inputPerMillion: number;
  /** For input that the provider had cached. Default: as other input. */
  readonly cachedInputPerMillion?: number | undefined;
  /** Reasoning tokens are output. */
  readonly outputPerMillion: number;
}

/**
 * What a run, or one of its steps, cost by these prices.
 *
 * @example
 * const { usage } = await agent.run("…");
 * usageCost(usage, { inputPerMillion: 0.25, cachedInputPerMillion: 0.025, outputPerMillion: 2 });
 */
export function usageCost(
  usage: Usage,
  { inputPerMillion, cachedInputPerMillion = inputPerMillion, outputPerMillion }: TokenPrices,
): number {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return (
    ((inputTokens - cachedInputTokens) * inputPerMillion + cachedInputTokens * cachedInputPerMillion + outputTokens * outputPerMillion) /
    1_000_000
  );
}
