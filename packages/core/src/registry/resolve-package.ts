import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolwrightError } from "../errors/toolwright-error.js";

const manifestFile = "toolwright.manifest.json";

/** Where a package's manifest is, seen from the app; undefined when it is not installed or is no tool package. */
export function resolveManifest(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(`${name}/${manifestFile}`);
  } catch {
    return undefined;
  }
}

/** Names of the dependencies that the app at `from` declares: nothing is found by scanning folders. */
export function declaredDependencies(from: string): readonly string[] {
  const folder = appFolder(from);
  const { dependencies, optionalDependencies, devDependencies } = readPackageJson(folder);
  return [...new Set([...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...Object.keys(devDependencies ?? {})])].sort();
}

/** The URL of a package's main entry, as `import` would find it from its own folder. */
export function resolveEntry(from: string, name: string, manifestPath: string): string {
  try {
    return pathToFileURL(createRequire(from).resolve(name)).href;
  } catch {
    // `require` does not see an entry that only the `import` condition offers.
    const folder = dirname(manifestPath);
    const entry = importEntry(readPackageJson(folder).exports);
    if (entry === undefined) {
      throw new ToolwrightError("REGISTRY_LOAD", `The package ${name} has no entry that can be imported.`, {
        fix: 'Its author should add `"exports": { ".": "./dist/index.js" }`.',
      });
    }
    return pathToFileURL(join(folder, entry)).href;
  }
}

interface PackageJson {
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
  readonly devDependencies?: Readonly<Record<string, string>> | undefined;
  readonly exports?: unknown;
}

function appFolder(from: string): string {
  for (let folder = dirname(from.startsWith("file:") ? fileURLToPath(from) : from); ; folder = dirname(folder)) {
    try {
      readPackageJson(folder);
      return folder;
    } catch {
      if (dirname(folder) !== folder) continue;
      throw new ToolwrightError("REGISTRY_NOT_INSTALLED", "There is no package.json at or above the folder given as `from`.", {
        fix: "Pass `from: import.meta.url` of a file of your app.",
      });
    }
  }
}

function readPackageJson(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson;
}

function importEntry(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const conditions = exports as Record<string, unknown>;
  for (const key of [".", "node", "import", "module-sync", "default"]) {
    const entry = importEntry(conditions[key]);
    if (entry !== undefined) return entry;
  }
  return undefined;
}
