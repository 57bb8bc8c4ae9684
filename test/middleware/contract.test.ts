import * as middleware from "@toolwright/core/middleware";
import { checkMiddleware, checkPipeline } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { builtIns } from "../support/built-ins.js";

describe("every built-in keeps the contract of a middleware", () => {
  it("none is left out", () => {
    const makers = Object.keys(middleware).filter((name) => name !== "standard");
    expect([...new Set(builtIns.map(({ kind }) => kind))].toSorted()).toEqual(makers.toSorted());
  });

  it.each(builtIns.map((builtIn) => [JSON.stringify({ [builtIn.kind]: builtIn.make().options ?? {} }), builtIn] as const))(
    "%s",
    async (_, { kind, make, options }) => {
      expect(make()).toMatchObject({ name: kind });
      const { checks } = await checkMiddleware(make, options);
      expect(checks.map(({ ok }) => ok)).toEqual(Array(checks.length).fill(true));
    },
  );

  it("and so does what most agents have", async () => {
    const quick = { minDelayMs: 1, maxDelayMs: 1 };
    const { logging, modelRetry, stepBudget, toolErrors, toolRetry } = middleware;
    const { checks } = await checkPipeline(() => [
      logging({ stream: { write() {} } }),
      stepBudget(5),
      toolErrors(),
      modelRetry(quick),
      toolRetry(quick),
    ]);
    expect(checks.map(({ ok }) => ok)).toEqual(Array(checks.length).fill(true));
  });
});
