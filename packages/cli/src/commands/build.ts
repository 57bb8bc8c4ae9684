import { ToolwrightError } from "@toolwright/core";
import type { Command } from "commander";
import { buildProject } from "../build-project.js";
import type { BuildResult } from "../build-result.js";
import { watchProject } from "../watch-project.js";
import type { Output } from "./output.js";
import { report, reportJson } from "./report.js";

interface BuildFlags {
  readonly project?: readonly string[];
  readonly check?: boolean;
  readonly watch?: boolean;
  readonly audit?: boolean;
  readonly json?: boolean;
}

export const projectFlag = [
  "-p, --project <path>",
  "a tsconfig, or a folder that has one; may be repeated (default: tsconfig.json)",
] as const;

export const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

/** Adds `toolwright build` to the program. */
export function addBuild(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("build")
    .description("Writes toolwright.generated.ts, and toolwright.manifest.json in a tool package.")
    .option(...projectFlag, collect)
    .option("--check", "write nothing; fail when a generated file is stale")
    .option("--watch", "build again whenever something changes")
    .option(
      "--audit",
      "also import the compiled classes, and compare the decorators that validate with what the build saw: this runs your code",
    )
    .option("--json", "one JSON object on a line, for editors")
    .action(async ({ watch = false, json = false, ...flags }: BuildFlags, command: Command) => {
      if (watch && (flags.check === true || flags.audit === true)) command.error("error: --watch goes with neither --check nor --audit");
      const show = (result: BuildResult): void => (json ? reportJson(result, output) : report(result, output));
      try {
        if (watch) return await watchUntilStopped(flags, show, output, json);
        const result = await buildProject(flags);
        show(result);
        exit(result.ok ? 0 : 1);
      } catch (error) {
        if (!json || !ToolwrightError.is(error, "BUILD_CONFIG")) throw error;
        output.out(configErrorJson(error));
        exit(2);
      }
    });
}

const configErrorJson = ({ code, message, fix }: ToolwrightError): string =>
  JSON.stringify({ version: 1, ok: false, error: { code, message, fix } });

async function watchUntilStopped(flags: BuildFlags, show: (result: BuildResult) => void, output: Output, json: boolean): Promise<void> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once("SIGINT", abort).once("SIGTERM", abort);
  try {
    await watchProject({
      ...flags,
      signal: stop.signal,
      onBuild: show,
      onError: (error) => (json ? output.out(configErrorJson(error)) : output.error(error.message)),
      onReady: () => json || output.out("Waiting for changes; Ctrl-C ends."),
    });
  } finally {
    process.off("SIGINT", abort).off("SIGTERM", abort);
  }
}
