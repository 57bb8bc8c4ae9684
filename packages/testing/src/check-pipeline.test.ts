import type { Middleware } from "@toolwright/core";
import { standard, stepBudget, toolErrors, toolRetry, trimOutputs } from "@toolwright/core/middleware";
import { expect, test } from "vitest";
import { checkPipeline } from "./check-pipeline.js";
import { ContractError } from "./contract/report.js";

const quick = { minDelayMs: 1, maxDelayMs: 1 };

test("passes a pipeline that works, given as a list or made anew each time", async () => {
  const make = (): readonly Middleware[] => [stepBudget(6), toolErrors(), trimOutputs(), toolRetry(quick)];
  for (const pipeline of [make(), make]) {
    const { checks } = await checkPipeline(pipeline);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.map(({ name }) => name)).toContain("order");
  }
});

test("passes what most agents want", async () => {
  const { checks } = await checkPipeline(() => standard(), { only: ["data", "explain", "order", "isolation", "approvals"] });
  expect(checks.every(({ ok }) => ok)).toBe(true);
});

test("tells what `order` has moved", async () => {
  const outside: Middleware = { name: "first", wrapToolCall: (call, next) => next(call), order: { outside: ["toolErrors"] } };
  const { checks } = await checkPipeline([toolErrors(), outside], { only: ["order"] });
  expect(checks[0]?.detail).toContain("The order is first, toolErrors, by what they ask for; toolErrors, first was given.");
});

test.each<readonly [string, readonly Middleware[], RegExp]>([
  ["a pair that cannot work", [toolRetry(quick), toolErrors({ rethrow: ["CLOSED"] })], /order: [^]*toolRetry stands outside toolErrors/],
  [
    "a ring",
    [
      { name: "a", order: { outside: ["b"] } },
      { name: "b", order: { outside: ["a"] } },
    ],
    /goes round in a circle/,
  ],
  ["one that is missing", [{ name: "a", order: { requires: ["b"] } }], /"a" requires "b"/],
])("finds %s", async (_, pipeline, says) => {
  await expect(checkPipeline(pipeline, { only: ["order"] })).rejects.toThrow(ContractError);
  await expect(checkPipeline(pipeline)).rejects.toThrow(says);
});

test("finds one bad middleware among good ones, and names it", async () => {
  const hasty: Middleware = {
    name: "hasty",
    async wrapToolCall(call, next) {
      const outcome = await next(call);
      return outcome.kind === "interrupted" ? { kind: "ok", output: "approved" } : outcome;
    },
  };
  await expect(checkPipeline([toolErrors(), hasty, toolRetry(quick)], { only: ["approvals"] })).rejects.toThrow(
    /The pipeline of toolErrors, hasty, toolRetry breaks its contract: 1 of 1 checks failed[^]*wrapToolCall of "hasty" turned/,
  );
});
