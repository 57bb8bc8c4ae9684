// Every committed module that `toolwright build` writes is what it would write now.
import { dirname } from "node:path";
import { run } from "../lib/run.mjs";
import { inRoot } from "../lib/workspace.mjs";
import { workspaceFiles } from "./files.mjs";

const projects = workspaceFiles(
  "packages/tools-*/src/toolwright.generated.ts",
  "packages/cli/templates/*/src/toolwright.generated.ts",
  "examples/src/toolwright.generated.ts",
).map((file) => dirname(dirname(file)));
if (projects.length === 0) {
  console.log("No generated module was found: nothing is checked.");
  process.exit(1);
}
const results = await Promise.all(
  projects.map((project) => run("node", [inRoot("packages/cli/bin/toolwright.js"), "build", "--check", "--project", inRoot(project)])),
);
process.exitCode = results.find(({ code }) => code !== 0)?.code ?? 0;
