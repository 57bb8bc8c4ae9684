import { existsSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { ToolwrightError } from "@toolwright/core";

/**
 * The tsconfig that `--project` means: a file, or a folder that has one. Absolute, with `/`.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when there is none.
 */
export function findConfig(project: string | undefined, cwd: string): string {
  const given = resolve(cwd, project ?? "tsconfig.json");
  const path = existsSync(given) && statSync(given).isDirectory() ? join(given, "tsconfig.json") : given;
  if (existsSync(path)) return path.split(sep).join("/");
  throw new ToolwrightError("BUILD_CONFIG", `There is no ${project === undefined ? "tsconfig.json here" : project}.`, {
    fix: "Run the command in the folder of the tsconfig.json, or name it: `toolwright build --project path/to/tsconfig.json`.",
  });
}
