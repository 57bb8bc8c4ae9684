import * as fc from "fast-check";
import { expect } from "vitest";
import { calm, comparable } from "./random-compare.js";
import { checkRandomRun } from "./random-check.js";
import { noPipeline, type RandomPipeline } from "./random-pipeline.js";
import { plannedRun } from "./random-plan.js";
import { carryOut, type RandomOutcome } from "./random-run.js";

const batch = 100;

/**
 * Carries out plans at random and checks each, some batches at a time: they mostly wait.
 *
 * @param pipelines - what stands beside a plan's own middlewares. Default: nothing.
 * @param seed - of the first batch; each further one has the next number, so that a failed one can be run again alone.
 * @returns what was met, so that a test can tell whether it has seen enough.
 */
export async function checkRandomRuns(
  scripts: number,
  seed: number,
  batches = 4,
  pipelines: fc.Arbitrary<RandomPipeline> = fc.constant(noPipeline),
): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  const property = fc.asyncProperty(plannedRun, pipelines, async (plan, pipeline) => {
    const outcome = await carryOut(plan, pipeline);
    checkRandomRun(outcome);
    for (const each of metIn(outcome)) met.add(each);
  });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next * batch < scripts) {
      const own = seed + next;
      const numRuns = Math.min(batch, scripts - next * batch);
      next += 1;
      await fc.assert(property, { seed: own, numRuns }).catch((error: unknown) => {
        next = Number.POSITIVE_INFINITY;
        throw new Error(`The batch with TOOLWRIGHT_SEED=${own} failed: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
    }
  };
  await Promise.all(Array.from({ length: batches }, work));
  return met;
}

/** Carries out plans that come to the same each time, with and without layers that do nothing between those of a pipeline. */
export async function checkPassThrough(scripts: number, seed: number, pipelines: fc.Arbitrary<RandomPipeline>): Promise<void> {
  const property = fc.asyncProperty(plannedRun.map(calm), pipelines, async (plan, pipeline) => {
    const [bare, padded] = await Promise.all([carryOut(plan, pipeline), carryOut(plan, pipeline.padded())]);
    expect(comparable(padded)).toBe(comparable(bare));
  });
  await fc.assert(property, { seed, numRuns: scripts });
}

function metIn({ code, end, executions }: RandomOutcome): readonly string[] {
  const calls = end.steps.flatMap((step) => step.calls);
  return [
    code ?? end.stopReason,
    ...calls.map(({ outcome }) => ("error" in outcome ? `${outcome.kind} ${outcome.error.code}` : outcome.kind)),
    ...end.interruptions.map(({ reason }) => reason),
    ...(executions.some(({ attempt }) => attempt > 1) ? ["a second attempt"] : []),
  ];
}

/** A seed that the caller may choose: `TOOLWRIGHT_SEED=… pnpm test:long`. */
export function chosenSeed(): number {
  const chosen = Number(process.env["TOOLWRIGHT_SEED"]);
  return Number.isInteger(chosen) && chosen !== 0 ? chosen : Date.now() % 2 ** 31;
}
