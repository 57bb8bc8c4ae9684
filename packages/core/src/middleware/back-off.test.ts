import { afterEach, describe, expect, it, vi } from "vitest";
import { backOffDelay } from "./back-off.js";

describe("backOffDelay", () => {
  afterEach(() => vi.restoreAllMocks());
  const bounds = { minDelayMs: 100, maxDelayMs: 1_000 };

  it("is never under the minimum", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect([1, 2, 3, 50].map((attempt) => backOffDelay(bounds, attempt))).toEqual([100, 100, 100, 100]);
  });

  it("has a ceiling that doubles up to the maximum", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect([1, 2, 3, 4, 2_000].map((attempt) => backOffDelay(bounds, attempt))).toEqual([200, 400, 800, 1_000, 1_000]);
  });

  it("spreads over the whole range", () => {
    const delays = new Set(Array.from({ length: 50 }, () => backOffDelay(bounds, 3)));
    expect(delays.size).toBeGreaterThan(40);
  });

  it("is nothing with bounds of nothing", () => {
    expect(backOffDelay({ minDelayMs: 0, maxDelayMs: 0 }, 3)).toBe(0);
  });
});
