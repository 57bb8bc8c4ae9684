import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { appFile, appPackage } from "./declared-dependencies.js";
import { assertEngines } from "./engines.js";
import { readManifest } from "./find-packages.js";
import { toolHash } from "./manifest-hash.js";
import { listBroken, listUnallowed, offer, type PackageListing } from "./offer.js";
import type { Allowances } from "./package-allowance.js";
import { assertUsable, firstLine } from "./package-manifest.js";
import { resolverOf } from "./resolve-package.js";
import { assertDistinctNames, type NamedTool } from "./tool-name-clash.js";

/** A tool package as it is installed, allowed or not. */
export interface InstalledPackage {
  readonly package: string;
  /** Of its manifest, absolute. */
  readonly path: string;
  /** Undefined when it cannot be read. */
  readonly manifest: PackageManifest | undefined;
  /** Why it cannot be used; undefined when it can. */
  readonly problem: string | undefined;
  /** Tools whose description or schema is not the one that their author's build wrote. */
  readonly editedTools: readonly string[];
}

/** The tool packages of an app. */
export interface InstalledPackages {
  /** The folder of the app's package.json. */
  readonly folder: string;
  /** By name. */
  readonly packages: readonly InstalledPackage[];
}

/**
 * Finds the tool packages among an app's declared dependencies, and the app itself when it is one. Only their manifests are
 * read: for tools that look at packages. An app uses `ToolRegistry.discover`.
 *
 * @param from - `import.meta.url` of a file of the app, or an absolute path of a file or folder in it.
 * @param more - names to look for beside those that it declares, as an allow-list may have them.
 * @throws ToolwrightError `RUN_OPTIONS`, `REGISTRY_NOT_INSTALLED` when there is no app.
 */
export function installedToolPackages(from: string | URL, more: readonly string[] = []): InstalledPackages {
  const file = appFile(from);
  const { folder, name: own, dependencies } = appPackage(file);
  const resolve = resolverOf(file, own);
  const names = [...new Set([...dependencies, ...(own === undefined ? [] : [own]), ...more])].sort();
  const packages = names.flatMap((name): InstalledPackage[] => {
    const path = resolve(name);
    return path === undefined ? [] : [installed(path, name)];
  });
  return { folder, packages };
}

function installed(path: string, name: string): InstalledPackage {
  let manifest: PackageManifest | undefined;
  try {
    manifest = readManifest(path, name);
    assertEngines(manifest);
    assertUsable(manifest);
    return { package: name, path, manifest, problem: undefined, editedTools: editedTools(manifest) };
  } catch (error) {
    return { package: name, path, manifest, problem: firstLine(error), editedTools: [] };
  }
}

/** Hashes show that a manifest was edited, not by whom: whoever edits it can write other hashes too. */
function editedTools({ hashes, toolkits }: PackageManifest): readonly string[] {
  if (hashes === undefined) return [];
  const tools = toolkits.flatMap((toolkit) => toolkit.tools);
  return tools.filter((tool) => Object.hasOwn(hashes, tool.name) && hashes[tool.name] !== toolHash(tool)).map(({ name }) => name);
}

/** What a registry with an allow-list would list. Nothing is thrown: what is wrong is said in the listing. */
export interface ToolPackageListing {
  readonly packages: readonly PackageListing[];
  /** Why a registry with this allow-list would not start, beside what is wrong with single packages. */
  readonly problem: string | undefined;
}

/** What a registry with this allow-list would list of installed packages. */
export function listToolPackages(packages: readonly InstalledPackage[], allow: Allowances): ToolPackageListing {
  const named: NamedTool[] = [];
  const listing = packages.map((each) => listOne(each, allow, named));
  const missing = Object.keys(allow).filter((name) => !packages.some((each) => each.package === name));
  listing.push(...missing.map((name) => listBroken(name, undefined, "it is allowed, but it is not an installed tool package")));
  return { packages: listing.sort((left, right) => (left.package < right.package ? -1 : 1)), problem: clashOf(named) };
}

function listOne({ package: name, manifest, problem }: InstalledPackage, allow: Allowances, named: NamedTool[]): PackageListing {
  const allowance = Object.hasOwn(allow, name) ? allow[name] : undefined;
  if (manifest === undefined || problem !== undefined) return listBroken(name, manifest?.version, problem ?? "its manifest cannot be read");
  if (allowance === undefined) return listUnallowed(manifest);
  try {
    const { listing, tools } = offer(manifest, allowance);
    for (const { name: tool, identity } of tools) named.push({ name: tool, identity, owner: identity, rename: undefined });
    return listing;
  } catch (error) {
    return listBroken(name, manifest.version, firstLine(error));
  }
}

function clashOf(named: readonly NamedTool[]): string | undefined {
  try {
    assertDistinctNames(named);
    return undefined;
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return firstLine(error);
  }
}
