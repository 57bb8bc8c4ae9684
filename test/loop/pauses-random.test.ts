import { describe, expect, it } from "vitest";
import { chosenSeed } from "../support/random-batches.js";
import { checkRandomPauses } from "../support/random-pauses.js";
import { restartedPlan } from "../support/random-pauses-plan.js";

describe("L01, L07, L09, L10: whatever waits for whom, and wherever it goes on", () => {
  it("a run with pauses comes to what it comes to without: no effect twice, none lost, no request refused: 60 plans", async () => {
    const met = await checkRandomPauses(60, chosenSeed());
    expect([...met]).toEqual(
      expect.arrayContaining(["approval", "completed", "ok", "denied", "1 deep", "a partial decision", "again: RUN_STATE"]),
    );
  }, 120_000);

  it("also when it goes on in a process of its own each time: 5 plans", async () => {
    const met = await checkRandomPauses(5, chosenSeed(), 2, restartedPlan);
    expect([...met]).toEqual(expect.arrayContaining(["approval", "goes on: process"]));
  }, 120_000);
});
