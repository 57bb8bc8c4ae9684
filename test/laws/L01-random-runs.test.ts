import * as fc from "fast-check";
import { describe, it } from "vitest";
import { checkRandomRun } from "../support/random-check.js";
import { plannedRun } from "../support/random-plan.js";
import { carryOut } from "../support/random-run.js";

describe("L01, L06, L07, L09, L10: whatever the model, the tools and the application do", () => {
  it("no request is refused, every call has one output, no outcome is lost, budgets hold, and the history goes on", async () => {
    await fc.assert(
      fc.asyncProperty(plannedRun, async (plan) => checkRandomRun(await carryOut(plan))),
      { numRuns: 300, endOnFailure: false },
    );
  }, 120_000);
});
