import * as middleware from "@toolwright/core/middleware";
import { describe, expect, it } from "vitest";
import { checkPassThrough, checkRandomRuns, chosenSeed } from "../support/random-batches.js";
import { placedMiddlewares } from "../support/random-pipeline.js";
import { inTakenOrder, pairs, pipelinesOf, pipelineWith } from "../support/random-pipelines.js";

const seed = chosenSeed();

// The long form is `pnpm test:long`.
describe(`L01, L04, L06, L07, L09, L12: whatever stands in the pipeline (TOOLWRIGHT_SEED=${seed})`, () => {
  it("every built-in is there", () => {
    const makers = Object.keys(middleware).filter((name) => name !== "standard");
    expect([...new Set(placedMiddlewares.map(({ kind }) => kind))].toSorted()).toEqual(makers.toSorted());
  });

  it("every pair is taken by an agent in one order at least", () => {
    for (const pair of pairs) expect(inTakenOrder(pair)).toHaveLength(2);
  });

  it("each built-in alone: 3 scripts each", async () => {
    for (const member of placedMiddlewares) await checkRandomRuns(3, seed, 1, pipelineWith([member]));
  }, 60_000);

  it("two of them: 60 pairs", async () => {
    await checkRandomRuns(60, seed, 4, pipelinesOf(2));
  }, 60_000);

  it("five of them: 60 pipelines", async () => {
    const met = await checkRandomRuns(60, seed, 4, pipelinesOf(5));
    expect([...met]).toEqual(expect.arrayContaining(["completed", "ok"]));
  }, 60_000);

  it("L04: layers that do nothing, at every place, change nothing: 40 pipelines of five", async () => {
    await checkPassThrough(40, seed, pipelinesOf(5));
  }, 60_000);
});
