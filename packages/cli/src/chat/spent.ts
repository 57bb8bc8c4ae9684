import type { Usage } from "@toolwright/core";
import { oneLine } from "./shown.js";

/** What turns used, and what that cost if it is known. */
export interface Spent {
  readonly usage: Usage;
  readonly cost: number | undefined;
  /** Models whose price is not known: the cost is without them. */
  readonly unpriced: readonly string[];
}

export const nothing: Spent = {
  usage: { requests: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 },
  cost: undefined,
  unpriced: [],
};

export function plus(one: Spent, other: Spent): Spent {
  const sum = (key: keyof Usage): number => one.usage[key] + other.usage[key];
  return {
    usage: {
      requests: sum("requests"),
      inputTokens: sum("inputTokens"),
      cachedInputTokens: sum("cachedInputTokens"),
      outputTokens: sum("outputTokens"),
      reasoningTokens: sum("reasoningTokens"),
      totalTokens: sum("totalTokens"),
    },
    cost: one.cost === undefined && other.cost === undefined ? undefined : (one.cost ?? 0) + (other.cost ?? 0),
    unpriced: [...new Set([...one.unpriced, ...other.unpriced])],
  };
}

/** @example "2 requests, 812 tokens in (128 cached), 64 out (32 reasoning), cost 0.00035" */
export function spentText({ usage, cost, unpriced }: Spent): string {
  const { requests, inputTokens, cachedInputTokens, outputTokens, reasoningTokens, totalTokens } = usage;
  const cached = cachedInputTokens > 0 ? ` (${cachedInputTokens} cached)` : "";
  const reasoning = reasoningTokens > 0 ? ` (${reasoningTokens} reasoning)` : "";
  const tokens = totalTokens > 0 ? `, ${inputTokens} tokens in${cached}, ${outputTokens} out${reasoning}` : "";
  const without = unpriced.length > 0 ? ` without ${unpriced.map(oneLine).join(", ")}, which has no price` : "";
  // Enough digits for the price of one short answer.
  const money = cost === undefined ? "" : `, cost ${Number(cost.toPrecision(3))}${without}`;
  return `${requests} ${requests === 1 ? "request" : "requests"}${tokens}${money}`;
}
