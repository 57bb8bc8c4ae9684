import * as fc from "fast-check";
import { expect } from "vitest";
import type { End } from "./random-pauses-leg.js";
import { withoutReferences } from "./random-pauses-model.js";
import { type PausePlan, pausePlan } from "./random-pauses-plan.js";
import { carryOutPaused, carryOutUnasked, type PausesOutcome } from "./random-pauses-run.js";

const batch = 25;

/**
 * Carries out plans at random with all their pauses, and without any, some at a time: both must come to the same.
 *
 * @param arbitrary - what plans are made by.
 * @param seed - of the first batch; each further one has the next number, so that a failed one can be run again alone.
 * @returns what was met, so that a test can tell whether it has seen enough.
 */
export async function checkRandomPauses(
  plans: number,
  seed: number,
  atOnce = 3,
  arbitrary: fc.Arbitrary<PausePlan> = pausePlan,
): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  const property = fc.asyncProperty(arbitrary, async (plan) => {
    const [paused, unasked] = await Promise.all([carryOutPaused(plan), carryOutUnasked(plan)]);
    checkPauses(plan, paused, unasked);
    for (const each of metIn(plan, paused)) met.add(each);
  });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next * batch < plans) {
      const own = seed + next;
      const numRuns = Math.min(batch, plans - next * batch);
      next += 1;
      await fc.assert(property, { seed: own, numRuns }).catch((error: unknown) => {
        next = Number.POSITIVE_INFINITY;
        throw new Error(`The batch with TOOLWRIGHT_SEED=${own} failed: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return met;
}

function checkPauses(plan: PausePlan, paused: PausesOutcome, unasked: PausesOutcome): void {
  for (const { refusals, complaints, effects, end, requests } of [paused, unasked]) {
    expect(refusals).toEqual([]);
    expect(complaints).toEqual([]);
    const places = effects.map(({ place }) => place);
    expect(new Set(places).size, `no effect twice: ${places.join(" ")}`).toBe(places.length);
    expect(end.usage.requests).toBe(requests);
    if (plan.budget !== undefined)
      expect(plan.budget.kind === "requests" ? requests : end.steps.length).toBeLessThanOrEqual(plan.budget.limit);
  }
  // Which of the agents at work gets the last request is no matter of pauses.
  if (plan.budget?.kind === "requests") return;
  const isLocal = paused.end.history.kind === "local";
  expect(summary(paused, isLocal)).toEqual(summary(unasked, isLocal));
}

/** What has to be the same, pauses or none. */
function summary({ end, effects, after, requests }: PausesOutcome, isLocal: boolean): object {
  const { stopReason, code } = end;
  const output = "output" in end ? end.output : undefined;
  // What a server keeps by itself is read and written in other pieces.
  const usage = isLocal ? { ...end.usage } : requests;
  return { stopReason, code, output, steps: stepsOf(end), usage, after, effects: sorted(effects) };
}

function stepsOf({ steps }: End): unknown {
  const told = steps.map(({ index, calls }) => ({
    index,
    calls: calls.map(({ callId, tool, arguments: args, outcome, attempts }) => {
      // Where nobody is asked, a layer says no, and what others would have made of the arguments is not known.
      return { callId, tool, ...(outcome.kind !== "denied" && { args }), outcome, attempts };
    }),
  }));
  return JSON.parse(withoutReferences(JSON.stringify(told)));
}

const sorted = (effects: PausesOutcome["effects"]) => effects.toSorted((left, right) => (left.place < right.place ? -1 : 1));

function metIn(plan: PausePlan, { met, end, effects }: PausesOutcome): readonly string[] {
  const outcomes = end.steps.flatMap(({ calls }) => calls.map(({ outcome }) => outcome.kind));
  const tools = effects.map(({ tool }) => `ran: ${tool}`);
  return [...met, `kind: ${plan.kind}`, end.code ?? end.stopReason, ...outcomes, ...tools, ...(end.agent === "b0" ? ["a handoff"] : [])];
}
