import { expect, it } from "vitest";
import { chosenSeed } from "../support/random-batches.js";
import { checkRandomPauses } from "../support/random-pauses.js";
import { mischiefs, restartedPlan } from "../support/random-pauses-plan.js";

const seed = chosenSeed();

it(`whatever waits for whom, and wherever it goes on: 3,000 plans from TOOLWRIGHT_SEED=${seed} on`, async () => {
  const met = await checkRandomPauses(3_000, seed, 4);
  const ends = ["completed", "budget", "RUN_BUDGET", "RUN_OUTPUT"];
  const outcomes = ["ok", "denied", "skipped", "invalid", "failed", "unknown"];
  const waits = ["approval", "unknown-outcome", "a hosted server's question", "0 deep", "1 deep", "2 deep", "3 deep"];
  const ways = ["a partial decision", "again: RUN_STATE", "again: interrupted", "a handoff", ...mischiefs];
  const kinds = ["local", "memory", "file", "chained", "conversation"].map((kind) => `kind: ${kind}`);
  const places = ["object", "json", "text", "process"].map((place) => `goes on: ${place}`);
  const tools = ["read", "write", "keyed", "pay", "drop", "pick", "few", "says", "lost", "query"].map((tool) => `ran: ${tool}`);
  expect([...met]).toEqual(expect.arrayContaining([...ends, ...outcomes, ...waits, ...ways, ...kinds, ...places, ...tools]));
}, 1_800_000);

it(`in a process of its own each time: 150 plans from TOOLWRIGHT_SEED=${seed} on`, async () => {
  const met = await checkRandomPauses(150, seed, 3, restartedPlan);
  expect([...met]).toEqual(expect.arrayContaining(["approval", "goes on: process", "2 deep", "unknown", "denied"]));
}, 1_800_000);
