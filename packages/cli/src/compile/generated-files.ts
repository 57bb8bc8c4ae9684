import { dirname } from "node:path";
import { type PackageManifest, ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { canonicalManifest } from "../emit/canonical.js";
import { generatedModule, type ImportedClass } from "../emit/generated-module.js";
import { jsonText } from "../emit/json-text.js";
import { manifestDetails } from "../packages/manifest-details.js";
import { packagesTypes } from "../packages/packages-types.js";
import type { BuildProblem } from "../problem.js";
import type { CompiledProject, ProjectCompiler } from "./compile-project.js";
import type { ProjectConfig } from "./config.js";
import { leftManifest } from "./left-files.js";
import { type PackageFile, packageOf } from "./package-file.js";
import type { UnitClass } from "./unit.js";

/** What a build writes, and what it depends on. Paths are absolute, with `/`. */
export interface GeneratedFiles {
  readonly errors: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
  /** The generated module first. Empty when there are errors. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** `Class.method` of every tool, and the class of every output. */
  readonly tools: readonly string[];
  readonly outputs: readonly string[];
  /** Files that were read, sorted. */
  readonly inputs: readonly string[];
  readonly watchedFolders: ProjectConfig["watchedFolders"];
  readonly compiled: CompiledProject;
}

/**
 * Compiles a project into the files to write.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when the build cannot start.
 */
export function generatedFiles(compiler: ProjectCompiler): GeneratedFiles {
  const owner = packageOf(dirname(compiler.configPath));
  const toolPackage = owner?.isToolPackage === true ? owner : undefined;
  const compiled = compiler.compile(toolPackage?.name);
  const { toolkits, outputs, errors, config } = compiled;
  const types = owner === undefined || owner.isToolPackage ? undefined : packagesTypes(owner.folder, dirname(config.generatedFile));
  const isEmpty = toolkits.length + outputs.length === 0;
  // An app may have no tools of its own, and those of packages.
  if (isEmpty && errors.length === 0 && types === undefined) throw noTools(config);
  const manifestPath = owner === undefined ? undefined : `${owner.folder}/toolwright.manifest.json`;
  const files = errors.length > 0 || isEmpty ? [] : [{ path: config.generatedFile, text: moduleText(compiled) }];
  if (errors.length === 0 && types !== undefined) files.push(types);
  if (files.length > 0 && toolPackage !== undefined && manifestPath !== undefined)
    files.push({ path: manifestPath, text: packageManifest(compiled, toolPackage) });
  const left = toolPackage === undefined && manifestPath !== undefined ? leftManifest(manifestPath, config.directory) : undefined;
  return {
    errors,
    warnings: [...looseNullWarning(config), ...compiled.warnings, ...(left === undefined ? [] : [left])],
    files,
    tools: toolkits.flatMap(({ manifest }) => manifest.tools.map(({ method }) => `${manifest.className}.${method}`)),
    outputs: outputs.map(({ name }) => name),
    inputs: existing([
      ...compiled.inputs,
      ...settingsFiles(owner),
      ...(types?.inputs ?? []),
      ...(left === undefined || manifestPath === undefined ? [] : [manifestPath]),
    ]),
    watchedFolders: config.watchedFolders,
    compiled,
  };
}

const settingsFiles = (owner: PackageFile | undefined): readonly string[] =>
  owner === undefined ? [] : [`${owner.folder}/package.json`, `${owner.folder}/toolwright.config.json`];

function noTools({ configPath, rootNames }: ProjectConfig): ToolwrightError {
  const file = configPath.slice(configPath.lastIndexOf("/") + 1);
  if (rootNames.length === 0)
    return new ToolwrightError("BUILD_CONFIG", `${file} names JavaScript only, and tools are read from TypeScript.`, {
      fix: "Rename the files that have tools to .ts and write their types, or make the tools by `defineTool`.",
    });
  return new ToolwrightError("BUILD_CONFIG", `No method with @Tool was found in the ${rootNames.length} files of ${file}.`, {
    fix: 'Put `@Tool({ effect: "read" })` from "@toolwright/core" above a method of an exported class, or name another tsconfig with `--project`.',
  });
}

function moduleText({ toolkits, outputs, dtoClasses }: CompiledProject): string {
  const imported = ({ name, source }: UnitClass): ImportedClass => ({
    name,
    exportName: source?.exportName ?? name,
    specifier: source?.specifier ?? "",
  });
  return generatedModule({
    toolkits: toolkits.map((toolkit) => ({ ...imported(toolkit), manifest: toolkit.manifest, classes: toolkit.classes })),
    outputs: outputs.map((output) => ({ ...imported(output), manifest: output.manifest, classes: output.classes })),
    classes: [...dtoClasses.values()].map(imported),
  });
}

function packageManifest({ toolkits, definition }: CompiledProject, { folder, name, version }: PackageFile): string {
  const manifests = toolkits.map((toolkit) => canonicalManifest(toolkit.manifest));
  const manifest: PackageManifest = {
    format: 1,
    package: name ?? "",
    version: version ?? "0.0.0",
    ...manifestDetails(folder, manifests, definition),
    toolkits: manifests,
  };
  return `${jsonText(manifest)}\n`;
}

function looseNullWarning({ looseNull, configPath }: ProjectConfig): readonly BuildProblem[] {
  if (!looseNull) return [];
  return [
    {
      code: "BUILD_LOOSE_NULL",
      file: configPath.slice(configPath.lastIndexOf("/") + 1),
      line: 1,
      column: 1,
      subject: "strictNullChecks",
      reason:
        "The project is checked without `strictNullChecks`, where null and undefined are in every type; the build reads types with it on.",
      fix: 'Set "strict": true in `compilerOptions`, so that your checks agree with the schemas.',
      excerpt: undefined,
    },
  ];
}

const existing = (paths: readonly string[]): readonly string[] => [...new Set(paths)].filter((path) => ts.sys.fileExists(path)).sort();
