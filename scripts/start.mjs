// npm start [-- "a question"]: from a fresh clone to the answer of the weather agent.
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { inRoot } from "./lib/workspace.mjs";

await ensureInstalled();
await ensureBuilt();
const { code } = await run("node", [inRoot("examples/dist/02-weather-agent/main.js"), ...process.argv.slice(2)]);
process.exitCode = code;
