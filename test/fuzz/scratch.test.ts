import { expect, it } from "vitest";
import { fuzzedProject } from "./fuzzed-tools.js";
import { checkSoundness } from "./soundness.js";
import { checkAgreement } from "./differential.js";
it("scratch", async () => {
  await using project = await fuzzedProject();
  for (const t of project.tools.values()) checkAgreement(project, t, 500);
  console.log(await checkSoundness(project, 100, Date.now() % 2 ** 31));
}, 100000);
