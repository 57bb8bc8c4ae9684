import type { BuildResult } from "../build-result.js";
import { type BuildProblem, formatProblem } from "../problem.js";
import { counted, type Output } from "./output.js";

/** Tells a person what a build did or found. */
export function report({ ok, files, tools, outputs, staleTools, problems, warnings }: BuildResult, output: Output): void {
  for (const warning of warnings) output.error(`${formatProblem(warning, "warning")}\n`);
  for (const problem of problems) output.error(`${formatProblem(problem)}\n`);
  if (problems.length > 0 && files.length === 0) return output.error(`${counted(problems.length, "problem")}; nothing was written.`);
  // An audit finds its problems when all is written.
  if (problems.length > 0) return output.error(`${counted(problems.length, "problem")} found by the audit.`);
  if (!ok) {
    const stale = files.filter(({ state }) => state === "stale").map(({ path }) => path);
    output.error(`Stale: ${stale.join(", ")}`);
    for (const tool of staleTools) output.error(`  ${tool}`);
    return output.error("Fix: run `npx toolwright build` and commit what it writes.");
  }
  const made = [
    ...(tools.length > 0 || outputs.length === 0 ? [counted(tools.length, "tool")] : []),
    ...(outputs.length > 0 ? [counted(outputs.length, "output")] : []),
  ];
  const written = files.filter(({ state }) => state === "written").map(({ path }) => path);
  const done = written.length === 0 ? `${files.map(({ path }) => path).join(", ")} up to date` : `wrote ${written.join(", ")}`;
  output.out(`${made.join(", ")}: ${done}`);
}

/** The same for an editor: one JSON object on one line. */
export function reportJson({ problems, warnings, ...rest }: BuildResult, output: Output): void {
  const diagnostics = [
    ...problems.map((problem) => diagnostic("error", problem)),
    ...warnings.map((warning) => diagnostic("warning", warning)),
  ];
  output.out(JSON.stringify({ version: 1, ...rest, diagnostics }));
}

/** Lines and columns count from 1; a problem never goes beyond its line. */
function diagnostic(severity: "error" | "warning", { code, file, line, column, excerpt, subject, reason, fix }: BuildProblem): object {
  const end = { endLine: line, endColumn: column + (excerpt?.length ?? 0) };
  return { severity, code, file, line, column, ...end, subject, message: reason, fix };
}
