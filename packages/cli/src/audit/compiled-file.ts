import { existsSync, statSync } from "node:fs";
import { ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";

/**
 * The file that the project's own compiler made of a source file.
 *
 * @param source - relative to the tsconfig's folder.
 * @throws ToolwrightError `BUILD_CONFIG` when there is none, or an older one.
 */
export function compiledFile(configPath: string, source: string): string {
  const directory = configPath.slice(0, configPath.lastIndexOf("/"));
  const parsed = ts.getParsedCommandLineOfConfigFile(configPath, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} });
  const path = `${directory}/${source}`;
  const compiled = parsed === undefined ? undefined : candidates(parsed, path, directory).find((name) => existsSync(name));
  if (compiled === undefined) {
    throw new ToolwrightError("BUILD_CONFIG", `The audit found no compiled file for ${source}.`, {
      fix: "Compile first, e.g. `npx tsc`; the tsconfig must have an `outDir`, or emit beside the sources.",
    });
  }
  if (statSync(compiled).mtimeMs < statSync(path).mtimeMs) {
    throw new ToolwrightError(
      "BUILD_CONFIG",
      `${compiled.slice(directory.length + 1)} is older than ${source}, so the audit would be of another state.`,
      {
        fix: "Compile again, e.g. `npx tsc`.",
      },
    );
  }
  return compiled;
}

/** TypeScript 6 and later take the tsconfig's folder for `rootDir`, earlier ones the folder that all sources have in common. */
function candidates(parsed: ts.ParsedCommandLine, path: string, directory: string): readonly string[] {
  const roots = parsed.options.rootDir === undefined ? [undefined, directory] : [parsed.options.rootDir];
  return roots.flatMap((rootDir) => {
    const options = { ...parsed.options, noEmit: false, ...(rootDir === undefined ? {} : { rootDir }) };
    return ts.getOutputFileNames({ ...parsed, options }, path, false).filter((name) => /\.[cm]?js$/.test(name));
  });
}
