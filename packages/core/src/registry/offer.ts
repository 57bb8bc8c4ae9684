import type { PackageManifest, PackageNeeds, ToolManifest } from "../contracts/manifest.js";
import type { ToolEffect } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { type PackageAllowance, wrongAllowance } from "./package-allowance.js";
import { isToolName } from "./tool-info.js";

/** A tool of a package: what it is called here, and why it is not offered if it is not. */
export interface ToolListing {
  /** As the manifest has it. */
  readonly name: string;
  /**
   * - `installed`: not allowed, since its package is not or `tools` does not name it.
   * - `allowed`: allowed by name, but its effect is not.
   * - `offered`: an agent with this registry has it.
   */
  readonly state: "installed" | "allowed" | "offered";
  /** As the model sees it; undefined when it is not offered. */
  readonly offeredAs: string | undefined;
  readonly effect: ToolEffect;
  /** As the model reads it. */
  readonly description: string;
  /** Why it is not offered. */
  readonly reason: string | undefined;
}

/** A package that was found. */
export interface PackageListing {
  readonly package: string;
  /** Undefined when the manifest could not be read. */
  readonly version: string | undefined;
  /** `offered`: at least one of its tools is. `installed`: it is not allowed. */
  readonly state: "installed" | "offered" | "broken";
  readonly tools: readonly ToolListing[];
  /** What it says it reaches for. */
  readonly needs: PackageNeeds | undefined;
  /** The keys of its configuration, never their values; undefined when it takes none. */
  readonly config: readonly ConfigKeyListing[] | undefined;
  /** What is wrong with a broken package. */
  readonly problem: string | undefined;
}

/** A key of a package's configuration. */
export interface ConfigKeyListing {
  readonly key: string;
  readonly required: boolean;
  /** The environment variable that may give it. */
  readonly environment: string | undefined;
  readonly secret: boolean;
}

/** What of a package is offered. */
export interface OfferedPackage {
  readonly listing: PackageListing;
  /** The tools that are offered, with their names and descriptions for the model. */
  readonly tools: readonly {
    readonly tool: ToolManifest;
    readonly identity: string;
    readonly name: string;
    readonly description: string;
  }[];
}

/** Longest description of a tool or parameter that a package may send: it is text from elsewhere in every request. */
export const longestDescription = 1_024;

/**
 * What of a package is offered, from its manifest alone; see {@link assertOffered}.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for an allowance that does not fit the package.
 */
export function offer(manifest: PackageManifest, allowance: PackageAllowance): OfferedPackage {
  const all = toolsOf(manifest);
  assertFits(manifest, all, allowance);
  const listed = all.map(({ tool, className }) => ({ tool, className, listing: listTool(tool, allowance) }));
  const tools = listed.flatMap(({ tool, className, listing: { offeredAs: name, description } }) =>
    name === undefined ? [] : [{ tool, identity: `${manifest.package}#${className}.${tool.method}`, name, description }],
  );
  const listing = listPackage(
    manifest,
    tools.length === 0 ? "installed" : "offered",
    listed.map(({ listing: tool }) => tool),
  );
  const tooLong = tools.find(({ name }) => !isToolName(name));
  if (tooLong !== undefined) {
    throw wrongAllowance(
      manifest.package,
      `makes the name ${tooLong.name} of ${tooLong.name.length} characters`,
      "The API takes 64: use a shorter prefix.",
    );
  }
  return { listing, tools };
}

/** A package that is installed but not allowed: nothing of it is offered. */
export function listUnallowed(manifest: PackageManifest): PackageListing {
  const tools = toolsOf(manifest).map(({ tool }) => entry(tool, "installed", undefined, undefined, "the package is not allowed"));
  return listPackage(manifest, "installed", tools);
}

const toolsOf = ({ toolkits }: PackageManifest) => toolkits.flatMap(({ className, tools }) => tools.map((tool) => ({ className, tool })));

function listPackage(manifest: PackageManifest, state: PackageListing["state"], tools: readonly ToolListing[]): PackageListing {
  const { package: name, version } = manifest;
  const needs = manifest.needs === undefined ? undefined : Object.freeze({ ...manifest.needs });
  return Object.freeze({
    package: name,
    version,
    state,
    tools: Object.freeze(tools),
    needs,
    config: configKeys(manifest),
    problem: undefined,
  });
}

function configKeys({ config }: PackageManifest): readonly ConfigKeyListing[] | undefined {
  if (config === undefined) return undefined;
  const { schema, environment = {}, secrets = [] } = config;
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: readonly string[] };
  const keys = [...new Set([...Object.keys(properties), ...Object.keys(environment), ...secrets])];
  return Object.freeze(
    keys.map((key) =>
      Object.freeze({
        key,
        required: required.includes(key),
        environment: Object.hasOwn(environment, key) ? environment[key] : undefined,
        secret: secrets.includes(key),
      }),
    ),
  );
}

/** A package that was found and cannot be used. */
export function listBroken(name: string, version: string | undefined, problem: string): PackageListing {
  return Object.freeze({ package: name, version, state: "broken", tools: [], needs: undefined, config: undefined, problem });
}

function listTool(tool: ToolManifest, { prefix, tools, effects, descriptions }: PackageAllowance): ToolListing {
  const description = descriptions !== undefined && Object.hasOwn(descriptions, tool.name) ? descriptions[tool.name] : undefined;
  if (tools !== undefined && !tools.includes(tool.name)) {
    return entry(tool, "installed", undefined, description, "it is not among the allowed `tools`");
  }
  const effect = tool.effect ?? "write";
  if (effects !== undefined && !effects.includes(effect)) {
    return entry(tool, "allowed", undefined, description, `its effect, ${effect}, is not among the allowed \`effects\``);
  }
  return entry(tool, "offered", prefix === undefined ? tool.name : `${prefix}_${tool.name}`, description, undefined);
}

function entry(
  tool: ToolManifest,
  state: ToolListing["state"],
  offeredAs: string | undefined,
  description: string | undefined,
  reason: string | undefined,
): ToolListing {
  const { name, effect = "write" } = tool;
  return Object.freeze({ name, state, offeredAs, effect, description: description ?? capped(tool.description), reason });
}

/** At most {@link longestDescription} characters of a text, never half of one. */
export function capped(text: string): string {
  if (text.length <= longestDescription) return text;
  return `${text.slice(0, longestDescription - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function assertFits(
  manifest: PackageManifest,
  all: readonly { readonly tool: ToolManifest }[],
  { tools = [], descriptions = {} }: PackageAllowance,
): void {
  const described = Object.keys(descriptions);
  if (tools.length + described.length === 0) return;
  const names = all.map(({ tool }) => tool.name);
  const isMissing = (name: string): boolean => !names.includes(name);
  const wrong = (what: string, name: string): ToolwrightError =>
    wrongAllowance(
      manifest.package,
      `${what} the tool ${JSON.stringify(name)}, which the package does not have`,
      `It has ${names.join(", ")}.`,
    );
  const missing = tools.find(isMissing);
  if (missing !== undefined) throw wrong("names", missing);
  const undescribed = described.find(isMissing);
  if (undescribed !== undefined) throw wrong("describes", undescribed);
}

/** @throws ToolwrightError `REGISTRY_EMPTY` when nothing of a package is offered though it is allowed. */
export function assertOffered({ listing: { package: name, tools }, tools: offered }: OfferedPackage): void {
  if (offered.length > 0) return;
  const reasons = tools.map((tool) => `${tool.name} (${tool.reason})`).join(", ");
  throw new ToolwrightError("REGISTRY_EMPTY", `Nothing of ${name} is left to offer: ${reasons}.`, {
    fix: `Widen \`tools\` or \`effects\` of \`allow["${name}"]\`, or leave the package out of \`allow\`.`,
    details: { package: name },
  });
}
