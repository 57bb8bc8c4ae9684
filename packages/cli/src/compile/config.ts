import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";

/** A tsconfig as the compiler reads it. Paths are absolute, with `/`. */
export interface ProjectConfig {
  readonly configPath: string;
  /** The folder of the tsconfig. */
  readonly directory: string;
  readonly rootNames: readonly string[];
  /** JavaScript of the project, which is not read but for tools that are in vain. */
  readonly scripts: readonly string[];
  /** The author's own options. */
  readonly options: ts.CompilerOptions;
  /** This tsconfig and those it extends. */
  readonly configFiles: readonly string[];
  /** Folders that `include` looks into, with whether it goes below them. */
  readonly watchedFolders: readonly { readonly path: string; readonly recursive: boolean }[];
  /** The author checks without `strictNullChecks`. */
  readonly looseNull: boolean;
  /** Other projects whose sources are read instead of their declarations. */
  readonly references: readonly ts.ProjectReference[];
  /** The module that the build writes. */
  readonly generatedFile: string;
}

/** The name of the module that the build writes, unless the author gives another. */
const generatedName = "toolwright.generated.ts";

/**
 * Reads a tsconfig with everything it extends.
 *
 * @param out - the module to write, absolute; undefined for the usual place.
 * @throws ToolwrightError `BUILD_CONFIG` when it cannot be read, is no JSON, or names no file.
 */
export function readConfig(configPath: string, out?: string): ProjectConfig {
  const directory = dirname(configPath);
  const source = ts.readJsonConfigFile(configPath, (path) => ts.sys.readFile(path));
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, ts.sys, directory, undefined, configPath);
  const fatal = ts.getConfigFileParsingDiagnostics(parsed).find(isFatal);
  if (fatal !== undefined) throw configError(configPath, ts.flattenDiagnosticMessageText(fatal.messageText, " "), "Correct the tsconfig.");
  const generatedFile = out ?? usualPlace(directory, parsed.options);
  const rootNames = parsed.fileNames.filter((name) => /\.[cm]?tsx?$/.test(name) && name !== generatedFile);
  const scripts = parsed.fileNames.filter((name) => /\.[cm]?jsx?$/.test(name));
  if (rootNames.length + scripts.length === 0) throw noFiles(configPath, parsed.projectReferences ?? []);
  return {
    configPath,
    directory,
    rootNames,
    scripts,
    options: withKnownLibraries(parsed),
    references: parsed.projectReferences ?? [],
    generatedFile,
    configFiles: [configPath, ...(source.extendedSourceFiles ?? [])],
    watchedFolders: Object.entries(parsed.wildcardDirectories ?? {}).map(([path, flags]) => ({
      path,
      recursive: flags === ts.WatchDirectoryFlags.Recursive,
    })),
    looseNull: isLooseNull(parsed.options, directory),
  };
}

/** In `rootDir` when that is a folder of the project, else in `src`, else beside the tsconfig. */
function usualPlace(directory: string, { rootDir }: ts.CompilerOptions): string {
  if (rootDir?.startsWith(`${directory}/`)) return `${rootDir}/${generatedName}`;
  return existsSync(`${directory}/src`) ? `${directory}/src/${generatedName}` : `${directory}/${generatedName}`;
}

/** A library of a later TypeScript, e.g. es2025, is dropped when the tsconfig is read; without any there would be no Array. */
function withKnownLibraries({ options, errors }: ts.ParsedCommandLine): ts.CompilerOptions {
  const unknownLibrary = 6046;
  const isUnknown = errors.some(
    ({ code, messageText }) => code === unknownLibrary && ts.flattenDiagnosticMessageText(messageText, " ").includes("'--lib'"),
  );
  return isUnknown ? { ...options, lib: [...new Set(["lib.esnext.d.ts", ...(options.lib ?? [])])] } : options;
}

/** Unknown options and values are those of another version of TypeScript: no reason to stop. No files is said in our words. */
function isFatal(diagnostic: ts.Diagnostic): boolean {
  const cannotRead = [5083, 6053, 18_000];
  return diagnostic.category === ts.DiagnosticCategory.Error && (diagnostic.code < 2000 || cannotRead.includes(diagnostic.code));
}

function noFiles(configPath: string, references: readonly ts.ProjectReference[]): ToolwrightError {
  if (references.length === 0)
    return configError(configPath, "It names no TypeScript file.", 'Add the folder of your tools to `include`, e.g. ["src"].');
  const folder = `${dirname(configPath)}/`;
  const options = references.map(({ path }) => `--project ${path.startsWith(folder) ? path.slice(folder.length) : path}`);
  return configError(
    configPath,
    "It has no files of its own, only references.",
    `Build the projects that have the tools, e.g. \`toolwright build ${options.join(" ")}\`.`,
  );
}

function configError(configPath: string, message: string, fix: string): ToolwrightError {
  return new ToolwrightError("BUILD_CONFIG", `${configPath.slice(configPath.lastIndexOf("/") + 1)}: ${message}`, { fix });
}

/** `strict` is on by default since TypeScript 6, so it depends on the project's own copy. */
function isLooseNull({ strictNullChecks, strict }: ts.CompilerOptions, directory: string): boolean {
  const declared = strictNullChecks ?? strict;
  if (declared !== undefined) return !declared;
  try {
    const path = createRequire(join(directory, "package.json")).resolve("typescript/package.json");
    const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
    return Number.parseInt(version, 10) < 6;
  } catch {
    return false;
  }
}
