import { existsSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { isGenerated } from "../emit/generated-module.js";
import type { BuildProblem } from "../problem.js";
import { projectsToBuild } from "../settings.js";
import { readConfig } from "./config.js";
import type { Project } from "./project.js";

/**
 * Remarks on modules among the project's files that a build wrote once, and that no build writes any more: sources were
 * moved, or settings changed. Such a module goes on registering what there was then. Only its author deletes it.
 */
export function leftModules(project: Project): readonly BuildProblem[] {
  const { config, program } = project;
  const home = project.packageOfFile({ fileName: config.configPath }).folder;
  const left = config.rootNames.filter((fileName) => {
    const text = program.getSourceFile(fileName)?.text;
    return text !== undefined && isGenerated(text) && project.packageOfFile({ fileName }).folder === home;
  });
  if (left.length === 0) return [];
  const written = otherModules(config.configPath);
  const now = project.relativePath(config.generatedFile);
  return left
    .filter((file) => !written.has(file))
    .map((file) => leftFile(project.relativePath(file), `The build wrote this module once, and writes ${now} now.`));
}

/**
 * A remark on the manifest of what was a tool package once; undefined when there is none.
 *
 * @param directory - of the tsconfig.
 */
export function leftManifest(path: string, directory: string): BuildProblem | undefined {
  if (!existsSync(path)) return undefined;
  const file = relative(directory, path).split(sep).join("/");
  return leftFile(file, "The package.json does not have the keyword `toolwright-tools` any more, so this manifest is not kept up to date.");
}

function leftFile(file: string, reason: string): BuildProblem {
  return {
    code: "BUILD_LEFT_FILE",
    ...{ file, line: 1, column: 1, excerpt: undefined, subject: file.slice(file.lastIndexOf("/") + 1), reason },
    fix: `Delete ${file} when nothing imports it. If something else writes it, set { "warnings": { "BUILD_LEFT_FILE": "off" } }.`,
  };
}

/** What the other projects of the settings write. */
function otherModules(configPath: string): ReadonlySet<string> {
  const projects = projectsToBuild(undefined, dirname(configPath));
  return new Set(
    projects.flatMap(({ configPath: path, out }) => {
      try {
        return [readConfig(path, out).generatedFile];
      } catch (error) {
        // One that cannot be built writes nothing.
        if (ToolwrightError.is(error, "BUILD_CONFIG")) return [];
        throw error;
      }
    }),
  );
}
