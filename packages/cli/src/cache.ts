import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { GeneratedFiles } from "./compile/generated-files.js";
import type { BuildProblem } from "./problem.js";
import type { ProjectToBuild } from "./settings.js";
import { sourceFolders } from "./source-folders.js";

/** What the last build of a project read and wrote: an unchanged one need not start TypeScript. Never committed. */
interface CacheEntry {
  readonly compiler: string;
  /** Where the author wants the module, relative to the tsconfig's folder. */
  readonly out: string | undefined;
  /** Marks by path, relative to the tsconfig's folder. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly folders: readonly { readonly path: string; readonly recursive: boolean; readonly mark: string }[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly warnings: readonly BuildProblem[];
  readonly tools: readonly string[];
  readonly classes: readonly string[];
}

/** A build that need not be made again. */
export interface CachedBuild {
  readonly files: readonly string[];
  readonly warnings: readonly BuildProblem[];
  readonly tools: readonly string[];
  readonly outputs: readonly string[];
}

/** The last build of a project, when neither what it read nor what it wrote has changed since. */
export function readCache({ configPath, out }: Omit<ProjectToBuild, "warnings">): CachedBuild | undefined {
  const directory = dirname(configPath);
  try {
    const entry = JSON.parse(readFileSync(cachePath(configPath), "utf8")) as CacheEntry;
    const isFresh =
      entry.compiler === compilerMark() &&
      entry.out === placeOf(directory, out) &&
      Object.entries({ ...entry.inputs, ...entry.outputs }).every(([path, mark]) => markOf(join(directory, path)) === mark) &&
      entry.folders.every(({ path, recursive, mark }) => folderMark(join(directory, path), recursive) === mark);
    return isFresh
      ? { files: Object.keys(entry.outputs), warnings: entry.warnings, tools: entry.tools, outputs: entry.classes }
      : undefined;
  } catch {
    // No cache, one of another form, or a file that is gone: the build tells.
    return undefined;
  }
}

/** Remembers a build that succeeded; a cache that can not be written is none. */
export function writeCache({ configPath, out }: ProjectToBuild, made: GeneratedFiles): void {
  const { inputs, files, watchedFolders, warnings, tools, outputs } = made;
  const directory = dirname(configPath);
  const marks = (paths: readonly string[]): Record<string, string> =>
    Object.fromEntries(paths.map((path) => [relative(directory, path), markOf(path)]));
  const path = cachePath(configPath);
  try {
    const entry: CacheEntry = {
      compiler: compilerMark(),
      out: placeOf(directory, out),
      inputs: marks(inputs),
      folders: watchedFolders.map((folder) => ({
        path: relative(directory, folder.path),
        recursive: folder.recursive,
        mark: folderMark(folder.path, folder.recursive),
      })),
      outputs: marks(files.map((file) => file.path)),
      warnings,
      tools,
      classes: outputs,
    };
    mkdirSync(dirname(path), { recursive: true });
    const fresh = `${path}.${process.pid}.tmp`;
    writeFileSync(fresh, JSON.stringify(entry));
    renameSync(fresh, path);
  } catch {
    // A read-only folder, for one.
  }
}

const placeOf = (directory: string, out: string | undefined): string | undefined =>
  out === undefined ? undefined : relative(directory, out);

/** Beside the project's package.json; one file for each tsconfig. */
function cachePath(configPath: string): string {
  let folder = dirname(configPath);
  while (!exists(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  const name = relative(folder, configPath).replaceAll(/[^\w.-]+/g, "+");
  return join(folder, "node_modules", ".cache", "toolwright", `${name}.json`);
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Sources by content, installed packages by size and time: those are many, and replaced as a whole. */
function markOf(path: string): string {
  if (/[\\/]node_modules[\\/]/.test(path)) {
    const { size, mtimeMs } = statSync(path);
    return `${size}:${mtimeMs}`;
  }
  return createHash("sha256").update(readFileSync(path)).digest("base64url");
}

/** Names of the sources in a folder: a new file may bring tools, or be what an import now means. */
function folderMark(path: string, recursive: boolean): string {
  const hash = createHash("sha256");
  for (const folder of recursive ? sourceFolders(path) : [path].filter(exists)) {
    const names = readdirSync(folder).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
    for (const name of names.sort()) hash.update(`${join(folder, name)}\n`);
  }
  return hash.digest("base64url");
}

/** Changes with the files of this package, so that a new version builds anew. */
function compilerMark(): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  const files = readdirSync(folder).filter((name) => /\.[jt]s$/.test(name));
  return [
    process.version,
    ...files.sort().map((name) => `${name}:${statSync(join(folder, name)).size}:${statSync(join(folder, name)).mtimeMs}`),
  ].join(" ");
}
