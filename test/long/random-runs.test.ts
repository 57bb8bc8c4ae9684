import { expect, it } from "vitest";
import { checkRandomRuns, chosenSeed } from "../support/random-batches.js";

const seed = chosenSeed();

it(`whatever the model, the tools and the application do: 20,000 scripts from TOOLWRIGHT_SEED=${seed} on`, async () => {
  const met = await checkRandomRuns(20_000, seed, 6);
  const ends = ["completed", "interrupted", "budget", "RUN_ABORTED", "RUN_BUDGET", "RUN_TIMEOUT", "RUN_MIDDLEWARE"];
  const model = ["SERVER", "RATE_LIMIT", "FAILED", "CONNECTION", "STREAM_ENDED", "PROTOCOL", "INCOMPLETE"].map((code) => `MODEL_${code}`);
  const outcomes = [
    "ok",
    "denied",
    "skipped",
    "invalid TOOL_ARGUMENTS_INVALID",
    "invalid TOOL_UNKNOWN",
    "invalid TOOL_DUPLICATE_CALL",
    "failed BUSY",
    "failed TOOL_FAILED",
    "failed TOOL_TIMEOUT",
    "failed TOOL_ABORTED",
    "unknown TOOL_TIMEOUT",
    "unknown TOOL_ABORTED",
    "unknown TOOL_OUTCOME_UNKNOWN",
  ];
  expect([...met]).toEqual(expect.arrayContaining([...ends, ...model, ...outcomes, "approval", "unknown-outcome", "a second attempt"]));
}, 1_800_000);
