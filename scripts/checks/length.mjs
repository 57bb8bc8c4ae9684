// Source files stay under 250 lines, one idea each. Tests and generated modules may be longer.
import { readFileSync } from "node:fs";
import { inRoot } from "../lib/workspace.mjs";
import { report, workspaceFiles } from "./files.mjs";

const limit = 250;
/** Files that are better long, each with the reason. An entry that is no longer needed is a failure too. */
const longFor = {};

const problems = [];
const long = workspaceFiles("packages/*/src/**/*.ts")
  .filter((file) => !/\.(test|test-d|generated)\.ts$/.test(file))
  .map((file) => ({ file, lines: readFileSync(inRoot(file), "utf8").trimEnd().split("\n").length }))
  .filter(({ lines }) => lines > limit);
for (const { file, lines } of long) {
  if (longFor[file] === undefined) problems.push(`${file}:${limit + 1}: ${lines} lines, the limit is ${limit}: split it by idea`);
}
for (const file of Object.keys(longFor)) {
  if (!long.some((entry) => entry.file === file))
    problems.push(`${file} is not over ${limit} lines: drop it from scripts/checks/length.mjs`);
}
report(problems);
