import type { PackageManifest, ToolkitManifest } from "../contracts/manifest.js";
import { nodeUtil } from "./node-modules.js";

/**
 * In what the toolkits that a package makes differ from its manifest, as a phrase; undefined when they are the same.
 *
 * @param made - what the class of each toolkit was registered with; undefined for one whose class was not.
 */
export function codeDifference(manifest: PackageManifest, made: readonly (ToolkitManifest | undefined)[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, built] of made.entries()) {
    if (built === undefined) return `entry ${index} of what it makes is no instance of a tool class from its generated module`;
    const { className } = built;
    if (seen.has(className)) return `it makes two instances of ${className}`;
    seen.add(className);
    const listed = manifest.toolkits.find((toolkit) => toolkit.className === className);
    if (listed === undefined) return `it makes a ${className}, which the manifest does not have`;
    if (built.package !== manifest.package) return `its ${className} was built for ${built.package ?? "an app, not for a tool package"}`;
    const different = toolDifference(listed, built);
    if (different !== undefined) return different;
  }
  const missing = manifest.toolkits.find(({ className }) => !seen.has(className));
  return missing === undefined ? undefined : `it makes no ${missing.className}`;
}

function toolDifference(listed: ToolkitManifest, built: ToolkitManifest): string | undefined {
  for (const tool of listed.tools) {
    const other = built.tools.find((candidate) => candidate.name === tool.name);
    if (other === undefined) return `there is no tool ${tool.name} in the code`;
    const key = firstDifferentKey(plain(tool), plain(other));
    if (key !== undefined) return `\`${key}\` of the tool ${tool.name} is another one in the code`;
  }
  const unlisted = built.tools.find((tool) => !listed.tools.some(({ name }) => name === tool.name));
  return unlisted === undefined ? undefined : `the tool ${unlisted.name} is not in the manifest`;
}

function firstDifferentKey(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys({ ...one, ...other }).find((key) => !nodeUtil().isDeepStrictEqual(one[key], other[key]));
}

// Through JSON, as the manifest went: an option left out and one that is undefined are the same.
const plain = (value: object): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(value)) as Readonly<Record<string, unknown>>;
