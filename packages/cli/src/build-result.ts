import type { BuildProblem } from "./problem.js";

/** Options of `buildProject`. */
export interface BuildOptions {
  /** Tsconfigs, or folders with one. Default: what the package's settings say, or else `tsconfig.json` in `cwd`. */
  readonly project?: string | readonly string[] | undefined;
  /** Default: the process's own. */
  readonly cwd?: string | undefined;
  /** Writes nothing, and compares instead. Default false. */
  readonly check?: boolean | undefined;
  /**
   * Also imports the compiled DTO classes and compares class-validator's own records with what the build saw. This, and
   * nothing else, runs the projects' code. Default false.
   */
  readonly audit?: boolean | undefined;
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
  /** The classes with `@Output`. */
  readonly outputs: readonly string[];
  /** With `check`: the tools and outputs that differ, e.g. `OrderTools.getOrder (changed)`. Empty when only something else does. */
  readonly staleTools: readonly string[];
  readonly problems: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
}
