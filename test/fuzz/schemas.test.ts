import { afterAll, beforeAll, expect, it } from "vitest";
import { checkAgreement } from "./differential.js";
import { type FuzzedProject, fuzzedProject } from "./fuzzed-tools.js";
import { checkSoundness } from "./soundness.js";

let project: FuzzedProject;
beforeAll(async () => {
  project = await fuzzedProject();
});
afterAll(() => project[Symbol.asyncDispose]());

it("the check of arguments and ajv agree on 3,000 values of all schemas", () => {
  const tools = [...project.tools.values()];
  const seen = tools.map((tool) => checkAgreement(tool, Math.ceil(3000 / tools.length)));
  const sum = (kind: "taken" | "refused"): number => seen.reduce((total, each) => total + each[kind], 0);
  // Agreement on nothing but refusals would show little.
  expect(sum("taken")).toBeGreaterThan(500);
  expect(sum("refused")).toBeGreaterThan(500);
}, 120_000);

it("whatever a schema allows, the type of the method allows: 20 samples of each", async () => {
  const counts = await checkSoundness(project, 20, Date.now() % 2 ** 31);
  expect(counts.size).toBeGreaterThan(45);
  expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
}, 120_000);
