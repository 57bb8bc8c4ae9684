import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type PackageManifest, ToolwrightError } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { canonicalManifest } from "../emit/canonical.js";
import { generatedModule, type ImportedClass, type RegisteredToolkit } from "../emit/generated-module.js";
import { jsonText } from "../emit/json-text.js";
import { importSourceOf } from "../emit/specifier.js";
import type { BuildProblem } from "../problem.js";
import { type CompiledProject, compileProject } from "./compile-project.js";
import { generatedName, type ProjectConfig, readConfig } from "./config.js";

/** What a build writes, and what it depends on. Paths are absolute, with `/`. */
export interface ProjectOutputs {
  readonly errors: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
  /** Empty when there are errors. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** `Class.method` of every tool. */
  readonly tools: readonly string[];
  /** Files that were read. */
  readonly inputs: readonly string[];
  readonly watchedFolders: ProjectConfig["watchedFolders"];
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
export function projectOutputs(configPath: string): ProjectOutputs {
  const config = readConfig(configPath);
  const owner = packageOf(config.directory);
  const isToolPackage = owner?.keywords?.includes(packageKeyword) ?? false;
  const compiled = compileProject(config, isToolPackage ? owner?.name : undefined);
  const { project, toolkits } = compiled;
  if (toolkits.length === 0 && compiled.errors.length === 0) throw noTools(config);
  const path = generatedPath(config);
  const text = generatedText(compiled, path);
  const files = [{ path, text }];
  if (isToolPackage && owner !== undefined)
    files.push({ path: `${dirname(owner.path)}/toolwright.manifest.json`, text: packageManifest(compiled, owner) });
  const errors = project.errors;
  return {
    errors,
    warnings: looseNullWarning(config, project.warnings),
    files: errors.length === 0 ? files : [],
    tools: toolkits.flatMap(({ manifest }) => manifest.tools.map(({ method }) => `${manifest.className}.${method}`)),
    inputs: inputsOf(compiled, owner),
    watchedFolders: config.watchedFolders,
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

/** In `rootDir` when that is a folder of the project, else in `src`, else beside the tsconfig. */
function generatedPath({ directory, options }: ProjectConfig): string {
  const { rootDir } = options;
  if (rootDir?.startsWith(`${directory}/`)) return `${rootDir}/${generatedName}`;
  return existsSync(`${directory}/src`) ? `${directory}/src/${generatedName}` : `${directory}/${generatedName}`;
}

function generatedText({ project, toolkits, dtoClasses }: CompiledProject, path: string): string {
  const imported = (declaration: ts.ClassDeclaration, name: string): ImportedClass => {
    const source = importSourceOf(declaration, path, project);
    if (source === undefined) {
      project.error(toolkits[0]?.toolkit.declaration.name ?? declaration, name, {
        reason: `The class ${name} is declared in ${project.relativePath(declaration.getSourceFile().fileName)}, outside of the project, and no file of the project imports it by a package's name.`,
        fix: `Import it as \`import { ${name} } from "the-package"\` where it is used, and let that package export it.`,
      });
    }
    return { name, exportName: source?.exportName ?? name, specifier: source?.specifier ?? "" };
  };
  const registered: RegisteredToolkit[] = toolkits.map(({ toolkit, manifest, classes }) => ({
    ...imported(toolkit.declaration, toolkit.name),
    manifest,
    classes,
  }));
  return generatedModule(
    registered,
    [...dtoClasses].map(([name, declaration]) => imported(declaration, name)),
  );
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
  const file = configPath.slice(configPath.lastIndexOf("/") + 1);
  const warning: BuildProblem = {
    file,
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

/** Sources, tsconfigs and the package.json files by which imports were resolved; the libraries that come with TypeScript are fixed by its version. */
function inputsOf({ project }: CompiledProject, owner: PackageFile | undefined): readonly string[] {
  const generated = `/${generatedName}`;
  const files = project.program
    .getSourceFiles()
    .filter((file) => !project.program.isSourceFileDefaultLibrary(file))
    .map((file) => file.fileName);
  const packages = files
    .flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
    .map((folder) => `${folder}/package.json`);
  const all = [...files, ...packages, ...project.config.configFiles, ...(owner === undefined ? [] : [owner.path])];
  return [...new Set(all)].filter((file) => !file.endsWith(generated) && ts.sys.fileExists(file)).sort();
}
