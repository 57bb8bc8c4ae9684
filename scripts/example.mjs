// npm run example -- 03 ["a question"]: builds what has changed, and runs the example of that number.
import { readdirSync } from "node:fs";
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { inRoot } from "./lib/workspace.mjs";

const [wanted = "", ...rest] = process.argv.slice(2);
const examples = readdirSync(inRoot("examples/src")).filter((name) => /^\d\d-/.test(name));
const example = examples.find((name) => wanted !== "" && (name === wanted || name.split("-")[0] === wanted.padStart(2, "0")));
if (example === undefined) {
  console.error(`Which example? There are: ${examples.join(", ")}. For instance: npm run example -- 03`);
  process.exit(2);
}
await ensureInstalled();
await ensureBuilt();
const { code } = await run("node", [inRoot(`examples/dist/${example}/main.js`), ...rest]);
process.exitCode = code;
