import { type ToolkitManifest, type ToolManifest, ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { compareText } from "../compare.js";
import type { BuildProblem } from "../problem.js";
import { compileTool } from "./compile-tool.js";
import type { ProjectConfig } from "./config.js";
import { constantOf } from "./constant.js";
import { corePackage } from "./decorators.js";
import { DtoClasses, reportTwins } from "./dto-classes.js";
import { coreIsMissing, findToolkits, type FoundToolkit } from "./find-toolkits.js";
import { createProgram } from "./program.js";
import { Project, type ProblemText } from "./project.js";
import { namePattern } from "./tool-name.js";
import { notConstant } from "./tool-options.js";

/** A class of tools with everything that the generated module says about it. */
export interface CompiledToolkit {
  readonly toolkit: FoundToolkit;
  readonly manifest: ToolkitManifest;
  /** Names of the classes that its arguments become instances of, sorted. */
  readonly classes: readonly string[];
}

export interface CompiledProject {
  readonly project: Project;
  readonly toolkits: readonly CompiledToolkit[];
  /** Classes that arguments become instances of, by name. */
  readonly dtoClasses: ReadonlyMap<string, ts.ClassDeclaration>;
  readonly errors: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
}

/**
 * Compiles all tools of a project. Without ambient types at first, which is twice as fast; with them when something can
 * not be resolved, so that what is said is about the author's own types.
 *
 * @param packageName - of the tool package; undefined in an app.
 */
export function compileProject(config: ProjectConfig, packageName: string | undefined): CompiledProject {
  const lean = compile(config, packageName, true);
  return lean.errors.length === 0 ? lean : compile(config, packageName, false);
}

function compile(config: ProjectConfig, packageName: string | undefined, lean: boolean): CompiledProject {
  const project = new Project(createProgram(config, lean), config);
  const missing = coreIsMissing(project);
  if (missing !== undefined) {
    throw new ToolwrightError(
      "BUILD_CONFIG",
      `${project.relativePath(missing.getSourceFile().fileName)} imports ${corePackage}, which is not installed.`,
      {
        fix: `Install it: \`npm install ${corePackage}\`.`,
      },
    );
  }
  const classes = new DtoClasses(project);
  const found = findToolkits(project);
  const toolkits = found.map((toolkit) => compileToolkit(toolkit, packageName, classes, project));
  for (const { declaration, name } of found) {
    const twin = classes.get(name);
    if (twin !== undefined && twin !== declaration) reportTwins(declaration, twin, name, project);
  }
  warnOfClashes(toolkits, project);
  const dtoClasses = classes.all;
  reportSyntax(project, [...dtoClasses.values()]);
  return { project, toolkits, dtoClasses, errors: project.errors, warnings: project.warnings };
}

function compileToolkit(toolkit: FoundToolkit, packageName: string | undefined, classes: DtoClasses, project: Project): CompiledToolkit {
  const prefix = prefixOf(toolkit, project);
  const used = new Set<string>();
  const classKey = (declaration: ts.ClassDeclaration): string => {
    const key = classes.keyOf(declaration);
    used.add(key);
    return key;
  };
  const tools: ToolManifest[] = [];
  for (const tool of toolkit.tools) {
    const manifest = compileTool(toolkit, tool, prefix, classKey, project);
    if (manifest === undefined) continue;
    const twin = tools.find(({ name }) => name === manifest.name);
    if (twin === undefined) tools.push(manifest);
    else project.error(tool.declaration.name, `${toolkit.name}.${tool.method}`, sameName(`${toolkit.name}.${twin.method}`, manifest.name));
  }
  const origin = packageName === undefined ? {} : { package: packageName };
  return { toolkit, manifest: { format: 1, className: toolkit.name, ...origin, tools }, classes: [...used].sort(compareText) };
}

const sameName = (other: string, name: string): ProblemText => ({
  reason: `${other} is named "${name}" for the model too.`,
  fix: 'Give one tool another name, `@Tool({ name: "…" })`, or one class a prefix, `@Toolkit({ prefix: "…" })`.',
});

function prefixOf({ decorator, name }: FoundToolkit, project: Project): string | undefined {
  const [given] = decorator?.arguments ?? [];
  if (given === undefined) return undefined;
  const options = constantOf(given, project);
  if (typeof options?.value !== "object" || options.value === null) {
    project.error(given, name, notConstant("The options are"));
    return undefined;
  }
  const { prefix } = options.value as { readonly prefix?: unknown };
  if (prefix === undefined) return undefined;
  if (typeof prefix === "string" && namePattern.test(prefix)) return prefix;
  project.error(given, name, { reason: "`prefix` must be letters, digits, _ or -.", fix: 'Write it like `@Toolkit({ prefix: "wx" })`.' });
  return undefined;
}

/** Classes may stay apart in different agents, so this is no error; in one agent it would be. */
function warnOfClashes(toolkits: readonly CompiledToolkit[], project: Project): void {
  const owners = new Map<string, { readonly label: string; readonly declaration: ts.Node }>();
  for (const { toolkit, manifest } of toolkits) {
    for (const { name, method } of manifest.tools) {
      const declaration = toolkit.tools.find((tool) => tool.method === method)?.declaration;
      const label = `${toolkit.name}.${method}`;
      const owner = owners.get(name);
      if (declaration === undefined) continue;
      if (owner === undefined) owners.set(name, { label, declaration });
      else if (owner.declaration !== declaration) project.warn(declaration.name, label, sameName(owner.label, name));
    }
  }
}

/** A file that does not parse may have lost a tool; elsewhere errors are not ours to report. */
function reportSyntax(project: Project, dtoClasses: readonly ts.ClassDeclaration[]): void {
  const withClasses = new Set(dtoClasses.map((declaration) => declaration.getSourceFile()));
  for (const file of project.program.getSourceFiles()) {
    if (!project.isOwnSource(file) || !(withClasses.has(file) || file.text.includes(corePackage))) continue;
    for (const { start, length, messageText } of project.program.getSyntacticDiagnostics(file)) {
      const reason = ts.flattenDiagnosticMessageText(messageText, " ");
      project.errorAt(file, start, length, "Syntax", { reason, fix: "Correct the syntax; the file may have tools that cannot be seen." });
    }
  }
}
