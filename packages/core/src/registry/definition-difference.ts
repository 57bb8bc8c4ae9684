import type { PackageManifest } from "../contracts/manifest.js";
import { canonicalJson } from "./manifest-hash.js";
import type { ToolPackage } from "./tool-package.js";

/**
 * In what the default export of a package differs from its manifest, as a phrase; undefined when it does not. A manifest
 * without `engines` was built before manifests told of these.
 */
export function definitionDifference({ engines, needs, config }: PackageManifest, code: ToolPackage): string | undefined {
  if (engines === undefined) return undefined;
  if ((config === undefined) !== (code.config === undefined)) {
    return config === undefined
      ? "it takes a configuration, which the manifest does not have"
      : "it takes no configuration, and the manifest has one";
  }
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["needs", needs ?? {}, code.needs ?? {}],
    ["environment", config?.environment ?? {}, code.environment ?? {}],
    ["secrets", [...(config?.secrets ?? [])].sort(), [...(code.secrets ?? [])].sort()],
  ];
  const other = pairs.find(([, listed, own]) => canonicalJson(listed) !== canonicalJson(own));
  return other === undefined ? undefined : `its \`${other[0]}\` are others in the code`;
}
