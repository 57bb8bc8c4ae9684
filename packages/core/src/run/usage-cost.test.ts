import { expect, it } from "vitest";
import { usageCost } from "./usage-cost.js";

const usage = {
  requests: 2,
  inputTokens: 1_000_000,
  cachedInputTokens: 400_000,
  outputTokens: 100_000,
  reasoningTokens: 60_000,
  totalTokens: 1_100_000,
};

it("counts cached input at its own price, and reasoning as the output that it is", () => {
  expect(usageCost(usage, { inputPerMillion: 2, cachedInputPerMillion: 0.5, outputPerMillion: 10 })).toBeCloseTo(
    0.6 * 2 + 0.4 * 0.5 + 0.1 * 10,
    10,
  );
  expect(usageCost(usage, { inputPerMillion: 2, outputPerMillion: 10 })).toBeCloseTo(3, 10);
});
