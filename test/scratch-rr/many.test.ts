import * as fc from "fast-check";
import { it } from "vitest";
import { checkRandomRun } from "/work/main/test/support/random-check.js";
import { plannedRun } from "/work/main/test/support/random-plan.js";
import { carryOut } from "/work/main/test/support/random-run.js";
it("many", async () => {
  const base = Number(process.env.SEED ?? Date.now() % 2**31);
  const n = Number(process.env.N ?? 2000);
  const batches = n / 100;
  let next = 0; let failures = 0;
  const worker = async () => {
    while (next < batches && failures < 3) {
      const seed = base + next++;
      try { await fc.assert(fc.asyncProperty(plannedRun, async (plan) => checkRandomRun(await carryOut(plan))), { numRuns: 100, seed }); }
      catch (error) { failures++; console.log("SEED", seed, String((error as Error).message).slice(0, 3500), String((error as any).cause?.stack).slice(0, 1500)); }
    }
  };
  const t = Date.now();
  await Promise.all([1,2,3,4].map(worker));
  console.log("base", base, "took", Date.now() - t, "rss", Math.round(process.memoryUsage().rss/1e6), "heap", Math.round(process.memoryUsage().heapUsed/1e6), "failures", failures);
}, 3_000_000);
