import { ToolwrightError } from "@toolwright/core";
import { Command, CommanderError } from "commander";
import { type BuildResult, buildProject } from "./build-project.js";
import { formatProblem } from "./problem.js";

/** Where the command writes. */
export interface Output {
  out(text: string): void;
  error(text: string): void;
}

const terminal: Output = {
  out: (text) => void process.stdout.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${text}\n`),
};

/**
 * Runs the command `toolwright`.
 *
 * @param parameters - without the program's own name.
 * @returns the exit code: 0 when all is well, 1 for problems and stale files, 2 for wrong usage or configuration.
 */
export async function runCommand(parameters: readonly string[], output: Output = terminal): Promise<number> {
  let code = 0;
  const program = new Command("toolwright")
    .description("Turns the types of tool methods into strict JSON Schemas.")
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.out(text.trimEnd()), writeErr: (text) => output.error(text.trimEnd()) });
  program
    .command("build")
    .description("Writes toolwright.generated.ts, and toolwright.manifest.json in a tool package.")
    .option("-p, --project <path>", "a tsconfig, or a folder that has one (default: tsconfig.json)")
    .option("--check", "write nothing; fail when a generated file is stale")
    .action(async (options: { readonly project?: string; readonly check?: boolean }) => {
      const result = await buildProject(options);
      code = result.ok ? 0 : 1;
      report(result, output);
    });
  try {
    await program.parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!ToolwrightError.is(error, "BUILD_CONFIG")) throw error;
    output.error(error.message);
    return 2;
  }
  return code;
}

function report({ ok, files, tools, staleTools, problems, warnings }: BuildResult, output: Output): void {
  for (const warning of warnings) output.error(`${formatProblem(warning, "warning")}\n`);
  for (const problem of problems) output.error(`${formatProblem(problem)}\n`);
  if (problems.length > 0) return output.error(`${counted(problems.length, "problem")}; nothing was written.`);
  if (!ok) {
    const stale = files.filter(({ state }) => state === "stale").map(({ path }) => path);
    output.error(`Stale: ${stale.join(", ")}`);
    for (const tool of staleTools) output.error(`  ${tool}`);
    return output.error("Fix: run `npx toolwright build` and commit what it writes.");
  }
  const written = files.filter(({ state }) => state === "written").map(({ path }) => path);
  output.out(
    `${counted(tools.length, "tool")}: ${written.length === 0 ? `${files.map(({ path }) => path).join(", ")} up to date` : `wrote ${written.join(", ")}`}`,
  );
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
