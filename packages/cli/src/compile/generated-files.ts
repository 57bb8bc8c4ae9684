import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type PackageManifest, ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { canonicalManifest } from "../emit/canonical.js";
import { generatedModule, type ImportedClass } from "../emit/generated-module.js";
import { jsonText } from "../emit/json-text.js";
import type { BuildProblem } from "../problem.js";
import type { CompiledProject, ProjectCompiler } from "./compile-project.js";
import type { ProjectConfig } from "./config.js";
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

interface PackageFile {
  readonly path: string;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
}

/** The word in `keywords` of a package.json that makes it a tool package. */
const packageKeyword = "toolwright-tools";

/**
 * Compiles a project into the files to write.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when the build cannot start.
 */
export function generatedFiles(compiler: ProjectCompiler): GeneratedFiles {
  const owner = packageOf(dirname(compiler.configPath));
  const isToolPackage = owner?.keywords?.includes(packageKeyword) ?? false;
  const compiled = compiler.compile(isToolPackage ? owner?.name : undefined);
  const { toolkits, outputs, errors, config } = compiled;
  if (toolkits.length + outputs.length === 0 && errors.length === 0) throw noTools(config);
  const files = errors.length > 0 ? [] : [{ path: config.generatedFile, text: moduleText(compiled) }];
  if (files.length > 0 && isToolPackage && owner !== undefined)
    files.push({ path: `${dirname(owner.path)}/toolwright.manifest.json`, text: packageManifest(compiled, owner) });
  return {
    errors,
    warnings: looseNullWarning(config, compiled.warnings),
    files,
    tools: toolkits.flatMap(({ manifest }) => manifest.tools.map(({ method }) => `${manifest.className}.${method}`)),
    outputs: outputs.map(({ name }) => name),
    inputs: existing([...compiled.inputs, ...(owner === undefined ? [] : [owner.path])]),
    watchedFolders: config.watchedFolders,
    compiled,
  };
}

function noTools({ configPath, rootNames }: ProjectConfig): ToolwrightError {
  const file = configPath.slice(configPath.lastIndexOf("/") + 1);
  return new ToolwrightError("BUILD_CONFIG", `No method with @Tool was found in the ${rootNames.length} files of ${file}.`, {
    fix: 'Put `@Tool({ effect: "read" })` from "@toolwright/core" above a method of an exported class, or name another tsconfig with `--project`.',
  });
}

function packageOf(directory: string): PackageFile | undefined {
  for (let current = directory; ; current = dirname(current)) {
    const path = `${current}/package.json`;
    if (existsSync(path)) {
      try {
        return { ...(JSON.parse(readFileSync(path, "utf8")) as Omit<PackageFile, "path">), path };
      } catch {
        throw new ToolwrightError("BUILD_CONFIG", `${path.slice(directory.length + 1) || "package.json"} is not JSON.`, {
          fix: "Correct the package.json.",
        });
      }
    }
    if (dirname(current) === current) return undefined;
  }
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

function packageManifest({ toolkits }: CompiledProject, { name, version }: PackageFile): string {
  const manifest: PackageManifest = {
    format: 1,
    package: name ?? "",
    version: version ?? "0.0.0",
    toolkits: toolkits.map((toolkit) => canonicalManifest(toolkit.manifest)),
  };
  return `${jsonText(manifest)}\n`;
}

function looseNullWarning({ looseNull, configPath }: ProjectConfig, warnings: readonly BuildProblem[]): readonly BuildProblem[] {
  if (!looseNull) return warnings;
  const warning: BuildProblem = {
    file: configPath.slice(configPath.lastIndexOf("/") + 1),
    line: 1,
    column: 1,
    subject: "strictNullChecks",
    reason:
      "The project is checked without `strictNullChecks`, where null and undefined are in every type; the build reads types with it on.",
    fix: 'Set "strict": true in `compilerOptions`, so that your checks agree with the schemas.',
    excerpt: undefined,
  };
  return [warning, ...warnings];
}

const existing = (paths: readonly string[]): readonly string[] => [...new Set(paths)].filter((path) => ts.sys.fileExists(path)).sort();
