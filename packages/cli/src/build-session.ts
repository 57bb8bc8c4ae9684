import { dirname, join, relative, sep } from "node:path";
import type { BuildOptions, BuildResult, BuiltFile } from "./build-result.js";
import { readCache, writeCache } from "./cache.js";
import type { ProjectCompiler } from "./compile/compile-project.js";
import type { GeneratedFiles } from "./compile/generated-files.js";
import type { BuildProblem } from "./problem.js";
import { sourceFolders } from "./source-folders.js";
import { type ProjectToBuild, projectsToBuild } from "./settings.js";
import { weighWarnings } from "./warning-levels.js";
import { type FileToWrite, textOf, writeFiles } from "./write-files.js";

/** What was found out about one project, now or at the build before. */
interface Outcome {
  readonly project: ProjectToBuild;
  /** Undefined when nothing has changed since the build before. */
  readonly made: GeneratedFiles | undefined;
  readonly tools: readonly string[];
  readonly outputs: readonly string[];
  readonly problems: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
  readonly files: readonly OutcomeFile[];
}

interface OutcomeFile extends FileToWrite {
  /** What is there; undefined when nothing is. */
  readonly before: string | undefined;
}

/** Builds the same projects again and again: what did not change is taken from the time before. */
export class BuildSession {
  readonly #compilers = new Map<string, ProjectCompiler>();
  readonly #folders = new Map<string, readonly string[]>();
  readonly #cwd: string;

  constructor(private readonly options: BuildOptions) {
    this.#cwd = options.cwd ?? process.cwd();
  }

  /** @throws ToolwrightError `BUILD_CONFIG` when the build cannot start, or a file cannot be written. */
  async build(): Promise<BuildResult> {
    const { check = false } = this.options;
    const outcomes: Outcome[] = [];
    for (const project of projectsToBuild(this.options.project, this.#cwd)) outcomes.push(await this.#outcome(project));
    const problems = outcomes.flatMap((outcome) => outcome.problems);
    const failed = problems.length > 0;
    const files = failed ? [] : outcomes.flatMap((outcome) => outcome.files);
    const changed = files.filter(({ text, before }) => text !== before);
    if (!check) writeFiles(changed);
    const isStale = check && changed.length > 0;
    if (!failed) this.#remember(outcomes);
    if (this.options.audit === true && !failed) problems.push(...(await this.#audit(outcomes)));
    return {
      ok: problems.length === 0 && !isStale,
      files: files.map((file) => ({ path: file.shown, state: stateOf(file, check) })),
      tools: outcomes.flatMap(({ tools }) => tools),
      outputs: outcomes.flatMap(({ outputs }) => outputs),
      staleTools: isStale ? await staleTools(outcomes) : [],
      problems,
      warnings: outcomes.flatMap(({ warnings }) => warnings),
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

  /** The compiler names files from the tsconfig's folder, wherever it is run. */
  placed({ configPath }: ProjectToBuild, problems: readonly BuildProblem[]): readonly BuildProblem[] {
    return problems.map((problem) => ({ ...problem, file: this.#shown(join(dirname(configPath), problem.file)) }));
  }

  async #outcome(project: ProjectToBuild): Promise<Outcome> {
    // What an audit compares is not in the cache.
    const isKept = this.#compilers.has(project.configPath) || this.options.cache === false || this.options.audit === true;
    const cached = isKept ? undefined : readCache(project);
    const made = cached === undefined ? await this.outputs(project) : undefined;
    const { tools, outputs, warnings } = made ?? (cached as NonNullable<typeof cached>);
    const weighed = weighWarnings(this.placed(project, warnings), project.warnings, this.options.check === true);
    return {
      ...{ project, made, tools, outputs },
      problems: [...this.placed(project, made?.errors ?? []), ...weighed.problems],
      warnings: weighed.warnings,
      files: made === undefined ? this.#unchanged(project, cached?.files ?? []) : made.files.map((file) => this.#compared(file)),
    };
  }

  #compared(file: { readonly path: string; readonly text: string }): OutcomeFile {
    const shown = this.#shown(file.path);
    return { ...file, shown, before: textOf({ path: file.path, shown }) };
  }

  /** Files of an unchanged build are compared by their marks, not read. */
  #unchanged({ configPath }: ProjectToBuild, files: readonly string[]): readonly OutcomeFile[] {
    return files.map((file) => {
      const path = join(dirname(configPath), file);
      return { path, shown: this.#shown(path), text: "", before: "" };
    });
  }

  /** Only what is now as a build would write it. */
  #remember(outcomes: readonly Outcome[]): void {
    const { check = false, cache = true } = this.options;
    if (!cache) return;
    for (const { made, project, files } of outcomes)
      if (made !== undefined && (!check || files.every(({ text, before }) => text === before))) writeCache(project, made);
  }

  async #audit(outcomes: readonly Outcome[]): Promise<readonly BuildProblem[]> {
    const { audit } = await import("./audit/audit.js");
    const problems: BuildProblem[] = [];
    for (const { project, made } of outcomes) if (made !== undefined) problems.push(...this.placed(project, await audit(made.compiled)));
    return problems;
  }

  #shown(path: string): string {
    return relative(this.#cwd, path).split(sep).join("/");
  }
}

function stateOf({ text, before }: OutcomeFile, check: boolean): BuiltFile["state"] {
  if (text === before) return "unchanged";
  return check ? "stale" : "written";
}

/** What differs in the generated modules, which come first among the files of a project. */
async function staleTools(outcomes: readonly Outcome[]): Promise<readonly string[]> {
  const { changedTools } = await import("./emit/changed-tools.js");
  return outcomes.flatMap(({ files: [module], made }) => {
    const isStale = made !== undefined && module !== undefined && module.text !== module.before;
    return isStale ? changedTools(module.before ?? "", module.text) : [];
  });
}

function foldersOf({ inputs, watchedFolders }: GeneratedFiles): readonly string[] {
  const own = inputs.filter((path) => !path.includes("/node_modules/")).map(dirname);
  return [...own, ...watchedFolders.flatMap(({ path, recursive }) => (recursive ? sourceFolders(path) : [path]))];
}
