import { expect, it } from "vitest";
import { checkPassThrough, checkRandomRuns, chosenSeed } from "../support/random-batches.js";
import { placedMiddlewares } from "../support/random-pipeline.js";
import { inTakenOrder, pairs, pipelinesOf, pipelineWith } from "../support/random-pipelines.js";

const seed = chosenSeed();

it(`L01, L06, L07, L09, L12: each built-in alone, 200 scripts from TOOLWRIGHT_SEED=${seed} on`, async () => {
  for (const member of placedMiddlewares) await checkRandomRuns(200, seed, 4, pipelineWith([member]));
}, 1_800_000);

it(`every pair, in each order that is taken: 6 scripts from TOOLWRIGHT_SEED=${seed} on`, async () => {
  for (const pair of pairs) await checkRandomRuns(6, seed, 1, pipelineWith(inTakenOrder(pair)));
}, 1_800_000);

it(`5,000 pipelines of five, a script each, from TOOLWRIGHT_SEED=${seed} on`, async () => {
  const met = await checkRandomRuns(5_000, seed, 6, pipelinesOf(5));
  const often = ["completed", "interrupted", "RUN_ABORTED", "RUN_BUDGET", "ok", "denied", "skipped", "approval", "unknown-outcome"];
  expect([...met]).toEqual(expect.arrayContaining(often));
}, 1_800_000);

it(`L04: layers that do nothing, at every place, change nothing: 2,000 pipelines of five, from TOOLWRIGHT_SEED=${seed} on`, async () => {
  await checkPassThrough(2_000, seed, pipelinesOf(5));
}, 1_800_000);
