import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { type PackageJson, readPackageJson } from "./declared-dependencies.js";
import { assertEngines, coreName } from "./engines.js";
import { nodeFs, nodeModule } from "./node-modules.js";

const manifestFile = "toolwright.manifest.json";

/**
 * Tells where a package's manifest is, seen from a file of the app; undefined when it is not installed or is no tool package.
 *
 * @param own - the name of the app, which may be a tool package itself.
 */
export function resolverOf(from: string, own: string | undefined): (name: string) => string | undefined {
  const require = nodeModule().createRequire(from);
  // Of every package's name the same.
  const folders = require.resolve.paths("a-package") ?? [];
  return (name) => {
    const near = name === own ? "unsure" : manifestIn(folders, name);
    if (near !== "unsure") return near;
    try {
      return require.resolve(`${name}/${manifestFile}`);
    } catch {
      return undefined;
    }
  };
}

/**
 * What Node would resolve, several times faster, in the two forms that nearly all packages have: the manifest is exported by
 * its own path, or the package has no `exports`. Anything else is left to Node.
 */
function manifestIn(folders: readonly string[], name: string): string | undefined | "unsure" {
  const fs = nodeFs();
  const folder = folders.map((each) => join(each, name)).find((each) => fs.existsSync(each));
  // With another way to install, such as Plug'n'Play, there may be no folder.
  if (folder === undefined) return "unsure";
  const packageJson = readPackageJson(folder);
  if (packageJson === undefined || Array.isArray(packageJson)) return "unsure";
  const { exports } = packageJson;
  const target = exports === undefined || exports === null ? `./${manifestFile}` : exportedManifest(exports);
  if (target === undefined || target === "unsure") return target;
  const path = join(fs.realpathSync.native(folder), target);
  if (fs.existsSync(path)) return path;
  // Without `exports`, Node goes on to the folders above.
  return exports === undefined || exports === null ? "unsure" : undefined;
}

function exportedManifest(exports: unknown): string | undefined | "unsure" {
  if (typeof exports === "string") return undefined;
  if (typeof exports !== "object" || exports === null || Array.isArray(exports)) return "unsure";
  const target = (exports as Readonly<Record<string, unknown>>)[`./${manifestFile}`];
  if (typeof target === "string")
    return target.startsWith("./") && !/[\\%*]|\/(\.{1,2}|node_modules)(\/|$)/.test(target.slice(1)) ? target : "unsure";
  // Patterns and conditions have rules of their own.
  return target === undefined && !Object.keys(exports).some((key) => key.includes("*") || key.endsWith("/")) ? undefined : "unsure";
}

/** Why {@link resolverOf} finds nothing of a package that is meant to be there. */
export function missingManifest(from: string, name: string): ToolwrightError {
  const details = { package: name };
  const folder = packageFolder(from, name);
  if (folder === undefined) {
    return new ToolwrightError("REGISTRY_NOT_INSTALLED", `${name} is allowed, but it is not installed.`, {
      fix: `Run \`npm install ${name}\`, or take it off \`allow\`.`,
      details,
    });
  }
  if (nodeFs().existsSync(join(folder, manifestFile))) {
    return new ToolwrightError("REGISTRY_MANIFEST", `${name} does not export its manifest.`, {
      fix: `Its author should add \`"./${manifestFile}": "./${manifestFile}"\` to \`exports\` in its package.json.`,
      details,
    });
  }
  return new ToolwrightError("REGISTRY_MANIFEST", `${name} is installed, but it has no ${manifestFile}.`, {
    fix: `Take it off \`allow\`. If it is a tool package, its author should run \`npx toolwright build\`, and publish the file by \`files\` and \`exports\`.`,
    details,
  });
}

function packageFolder(from: string, name: string): string | undefined {
  const folders = nodeModule().createRequire(from).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => nodeFs().existsSync(join(folder, "package.json")));
}

/**
 * Imports a package's main entry, as an `import` in the app would find it.
 *
 * @throws ToolwrightError `REGISTRY_LOAD` when there is none, `REGISTRY_ENGINE` when its package.json asks for another
 * release of this package: a manifest of before `engines` does not tell.
 */
export async function importPackage(manifestPath: string, name: string): Promise<unknown> {
  const [folder, packageJson] = owningFolder(manifestPath, name);
  const core = packageJson.peerDependencies?.[coreName];
  if (core !== undefined) assertEngines({ package: name, engines: { [coreName]: core } });
  return await import(resolveEntry(folder, name, packageJson));
}

function resolveEntry(folder: string, name: string, { exports }: PackageJson): string {
  if (exports === undefined) return legacyEntry(folder, name);
  const entry = importTarget(exports, true);
  if (entry === undefined || entry === null) {
    throw new ToolwrightError("REGISTRY_LOAD", `The package ${name} has no entry that can be imported.`, {
      fix: 'Its author should add `"exports": { ".": "./dist/index.js" }` to its package.json.',
      details: { package: name },
    });
  }
  const path = join(folder, entry);
  if (!nodeFs().existsSync(path)) {
    throw new ToolwrightError("REGISTRY_LOAD", `The package ${name} has no file ${entry}, which its package.json names as its entry.`, {
      fix: "Build it. If it came from a registry, its author should publish it with what its build writes.",
      details: { package: name },
    });
  }
  return pathToFileURL(path).href;
}

function legacyEntry(folder: string, name: string): string {
  try {
    return pathToFileURL(nodeModule().createRequire(join(folder, "package.json")).resolve(folder)).href;
  } catch (cause) {
    throw new ToolwrightError("REGISTRY_LOAD", `The package ${name} has neither \`exports\` nor a file that \`main\` names.`, {
      cause,
      fix: 'Its author should build it, and add `"exports": { ".": "./dist/index.js" }` to its package.json.',
      details: { package: name },
    });
  }
}

// The manifest may stand deeper, as in dist.
function owningFolder(manifestPath: string, name: string) {
  for (let folder = dirname(manifestPath); dirname(folder) !== folder; folder = dirname(folder)) {
    const found = readPackageJson(folder);
    if (found?.name === name) return [folder, found] as const;
  }
  throw new ToolwrightError("REGISTRY_LOAD", `There is no package.json of ${name} at or above its manifest.`, {
    fix: "Install the package again.",
    details: { package: name },
  });
}

const conditions = new Set(["node", "import", "module-sync", "default"]);

/** The target of `.` under the conditions that an `import` has, in the order in which they stand; null when it is blocked. */
function importTarget(target: unknown, isRoot = false): string | null | undefined {
  if (typeof target === "string" || target === null) return target;
  if (typeof target !== "object") return undefined;
  if (Array.isArray(target)) return target.map((each) => importTarget(each)).find((each) => typeof each === "string");
  for (const [key, value] of Object.entries(target)) {
    if (!(isRoot && key === ".") && !conditions.has(key)) continue;
    const found = importTarget(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
