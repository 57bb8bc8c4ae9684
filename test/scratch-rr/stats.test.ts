import * as fc from "fast-check";
import { it } from "vitest";
import { plannedRun } from "../support/random-plan.js";
import { carryOut } from "../support/random-run.js";
it("stats", async () => {
  const ends = new Map<string, number>(); const kinds = new Map<string, number>();
  const add = (m: Map<string, number>, k: string) => m.set(k, (m.get(k) ?? 0) + 1);
  await fc.assert(fc.asyncProperty(plannedRun, async (plan) => { const o = await carryOut(plan); add(ends, o.code ?? o.end.stopReason);
    for (const c of o.end.steps.flatMap(s => s.calls)) { add(kinds, c.outcome.kind + ("error" in c.outcome ? " " + c.outcome.error.code : "reason" in c.outcome ? " " + String(c.outcome.reason).slice(0, 60) : "")); if (c.attempts > 1) add(kinds, "attempts>1"); }
    if (o.end.stopReason === "interrupted") for (const i of o.end.interruptions) add(kinds, "interruption " + i.reason);
    if (o.end.steps.length >= 3) add(ends, "3+ steps"); add(ends, "executions " + Math.min(o.executions.length, 10)); if (o.allowed.size) add(ends, "approved some");
  }), { numRuns: 600 });
  console.log([...ends].sort((a,b)=>b[1]-a[1]), [...kinds].sort((a,b)=>b[1]-a[1]));
}, 300000);
