import { describe, expect, it } from "vitest";
import { chosenSeed } from "../support/random-batches.js";
import { checkRandomPauses } from "../support/random-pauses.js";

describe("L01, L07, L09, L10: whatever waits for whom, and wherever it goes on", () => {
  it("a run with pauses comes to what it would have come to without: no effect twice, none lost, no request refused", async () => {
    const met = await checkRandomPauses(100, chosenSeed());
    console.log([...met].join(", "));
    expect([...met]).toEqual(expect.arrayContaining(["approval"]));
  }, 120_000);
});
