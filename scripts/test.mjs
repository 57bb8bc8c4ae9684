// npm test [-- vitest's own parameters]: installs, builds, runs every test, and closes with "N passed, N failed".
// With --long it runs test/long instead.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./lib/build.mjs";
import { countTests } from "./lib/count-tests.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { cacheFolder, inRoot } from "./lib/workspace.mjs";

const parameters = process.argv.slice(2);
const long = parameters.includes("--long");
const reportFile = join(cacheFolder, "tests.json");

await ensureInstalled();
await ensureBuilt();
rmSync(reportFile, { force: true });
const { code } = await run(
  "node",
  [
    inRoot("node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...parameters.filter((parameter) => parameter !== "--long"),
  ],
  { env: long ? { TOOLWRIGHT_LONG_TESTS: "1" } : {} },
);

const counts = countTests(reportFile, code);
for (const remark of counts.remarks) console.log(remark);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
if (code !== 0) process.exitCode = code;
else if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
