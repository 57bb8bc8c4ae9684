import type { JsonObject, Middleware } from "@toolwright/core";
import { modelRetry, stepBudget, toolErrors, toolRetry, trimOutputs } from "@toolwright/core/middleware";
import { expect, test } from "vitest";
import { checkMiddleware } from "./check-middleware.js";
import { type CheckName, ContractError } from "./contract/report.js";

const passThrough = (): Middleware => ({
  name: "pass",
  wrapRun: (call, next) => next(call),
  wrapModelCall: async (call, next) => next(call),
  wrapToolCall: (call, next) => next(call),
});

/** A class with fields and methods of its own, which is no object literal. */
class Counting implements Middleware {
  readonly name = "counting";
  readonly #kinds = new Set<string>();
  get options(): JsonObject {
    return { kinds: this.#kinds.size };
  }
  get wrapToolCall(): NonNullable<Middleware["wrapToolCall"]> {
    return async (call, next) => {
      const outcome = await next(call);
      this.#kinds.add(outcome.kind);
      return outcome;
    };
  }
}

const all: readonly CheckName[] = [
  "data",
  "explain",
  "fresh",
  "pass-through",
  "isolation",
  "abort",
  "approvals",
  "answers",
  "repeats",
  "errors",
  "events",
  "frozen",
  "history",
  "usage",
  "twice",
];

test.each<readonly [string, () => Middleware, string]>([
  ["does nothing", () => ({ name: "nothing" }), "never"],
  ["passes everything on", passThrough, "never"],
  ["is of a class of its own", () => new Counting(), "never"],
  ["is frozen", () => Object.freeze(passThrough()), "never"],
  ["waits after a failed request", () => modelRetry({ minDelayMs: 200, maxDelayMs: 200 }), "a failed request"],
  ["waits after a failed call", () => toolRetry({ minDelayMs: 200, maxDelayMs: 200 }), "a failed call"],
  ["looks at outcomes", () => toolErrors(), "never"],
  ["bounds a run", () => stepBudget(4), "never"],
])("passes what %s", async (_, factory, waits) => {
  const only = waits === "never" ? undefined : (["data", "isolation", "abort", "approvals"] as const);
  const { checks } = await checkMiddleware(factory, { only });
  expect(checks.map(({ name }) => name)).toEqual(only ?? all);
  expect(checks.every(({ ok }) => ok)).toBe(true);
  expect(checks.find(({ name }) => name === "abort")?.detail).toContain(waits);
});

test("what it is there to change is not held against it, and nothing else is let through", async () => {
  const fences = (): Middleware => ({
    name: "fences",
    async wrapToolCall(call, next) {
      const outcome = await next(call);
      return outcome.kind === "ok" && typeof outcome.output === "string" ? { ...outcome, output: `<<${outcome.output}>>` } : outcome;
    },
  });
  const only = ["pass-through", "answers", "approvals", "twice", "isolation"] as const;
  await expect(checkMiddleware(fences, { only })).rejects.toThrow(/output/);
  const { checks } = await checkMiddleware(fences, { only, changes: { outputs: true } });
  expect(checks.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  await expect(checkMiddleware(() => trimOutputs({ maxChars: 5 }), { only, changes: { arguments: true } })).rejects.toThrow(ContractError);
});

test("others that it needs stand beside it", async () => {
  const needy = (): Middleware => ({ ...passThrough(), name: "needy", order: { requires: ["toolErrors"], outside: ["toolErrors"] } });
  await expect(checkMiddleware(needy, { only: ["explain"] })).rejects.toThrow(/requires "toolErrors"/);
  const { checks } = await checkMiddleware(needy, { beside: () => [toolErrors()] });
  expect(checks.every(({ ok }) => ok)).toBe(true);
});
