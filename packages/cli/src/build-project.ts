import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { readCache, writeCache } from "./cache.js";
import { findConfig } from "./find-config.js";
import type { BuildProblem } from "./problem.js";

/** Options of {@link buildProject}. */
export interface BuildOptions {
  /** A tsconfig, or a folder with one. Default: `tsconfig.json` in `cwd`. */
  readonly project?: string | undefined;
  /** Default: the process's own. */
  readonly cwd?: string | undefined;
  /** Writes nothing, and compares instead. Default false. */
  readonly check?: boolean | undefined;
  /** Uses and keeps fingerprints in `node_modules/.cache/toolwright`. Default true. */
  readonly cache?: boolean | undefined;
}

/** A file of a build. */
export interface BuiltFile {
  /** Relative to `cwd`, with `/`. */
  readonly path: string;
  /** `stale` with `check` only: it differs from what a build would write, or is missing. */
  readonly state: "written" | "unchanged" | "stale";
}

/** What a build did or found. */
export interface BuildResult {
  /** False when there are problems, or when `check` found something stale. */
  readonly ok: boolean;
  readonly files: readonly BuiltFile[];
  /** `Class.method` of every tool. */
  readonly tools: readonly string[];
  /** With `check`: the tools that differ, e.g. `OrderTools.getOrder (changed)`. Empty when only something else does. */
  readonly staleTools: readonly string[];
  readonly problems: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
}

/**
 * Reads the tool classes of a project and writes `toolwright.generated.ts` (and, in a tool package,
 * `toolwright.manifest.json`). With problems, nothing is written. The project's code is never run.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when the build cannot start: no tsconfig, no tools.
 */
export async function buildProject(options: BuildOptions = {}): Promise<BuildResult> {
  const { project, cwd = process.cwd(), check = false, cache = true } = options;
  const configPath = findConfig(project, cwd);
  const cached = cache ? readCache(configPath) : undefined;
  const shown = (path: string): string => relative(cwd, path).split(sep).join("/");
  // The compiler names files from the tsconfig's folder, wherever it is run.
  const placed = (problem: BuildProblem): BuildProblem => ({ ...problem, file: shown(join(dirname(configPath), problem.file)) });
  if (cached !== undefined) {
    const files = cached.files.map((path) => ({ path: shown(join(dirname(configPath), path)), state: "unchanged" as const }));
    return { ok: true, files, tools: cached.tools, staleTools: [], problems: [], warnings: cached.warnings.map(placed) };
  }
  // Imported here, since TypeScript alone takes longer to load than all the rest of an unchanged build.
  const { projectOutputs } = await import("./compile/outputs.js");
  const outputs = projectOutputs(configPath);
  const warnings = outputs.warnings.map(placed);
  if (outputs.errors.length > 0) {
    return { ok: false, files: [], tools: outputs.tools, staleTools: [], problems: outputs.errors.map(placed), warnings };
  }
  const files = outputs.files.map(({ path, text }) => ({ path: shown(path), state: settle(path, text, check) }));
  const ok = files.every(({ state }) => state !== "stale");
  const staleTools = ok ? [] : await changes(outputs.files[0]);
  if (ok && cache) writeCache(configPath, outputs);
  return { ok, files, tools: outputs.tools, staleTools, problems: [], warnings };
}

function settle(path: string, text: string, check: boolean): BuiltFile["state"] {
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  // A checkout with CRLF is no change.
  if (before?.replaceAll("\r\n", "\n") === text) return "unchanged";
  if (check) return "stale";
  writeFileSync(path, text);
  return "written";
}

async function changes(generated: { readonly path: string; readonly text: string } | undefined): Promise<readonly string[]> {
  if (generated === undefined) return [];
  const [{ changedTools }, { manifestsIn }] = await Promise.all([import("./emit/changed-tools.js"), import("./emit/generated-module.js")]);
  const before = existsSync(generated.path) ? readFileSync(generated.path, "utf8").replaceAll("\r\n", "\n") : "";
  return changedTools(manifestsIn(before), manifestsIn(generated.text));
}
