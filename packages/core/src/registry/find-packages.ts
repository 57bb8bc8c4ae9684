import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { declaredDependencies } from "./declared-dependencies.js";
import type { PackageListing } from "./offer.js";
import type { Allowances } from "./package-allowance.js";
import { assertPackageManifest, assertUsable, firstLine } from "./package-manifest.js";
import { missingManifest, resolveEntry, resolveManifest } from "./resolve-package.js";
import { nodeFs } from "./node-modules.js";

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
  allow: Allowances,
  skipBroken: boolean,
): { readonly found: readonly FoundPackage[]; readonly broken: readonly PackageListing[] } {
  const found: FoundPackage[] = [];
  const broken: PackageListing[] = [];
  for (const name of new Set([...declaredDependencies(file), ...Object.keys(allow)])) {
    const isAllowed = Object.hasOwn(allow, name);
    try {
      const path = resolveManifest(file, name);
      if (path === undefined) {
        if (isAllowed) throw missingManifest(file, name);
        continue;
      }
      const manifest = readManifest(path, name);
      if (isAllowed) assertUsable(manifest);
      found.push({ manifest, load: () => import(resolveEntry(path, name)) });
    } catch (error) {
      // One that is not allowed cannot do harm, whatever its manifest looks like; one that is not there is a mistake in any case.
      if (isAllowed && (!skipBroken || !ToolwrightError.is(error, "REGISTRY_MANIFEST"))) throw error;
      broken.push(Object.freeze({ package: name, version: undefined, state: "broken", tools: [], problem: firstLine(error) }));
    }
  }
  return { found, broken };
}

function readManifest(path: string, name: string): PackageManifest {
  let value: unknown;
  try {
    value = JSON.parse(nodeFs().readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ToolwrightError("REGISTRY_MANIFEST", `The manifest of ${name} cannot be read.`, { cause, details: { package: name } });
  }
  assertPackageManifest(value, name);
  return value;
}
