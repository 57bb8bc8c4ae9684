import { expect, test } from "vitest";
import { scenarios } from "./scenarios.js";
import { conduct } from "./conduct.js";

// What a scenario is for must happen in it: else the checks would look at nothing.
const expected: Readonly<Record<string, readonly [ends: readonly string[], outcomes: string]>> = {
  "an answer": [["completed"], ""],
  "steps in a row": [["completed"], "ok ok ok ok"],
  "parallel calls": [["completed"], "ok ok ok ok"],
  "reads of one tool": [["completed"], "ok ok ok"],
  "calls that go wrong": [["completed"], "ok invalid failed invalid ok failed invalid ok"],
  "one call told twice, and two calls under one id": [["completed"], "ok ok invalid ok"],
  "a tool that is busy at first": [["completed"], "ok failed"],
  "approvals, denials and edits": [["interrupted", "interrupted", "completed"], "ok ok denied ok"],
  "a pause that nobody decides": [["interrupted"], ""],
  "a write of unknown outcome, and an equal one": [["interrupted", "completed"], "unknown ok ok"],
  "items of hosted tools and of unknown types": [["completed"], "ok"],
  "a refusal": [["refused"], "ok"],
  "a budget that is used up": [["RUN_BUDGET"], "ok skipped"],
  "a server that fails once": [["MODEL_SERVER"], "ok"],
  "a request that is refused": [["MODEL_BAD_REQUEST"], "ok"],
  "a response that fails": [["MODEL_FAILED"], "ok"],
};

test("every scenario is known here", () => {
  expect(scenarios.map(({ name }) => name)).toEqual(Object.keys(expected));
});

test.each(scenarios)("$name", async (scenario) => {
  for (const history of ["local", "chained"] as const) {
    for (const way of ["run", "stream"] as const) {
      const { ends, historyProblem, parts } = await conduct(scenario, { way, history }, []);
      const outcomes = ends.at(-1)?.result?.steps.flatMap(({ calls }) => calls.map(({ outcome }) => outcome.kind));
      expect([ends.map((end) => end.ends), outcomes?.join(" ")]).toEqual(expected[scenario.name]);
      expect(historyProblem).toBeUndefined();
      expect(parts).toHaveLength(ends.length);
    }
  }
});
