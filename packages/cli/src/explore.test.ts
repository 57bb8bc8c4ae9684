import { test } from "vitest";
import { compileCases } from "../test-support/compile-cases.js";
import { formatProblem } from "./problem.js";
import { cases } from "/tmp/explore/cases.ts";
import { checkStrictSchema } from "../../testing/src/strict-schema.js";
test("explore", async () => {
  const r = await compileCases(cases as never) as Record<string, any>;
  for (const [title, c] of Object.entries(r)) {
    console.log("#### " + title);
    if (c.tool) { console.log(JSON.stringify(c.tool.parameters, null, 0)); if (c.tool.decode) console.log("  decode " + JSON.stringify(c.tool.decode)); const p = checkStrictSchema(c.tool.parameters); if (p.length) console.log("  !!! STRICT", JSON.stringify(p)); }
    for (const p of c.problems) console.log(formatProblem(p));
    if (process.env.W) for (const p of c.warnings) console.log(formatProblem(p, "warning"));
  }
});
