import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { nodeFs } from "./node-modules.js";

/** The parts of a package.json that discovery looks at. */
export interface PackageJson {
  readonly name?: string | undefined;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
  readonly devDependencies?: Readonly<Record<string, string>> | undefined;
  readonly peerDependencies?: Readonly<Record<string, string>> | undefined;
}

/**
 * The file of the app from which packages are resolved: `import.meta.url`, or an absolute path of a file or folder.
 *
 * @throws ToolwrightError `RUN_OPTIONS`.
 */
export function appFile(from: unknown): string {
  const path = pathOf(from);
  if (path === undefined || !isAbsolute(path)) {
    const shown = from instanceof URL ? from.href : from;
    throw new ToolwrightError("RUN_OPTIONS", `\`from\` is ${typeof shown === "string" ? JSON.stringify(shown) : typeof shown}.`, {
      fix: "Pass `from: import.meta.url` of a file of your app. In a bundle that has none, use `ToolRegistry.from([{ manifest, load }])`.",
    });
  }
  return nodeFs().statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, "index.js") : path;
}

/** A path, or that of a file URL; undefined for anything else. */
function pathOf(from: unknown): string | undefined {
  if (!(from instanceof URL) && !(typeof from === "string" && /^[a-z][a-z\d+.-]+:/i.test(from)))
    return typeof from === "string" ? from : undefined;
  try {
    return fileURLToPath(from);
  } catch {
    // Of another protocol, or of a file on another host.
    return undefined;
  }
}

/** The app of a file: the folder of its package.json, and the names of the dependencies that this declares. */
export interface AppPackage {
  readonly folder: string;
  readonly name: string | undefined;
  /** Sorted. Nothing is found by scanning folders. */
  readonly dependencies: readonly string[];
}

/**
 * Reads the package.json of the app that a file belongs to.
 *
 * @throws ToolwrightError `REGISTRY_NOT_INSTALLED` when there is no package.json, `RUN_OPTIONS` when it is not JSON.
 */
export function appPackage(file: string): AppPackage {
  const [folder, { name, dependencies, optionalDependencies, devDependencies }] = packageJsonAbove(file);
  const names = [dependencies, optionalDependencies, devDependencies].flatMap((group) => Object.keys(group ?? {}));
  return { folder, name, dependencies: [...new Set(names)].sort() };
}

function packageJsonAbove(file: string): readonly [folder: string, found: PackageJson] {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = readPackageJson(folder);
    // One that only says `"type": "module"`, as builds put into dist, is not the app's.
    if (found !== undefined && (found.name !== undefined || Object.keys(found).some((key) => /dependencies$/i.test(key))))
      return [folder, found];
    if (dirname(folder) !== folder) continue;
    throw new ToolwrightError(
      "REGISTRY_NOT_INSTALLED",
      "There is no package.json with a name or dependencies at or above the file given as `from`.",
      {
        fix: "Pass `from: import.meta.url` of a file of your app.",
      },
    );
  }
}

/**
 * The package.json of a folder; undefined when it has none.
 *
 * @throws ToolwrightError `RUN_OPTIONS` when it is not JSON.
 */
export function readPackageJson(folder: string): PackageJson | undefined {
  const path = join(folder, "package.json");
  let text: string;
  try {
    text = nodeFs().readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch (error) {
    throw new ToolwrightError("RUN_OPTIONS", `${path} is not JSON.`, { cause: error, fix: "Correct the package.json." });
  }
}
