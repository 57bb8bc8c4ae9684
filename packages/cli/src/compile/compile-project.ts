import { ToolwrightError } from "@toolwright/core";
import { readConfig, type ProjectConfig } from "./config.js";
import { corePackage } from "./decorators.js";
import { coreIsMissing } from "./find-toolkits.js";
import { packageDefinition, type PackageDefinition } from "../packages/package-definition.js";
import { joinUnits, type JoinedUnits } from "./join-units.js";
import { reportJavaScriptTools } from "./javascript.js";
import { leftModules } from "./left-files.js";
import { ProgramUnits } from "./program-units.js";
import type { Project } from "./project.js";
import { SourceFiles } from "./source-files.js";
import { withSyntaxProblems } from "./syntax.js";

export interface CompiledProject extends JoinedUnits {
  readonly config: ProjectConfig;
  /** What a tool package declares of itself; undefined in an app. */
  readonly definition: PackageDefinition | undefined;
  /** All files that were read, but for those that come with TypeScript. */
  readonly inputs: readonly string[];
}

/**
 * Compiles a project, again and again when it changes. Without ambient types at first, which is twice as fast; with them
 * when something can not be resolved, so that what is said is about the author's own types.
 */
export class ProjectCompiler {
  readonly #sources = new SourceFiles();
  readonly #lean = new ProgramUnits(this.#sources, true);
  readonly #full = new ProgramUnits(this.#sources, false);

  /** @param out - the module to write, absolute; undefined for the usual place. */
  constructor(
    readonly configPath: string,
    readonly out?: string,
  ) {}

  /**
   * @param packageName - of the tool package that the project is; undefined in an app.
   * @throws ToolwrightError `BUILD_CONFIG` when the build cannot start.
   */
  compile(packageName: string | undefined): CompiledProject {
    const config = readConfig(this.configPath, this.out);
    this.#sources.refresh();
    const lean = compileWith(this.#lean, config, packageName);
    return lean.errors.length === 0 ? lean : compileWith(this.#full, config, packageName);
  }
}

function compileWith(units: ProgramUnits, config: ProjectConfig, packageName: string | undefined): CompiledProject {
  const project = units.open(config);
  checkCore(project);
  const joined = joinUnits(units.compile(project, packageName));
  const { errors, warnings } = withSyntaxProblems(joined, project);
  const { result: definition, remarks } = project.remarksOf(() => {
    reportJavaScriptTools(project);
    return packageName === undefined ? undefined : packageDefinition(project);
  });
  return {
    ...joined,
    errors: [...errors, ...remarks.errors],
    warnings: [...warnings, ...leftModules(project)],
    config,
    definition,
    inputs: inputsOf(project),
  };
}

function checkCore(project: Project): void {
  const missing = coreIsMissing(project);
  if (missing === undefined) return;
  const file = project.relativePath(missing.getSourceFile().fileName);
  throw new ToolwrightError("BUILD_CONFIG", `${file} imports ${corePackage}, which is not installed.`, {
    fix: `Install it: \`npm install ${corePackage}\`.`,
  });
}

/** Sources, tsconfigs and the package.json files by which imports were resolved; the libraries that come with TypeScript are fixed by its version. */
function inputsOf(project: Project): readonly string[] {
  const { program, config } = project;
  const files = program
    .getSourceFiles()
    .filter((file) => !project.isLibrary(file) && file.fileName !== config.generatedFile)
    .map((file) => file.fileName);
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  return [...files, ...config.scripts, ...[...folders].map((folder) => `${folder}/package.json`), ...config.configFiles, ...project.inputs];
}
