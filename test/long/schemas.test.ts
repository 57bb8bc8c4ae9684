import { afterAll, beforeAll, expect, it } from "vitest";
import { checkAgreement } from "../fuzz/differential.js";
import { type FuzzedProject, fuzzedProject } from "../fuzz/fuzzed-tools.js";
import { checkSoundness } from "../fuzz/soundness.js";

let project: FuzzedProject;
beforeAll(async () => {
  project = await fuzzedProject();
});
afterAll(() => project[Symbol.asyncDispose]());

it("the check of arguments and ajv agree on 100,000 values of all schemas", () => {
  const tools = [...project.tools.values()];
  const numRuns = Math.ceil(100_000 / tools.length);
  for (const tool of tools) {
    const seen = checkAgreement(tool, numRuns);
    // Agreement on nothing but refusals would show little.
    expect(Math.min(seen.taken, seen.refused), `${tool.className}.${tool.manifest.method}`).toBeGreaterThan(numRuns / 50);
  }
});

it("whatever a schema allows, the type of the method allows: 500 samples of each", async () => {
  const counts = await checkSoundness(project, 500, Date.now() % 2 ** 31);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // Some schemas have few values in all.
  expect(total).toBeGreaterThan(200 * counts.size);
});
