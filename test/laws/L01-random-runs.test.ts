import { isFunctionCall, type Item } from "@toolwright/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carryOut, plannedRun, type RandomOutcome } from "../support/random-run.js";
import { outputsIn } from "../support/serve.js";

/** Calls and outputs must pair off, each output after its call. */
function pairs(context: readonly Item[]): ReadonlyMap<string, unknown> {
  const calls = new Set(context.filter(isFunctionCall).map((item) => item.call_id));
  const outputs = outputsIn(context);
  expect(outputs).toHaveLength(calls.size);
  const byId = new Map(outputs);
  expect(new Set(byId.keys())).toEqual(calls);
  return byId;
}

const writes: readonly string[] = ["write", "keyed", "asks"];

function check({ returned, started, context, refusals, steps }: RandomOutcome): void {
  expect(refusals).toEqual([]);
  const outputs = pairs(context);
  const records = new Map(steps.flatMap((step) => step.calls).map((call) => [call.callId, call]));
  for (const [callId, output] of outputs) {
    const n = Number(callId.slice("call_".length));
    const outcome = records.get(callId)?.outcome;
    const hasStarted = started.some((each) => each.n === n);
    // What the record says is what the model reads.
    if (outcome?.kind === "ok") expect(output).toBe(`done ${n}`);
    // What never started is not told as an effect, and what started is not told as nothing.
    if (outcome !== undefined) expect(["invalid", "denied", "skipped"].includes(outcome.kind)).toBe(!hasStarted);
  }
  for (const { n, tool } of returned) {
    const outcome = records.get(`call_${n}`)?.outcome;
    // A method that ends after its time, or after the run, gives its result to nobody; nothing else is lost.
    const late = tool === "slow" || (outcome !== undefined && "error" in outcome && outcome.error.code === "TOOL_ABORTED");
    if (!late) expect(outputs.get(`call_${n}`)).toBe(`done ${n}`);
  }
  // No effect happens twice: reads are repeated, writes never.
  const written = started.filter(({ tool }) => writes.includes(tool)).map(({ n }) => n);
  expect(new Set(written).size).toBe(written.length);
}

describe("L01, L06, L07, L10: whatever the model, the tools and the application do", () => {
  it("no request is refused, every call has one output, no outcome is lost, and the history goes on", async () => {
    await fc.assert(
      fc.asyncProperty(plannedRun, async (plan) => check(await carryOut(plan))),
      { numRuns: 200, endOnFailure: false },
    );
  }, 120_000);
});
