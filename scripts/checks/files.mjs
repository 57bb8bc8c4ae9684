import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { inRoot, root } from "../lib/workspace.mjs";

/** The files of the repository, committed or about to be, relative to the root; of some git patterns only, if given. */
export function workspaceFiles(...patterns) {
  const globs = patterns.map((pattern) => `:(glob)${pattern}`);
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...globs];
  const output = execFileSync("git", list, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
  return [...new Set(output.split("\0"))].filter((file) => file !== "" && existsSync(inRoot(file))).sort();
}

/** Ends a check: prints what is wrong, each on a line, and fails if there is anything. */
export function report(problems) {
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
