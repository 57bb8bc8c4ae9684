import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { AppPackage } from "./declared-dependencies.js";
import { assertEngines } from "./engines.js";
import { nodeFs } from "./node-modules.js";
import { listBroken, type PackageListing } from "./offer.js";
import type { Allowances } from "./package-allowance.js";
import { assertPackageManifest, assertUsable, firstLine } from "./package-manifest.js";
import { importPackage, missingManifest, resolverOf } from "./resolve-package.js";

/** A tool package with a manifest that was read and checked. */
export interface FoundPackage {
  readonly manifest: PackageManifest;
  readonly load: () => Promise<unknown>;
}

/**
 * The tool packages among an app's declared dependencies and the names that it allows, by Node's own resolution from a
 * file of the app. Their manifests are read; none of their code runs.
 *
 * @param skipBroken - report an allowed package whose manifest cannot be used instead of throwing.
 */
export function findPackages(
  file: string,
  { name: own, dependencies }: AppPackage,
  allow: Allowances,
  skipBroken: boolean,
): { readonly found: readonly FoundPackage[]; readonly broken: readonly PackageListing[] } {
  const found: FoundPackage[] = [];
  const broken: PackageListing[] = [];
  const resolve = resolverOf(file, own);
  for (const name of new Set([...dependencies, ...Object.keys(allow)])) {
    const isAllowed = Object.hasOwn(allow, name);
    let manifest: PackageManifest | undefined;
    try {
      const path = resolve(name);
      if (path === undefined) {
        if (isAllowed) throw missingManifest(file, name);
        continue;
      }
      manifest = readManifest(path, name);
      if (isAllowed) {
        assertEngines(manifest);
        assertUsable(manifest);
      }
      found.push({ manifest, load: () => importPackage(path, name) });
    } catch (error) {
      // One that is not allowed cannot do harm, whatever its manifest looks like; one that is not there is a mistake in any case.
      if (isAllowed && (!skipBroken || !isOfPackage(error))) throw error;
      broken.push(listBroken(name, manifest?.version, firstLine(error)));
    }
  }
  return { found, broken };
}

const isOfPackage = (error: unknown): boolean =>
  ToolwrightError.is(error, "REGISTRY_MANIFEST") || ToolwrightError.is(error, "REGISTRY_ENGINE");

/**
 * Reads a package's manifest.
 *
 * @throws ToolwrightError `REGISTRY_MANIFEST`.
 */
export function readManifest(path: string, name: string): PackageManifest {
  let value: unknown;
  try {
    value = JSON.parse(nodeFs().readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ToolwrightError("REGISTRY_MANIFEST", `The manifest of ${name} cannot be read.`, { cause, details: { package: name } });
  }
  assertPackageManifest(value, name);
  return value;
}
