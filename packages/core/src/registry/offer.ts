import type { PackageManifest, ToolManifest } from "../contracts/manifest.js";
import type { ToolEffect } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** What an app allows of one package. `{}` allows all of it. */
export interface PackageAllowance {
  /** Goes before each name: `acme` makes `get_stock` into `acme_get_stock`. */
  readonly prefix?: string | undefined;
  /** Names of tools, as the manifest has them. Default all. */
  readonly tools?: readonly string[] | undefined;
  /** Default all. A tool without a declared effect counts as a write. */
  readonly effects?: readonly ToolEffect[] | undefined;
  /** For the package's `create`. */
  readonly config?: object | undefined;
}

/** A tool of a package: what it is called here, and why it is not offered if it is not. */
export interface ToolListing {
  /** As the manifest has it. */
  readonly name: string;
  /** As the model sees it; undefined when it is not offered. */
  readonly offeredAs: string | undefined;
  readonly effect: ToolEffect;
  readonly description: string;
  /** Why it is not offered. */
  readonly reason: string | undefined;
}

/** A package in one of three states: installed, allowed, offered. */
export interface PackageListing {
  readonly package: string;
  readonly version: string | undefined;
  readonly state: "installed" | "allowed" | "offered" | "broken";
  readonly tools: readonly ToolListing[];
  /** What is wrong with a broken package. */
  readonly problem: string | undefined;
}

/**
 * What of a package is offered, from its manifest alone.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a tool that the package does not have, `REGISTRY_EMPTY` when nothing is left.
 */
export function offer(manifest: PackageManifest, allowance: PackageAllowance): readonly ToolListing[] {
  const tools = manifest.toolkits.flatMap((toolkit) => toolkit.tools);
  assertAllowance(manifest, tools, allowance);
  const listing = tools.map((tool) => listTool(tool, allowance));
  if (listing.every(({ offeredAs }) => offeredAs === undefined)) {
    throw new ToolwrightError("REGISTRY_EMPTY", `Nothing of ${manifest.package} is left to offer: ${listing.map(({ name, reason }) => `${name} (${reason})`).join(", ")}.`, {
      details: { package: manifest.package },
    });
  }
  return listing;
}

/** A package that is installed but not allowed: nothing of it is offered. */
export function listUnallowed(manifest: PackageManifest): PackageListing {
  const tools = manifest.toolkits.flatMap((toolkit) => toolkit.tools).map((tool) => entry(tool, undefined, "the package is not allowed"));
  return { package: manifest.package, version: manifest.version, state: "installed", tools, problem: undefined };
}

function listTool(tool: ToolManifest, { prefix, tools, effects }: PackageAllowance): ToolListing {
  if (tools !== undefined && !tools.includes(tool.name)) return entry(tool, undefined, "it is not among the allowed `tools`");
  if (effects !== undefined && !effects.includes(tool.effect ?? "write")) {
    return entry(tool, undefined, `its effect, ${tool.effect ?? "write"}, is not among the allowed \`effects\``);
  }
  return entry(tool, prefix === undefined ? tool.name : `${prefix}_${tool.name}`, undefined);
}

function entry(tool: ToolManifest, offeredAs: string | undefined, reason: string | undefined): ToolListing {
  return { name: tool.name, offeredAs, effect: tool.effect ?? "write", description: tool.description, reason };
}

function assertAllowance(manifest: PackageManifest, tools: readonly ToolManifest[], allowance: PackageAllowance): void {
  const unknownKey = Object.keys(allowance).find((key) => !["prefix", "tools", "effects", "config"].includes(key));
  if (unknownKey !== undefined) throw wrong(manifest, `has no option ${JSON.stringify(unknownKey)}`, "The options are prefix, tools, effects and config.");
  const missing = allowance.tools?.find((name) => !tools.some((tool) => tool.name === name));
  if (missing !== undefined) throw wrong(manifest, `names ${JSON.stringify(missing)}, which the package does not have`, `It has ${tools.map(({ name }) => name).join(", ")}.`);
  const noEffect = allowance.effects?.find((effect) => !["read", "write", "destructive"].includes(effect));
  if (noEffect !== undefined) throw wrong(manifest, `has the effect ${JSON.stringify(noEffect)}`, 'Use "read", "write" or "destructive".');
  if (allowance.prefix !== undefined && !/^[a-zA-Z0-9_-]+$/.test(allowance.prefix)) {
    throw wrong(manifest, `has the prefix ${JSON.stringify(allowance.prefix)}`, "Use letters, digits, _ and -.");
  }
}

function wrong(manifest: PackageManifest, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_OPTIONS", `allow["${manifest.package}"] ${what}.`, { fix });
}
