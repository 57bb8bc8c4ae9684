import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { BuildOptions, BuildResult, BuiltFile } from "./build-result.js";
import { type CachedBuild, readCache, writeCache } from "./cache.js";
import type { ProjectCompiler } from "./compile/compile-project.js";
import type { GeneratedFiles } from "./compile/generated-files.js";
import type { BuildProblem } from "./problem.js";
import { sourceFolders } from "./source-folders.js";
import { type ProjectToBuild, projectsToBuild } from "./settings.js";

type Outcome = { readonly project: ProjectToBuild } & ({ readonly cached: CachedBuild } | { readonly made: GeneratedFiles });

/** Builds the same projects again and again: what did not change is taken from the time before. */
export class BuildSession {
  readonly #compilers = new Map<string, ProjectCompiler>();
  readonly #folders = new Map<string, readonly string[]>();
  readonly #cwd: string;

  constructor(private readonly options: BuildOptions) {
    this.#cwd = options.cwd ?? process.cwd();
  }

  /** @throws ToolwrightError `BUILD_CONFIG` when the build cannot start. */
  async build(): Promise<BuildResult> {
    const outcomes: Outcome[] = [];
    for (const project of projectsToBuild(this.options.project, this.#cwd)) outcomes.push(await this.#compile(project));
    const problems = outcomes.flatMap((outcome) => ("made" in outcome ? this.placed(outcome.project, outcome.made.errors) : []));
    const failed = problems.length > 0;
    const results = await Promise.all(outcomes.map((outcome) => this.#finish(outcome, failed)));
    if (this.options.audit === true && !failed) problems.push(...(await this.#audit(outcomes)));
    return {
      ok: results.every(({ ok }) => ok) && problems.length === 0,
      files: results.flatMap(({ files }) => files),
      tools: results.flatMap(({ tools }) => tools),
      outputs: results.flatMap(({ outputs }) => outputs),
      staleTools: results.flatMap(({ staleTools }) => staleTools),
      problems,
      warnings: results.flatMap(({ warnings }) => warnings),
    };
  }

  /** The files of one project as a build would write them; nothing is written. */
  async outputs({ configPath, out }: ProjectToBuild): Promise<GeneratedFiles> {
    // Imported here, since TypeScript alone takes longer to load than all the rest of an unchanged build.
    const [{ ProjectCompiler: Compiler }, { generatedFiles }] = await Promise.all([
      import("./compile/compile-project.js"),
      import("./compile/generated-files.js"),
    ]);
    const compiler = this.#compilers.get(configPath) ?? new Compiler(configPath, out);
    this.#compilers.set(configPath, compiler);
    const made = generatedFiles(compiler);
    this.#folders.set(configPath, foldersOf(made));
    return made;
  }

  /** The folders in which a change means another build: of sources and settings, but not of installed packages. */
  get folders(): readonly string[] {
    return [...new Set([...this.#folders.values()].flat())];
  }

  async #compile(project: ProjectToBuild): Promise<Outcome> {
    // What an audit compares is not in the cache.
    const isKept = this.#compilers.has(project.configPath) || this.options.cache === false || this.options.audit === true;
    const cached = isKept ? undefined : readCache(project);
    return cached === undefined ? { project, made: await this.outputs(project) } : { project, cached };
  }

  async #audit(outcomes: readonly Outcome[]): Promise<readonly BuildProblem[]> {
    const { audit } = await import("./audit/audit.js");
    const problems: BuildProblem[] = [];
    for (const outcome of outcomes) {
      if ("made" in outcome) problems.push(...this.placed(outcome.project, await audit(outcome.made.compiled)));
    }
    return problems;
  }

  /** Writes or compares. With problems anywhere, nothing is written. */
  async #finish(outcome: Outcome, failed: boolean): Promise<Omit<BuildResult, "problems">> {
    if ("cached" in outcome) {
      const { files, tools, outputs, warnings } = outcome.cached;
      const folder = dirname(outcome.project.configPath);
      const unchanged = files.map((path) => ({ path: this.#shown(join(folder, path)), state: "unchanged" as const }));
      return {
        ok: !failed,
        files: failed ? [] : unchanged,
        tools,
        outputs,
        staleTools: [],
        warnings: this.placed(outcome.project, warnings),
      };
    }
    const { made, project } = outcome;
    const { check = false, cache = true } = this.options;
    const common = { tools: made.tools, outputs: made.outputs, warnings: this.placed(project, made.warnings) };
    if (failed) return { ok: false, files: [], staleTools: [], ...common };
    const [module] = made.files;
    const before = module !== undefined && check ? textAt(module.path) : undefined;
    const files = made.files.map(({ path, text }) => ({ path: this.#shown(path), state: settle(path, text, check) }));
    const ok = files.every(({ state }) => state !== "stale");
    if (ok && cache) writeCache(project, made);
    return { ok, files, staleTools: ok || module === undefined ? [] : await changes(before, module.text), ...common };
  }

  #shown(path: string): string {
    return relative(this.#cwd, path).split(sep).join("/");
  }

  /** The compiler names files from the tsconfig's folder, wherever it is run. */
  placed({ configPath }: ProjectToBuild, problems: readonly BuildProblem[]): readonly BuildProblem[] {
    return problems.map((problem) => ({ ...problem, file: this.#shown(join(dirname(configPath), problem.file)) }));
  }
}

function settle(path: string, text: string, check: boolean): BuiltFile["state"] {
  if (textAt(path) === text) return "unchanged";
  if (check) return "stale";
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return "written";
}

/** A checkout with CRLF is no change. */
function textAt(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").replaceAll("\r\n", "\n") : undefined;
}

async function changes(before: string | undefined, after: string): Promise<readonly string[]> {
  const { changedTools } = await import("./emit/changed-tools.js");
  return changedTools(before ?? "", after);
}

function foldersOf({ inputs, watchedFolders }: GeneratedFiles): readonly string[] {
  const own = inputs.filter((path) => !path.includes("/node_modules/")).map(dirname);
  return [...own, ...watchedFolders.flatMap(({ path, recursive }) => (recursive ? sourceFolders(path) : [path]))];
}
