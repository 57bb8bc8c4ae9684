import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { coreVersion } from "./core-version.js";
import { satisfies } from "./version-range.js";

/** The npm name of this package, as manifests have it in `engines`. */
export const coreName = "@toolwright/core";

/**
 * Refuses a package that was made for another release of this one, or of Node, before any of its code is imported. What the
 * manifest says of other engines is none of this package's business.
 *
 * @throws ToolwrightError `REGISTRY_ENGINE` naming both versions.
 */
export function assertEngines({ package: name, engines = {} }: Pick<PackageManifest, "package" | "engines">): void {
  const { [coreName]: core, node } = engines;
  if (core !== undefined && satisfies(coreVersion, core) === false) {
    const fix = `Install a version of ${name} that works with ${coreName} ${coreVersion}, or run \`npm install "${coreName}@${core}"\`.`;
    throw wrong(name, `works with ${coreName} ${core}, and this is ${coreVersion}`, fix);
  }
  const here = process.versions.node;
  if (node !== undefined && satisfies(here, node) === false)
    throw wrong(name, `works with Node ${node}, and this is ${here}`, `Run the app on Node ${node}.`);
}

const wrong = (name: string, what: string, fix: string): ToolwrightError =>
  new ToolwrightError("REGISTRY_ENGINE", `${name} ${what}.`, { fix, details: { package: name } });
