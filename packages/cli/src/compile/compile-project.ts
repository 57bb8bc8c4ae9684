import { ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import type { BuildProblem } from "../problem.js";
import { readConfig, type ProjectConfig } from "./config.js";
import { corePackage } from "./decorators.js";
import { coreIsMissing } from "./find-toolkits.js";
import { joinUnits, type JoinedUnits } from "./join-units.js";
import { ProgramUnits } from "./program-units.js";
import type { Project } from "./project.js";
import { SourceFiles } from "./source-files.js";

export interface CompiledProject extends JoinedUnits {
  readonly config: ProjectConfig;
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
  const syntax = syntaxProblems(project, new Set([...joined.dtoClasses.values()].map(({ file }) => `${config.directory}/${file}`)));
  return { ...joined, errors: [...joined.errors, ...syntax], config, inputs: inputsOf(project) };
}

function checkCore(project: Project): void {
  const missing = coreIsMissing(project);
  if (missing === undefined) return;
  const file = project.relativePath(missing.getSourceFile().fileName);
  throw new ToolwrightError("BUILD_CONFIG", `${file} imports ${corePackage}, which is not installed.`, {
    fix: `Install it: \`npm install ${corePackage}\`.`,
  });
}

/** A file that does not parse may have lost a tool; elsewhere errors are not ours to report. */
function syntaxProblems(project: Project, withClasses: ReadonlySet<string>): readonly BuildProblem[] {
  const { remarks } = project.remarksOf(() => {
    for (const file of project.program.getSourceFiles()) {
      if (!project.isOwnSource(file) || !(withClasses.has(file.fileName) || file.text.includes(corePackage))) continue;
      for (const { start, length, messageText } of project.program.getSyntacticDiagnostics(file)) {
        const reason = ts.flattenDiagnosticMessageText(messageText, " ");
        project.errorAt(file, start, length, "Syntax", { reason, fix: "Correct the syntax; the file may have tools that cannot be seen." });
      }
    }
  });
  return remarks.errors;
}

/** Sources, tsconfigs and the package.json files by which imports were resolved; the libraries that come with TypeScript are fixed by its version. */
function inputsOf(project: Project): readonly string[] {
  const { program, config } = project;
  const files = program
    .getSourceFiles()
    .filter((file) => !project.isLibrary(file) && file.fileName !== config.generatedFile)
    .map((file) => file.fileName);
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  return [...files, ...[...folders].map((folder) => `${folder}/package.json`), ...config.configFiles, ...project.inputs];
}
