import { ts } from "typescript-json-schema";
import type { ProjectConfig } from "./config.js";
import type { SourceFiles } from "./source-files.js";

/** Ambient types that parameters hardly ever need, and that take most of the time to read. */
const runtimeTypes = new Set(["node", "bun", "jest", "mocha", "jasmine", "vitest/globals", "vite/client"]);

/**
 * Options for the program that types are read from. Strictness and module resolution are the compiler's own, so that a
 * type means the same whatever the project says; paths, libraries and the like stay the author's.
 *
 * @param lean - leaves out ambient types of run times and the browser's library. A type that needs them is then
 * unresolved, and the caller asks again without.
 */
function programOptions({ options }: ProjectConfig, lean: boolean): ts.CompilerOptions {
  const forced: ts.CompilerOptions = {
    strict: true,
    strictNullChecks: true,
    exactOptionalPropertyTypes: false,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    skipLibCheck: true,
    noEmit: true,
    allowJs: false,
    checkJs: false,
    composite: false,
    incremental: false,
    declaration: false,
    isolatedDeclarations: false,
  };
  const merged = { ...options, ...forced };
  delete merged.tsBuildInfoFile;
  if (!lean) return merged;
  const lib = (options.lib ?? ["lib.esnext.d.ts"]).filter((name) => !/^lib\.(dom|webworker)/.test(name));
  return { ...merged, lib, types: (options.types ?? []).filter((name) => !runtimeTypes.has(name)) };
}

/**
 * Creates the program; nothing of it is checked but the types that are asked for.
 *
 * @param before - the program of the last build, whose unchanged parts are taken over.
 */
export function createProgram(config: ProjectConfig, lean: boolean, sources: SourceFiles, before?: ts.Program): ts.Program {
  const options = programOptions(config, lean);
  return ts.createProgram({
    rootNames: config.rootNames,
    options,
    host: sources.host(options, config.generatedFile),
    projectReferences: config.references,
    ...(before === undefined ? {} : { oldProgram: before }),
  });
}
