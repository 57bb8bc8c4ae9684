import { describe, it } from "vitest";
import { checkHeap } from "../support/measured.js";

describe("the memory of a run of 1,000 steps grows with its items only", () => {
  it.each(["model", "run", "stream"] as const)(
    "%s",
    async (way) => {
      await checkHeap(way, 1_000);
    },
    120_000,
  );
});
