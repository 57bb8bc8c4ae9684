import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type PackageManifest, toolHash, type ToolkitManifest } from "@toolwright/core";
import { corePackage } from "../compile/decorators.js";
import type { PackageDefinition } from "./package-definition.js";

type Details = Pick<PackageManifest, "engines" | "needs" | "config" | "hashes">;

interface PackageJson {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What a package's manifest says of it as a whole. */
export function manifestDetails(folder: string, toolkits: readonly ToolkitManifest[], definition: PackageDefinition | undefined): Details {
  const tools = toolkits.flatMap((toolkit) => toolkit.tools);
  return {
    engines: enginesOf(folder),
    ...(definition?.needs !== undefined && { needs: definition.needs }),
    ...(definition?.config !== undefined && { config: definition.config }),
    hashes: Object.fromEntries(tools.map((tool) => [tool.name, toolHash(tool)])),
  };
}

/** The releases that the package asks for in its package.json. */
function enginesOf(folder: string): Readonly<Record<string, string>> {
  const { engines, peerDependencies, dependencies } = readJson(join(folder, "package.json"));
  const core = plainRange((peerDependencies ?? {})[corePackage] ?? (dependencies ?? {})[corePackage], folder);
  return { ...(core !== undefined && { [corePackage]: core }), ...(engines?.node !== undefined && { node: engines.node }) };
}

/** A range as it will be published: package managers replace the protocols of a workspace when they pack. */
function plainRange(range: string | undefined, folder: string): string | undefined {
  if (range === undefined) return undefined;
  const [protocol, rest] = /^(workspace|catalog):(.*)$/.exec(range)?.slice(1) ?? [];
  if (protocol === undefined) return range;
  if (protocol === "workspace" && rest !== undefined && /\d/.test(rest)) return rest;
  const installed = installedVersion(folder);
  if (installed === undefined) return undefined;
  return protocol === "workspace" && rest === "*" ? installed : `${rest === "~" ? "~" : "^"}${installed}`;
}

function installedVersion(folder: string): string | undefined {
  const places = createRequire(join(folder, "package.json")).resolve.paths(corePackage) ?? [];
  for (const place of places) {
    const { version } = readJson(join(place, corePackage, "package.json"));
    if (version !== undefined) return version;
  }
  return undefined;
}

function readJson(path: string): PackageJson {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as PackageJson;
  } catch {
    return {};
  }
}
