import { describe, expect, it } from "vitest";
import { checkRandomRuns, chosenSeed } from "../support/random-batches.js";

describe("L01, L06, L07, L09, L10: whatever the model, the tools and the application do", () => {
  it("no request is refused, every call has one output, no outcome is lost, budgets hold, and the history goes on: 300 scripts", async () => {
    const met = await checkRandomRuns(300, chosenSeed());
    const often = ["completed", "interrupted", "RUN_ABORTED", "RUN_BUDGET", "ok", "denied", "skipped", "approval", "a second attempt"];
    const failures = [
      "failed BUSY",
      "unknown TOOL_TIMEOUT",
      "unknown TOOL_OUTCOME_UNKNOWN",
      "invalid TOOL_UNKNOWN",
      "invalid TOOL_DUPLICATE_CALL",
    ];
    expect([...met]).toEqual(expect.arrayContaining([...often, ...failures]));
  }, 120_000);
});
