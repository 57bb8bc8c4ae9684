/// <reference lib="esnext.disposable" preserve="true" />
import type { RunnableTool, ToolSource } from "../contracts/tool.js";
import { inspectCustom, inspected } from "../errors/inspect-custom.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { assertConfig } from "./config-schema.js";
import { appFile, appPackage } from "./declared-dependencies.js";
import { assertEngines } from "./engines.js";
import { findPackages, type FoundPackage } from "./find-packages.js";
import { assertApproved, type ToolLock } from "./lock.js";
import { assertOffered, listUnallowed, offer, type PackageListing } from "./offer.js";
import { type Allowances, assertAllowances } from "./package-allowance.js";
import { assertUsable } from "./package-manifest.js";
import { PackageSource } from "./package-source.js";
import { packageTools } from "./package-tools.js";
import { preloadSources, type PreloadOptions } from "./preload.js";
import {
  type BundledPackage,
  bundledPackages,
  type BundleOptions,
  checkedBundleOptions,
  checkedDiscoverOptions,
  type DiscoverOptions,
  lockOfApp,
  type MakingOptions,
} from "./registry-options.js";
import { assertDistinctNames, type NamedTool } from "./tool-name-clash.js";

/** What a registry is made of. */
interface RegistryParts {
  readonly listing: readonly PackageListing[];
  readonly sources: readonly PackageSource[];
  tools(): readonly RunnableTool[];
}

/**
 * Tools of installed packages, by their manifests. Listing and offering run no code of a package; it is imported when a
 * call of one of its tools runs.
 *
 * @example
 * const registry = await ToolRegistry.discover({ from: import.meta.url, allow: { "@toolwright/tools-weather": {} } });
 * const agent = new Agent({ model: "gpt-5.4-mini", tools: [registry] });
 */
export class ToolRegistry implements ToolSource, AsyncDisposable {
  readonly #listing: readonly PackageListing[];
  readonly #sources: readonly PackageSource[];
  readonly "~toolwright.tools": { tools(): readonly RunnableTool[] };

  private constructor({ listing, sources, tools }: RegistryParts) {
    this.#listing = listing;
    this.#sources = sources;
    let made: readonly RunnableTool[] | undefined;
    this["~toolwright.tools"] = { tools: () => (made ??= tools()) };
  }

  /**
   * Finds the tool packages among an app's declared dependencies.
   *
   * @throws ToolwrightError `REGISTRY_NOT_INSTALLED`, `REGISTRY_MANIFEST`, `REGISTRY_ENGINE`, `REGISTRY_DRIFT`,
   * `REGISTRY_CONFIG`, `REGISTRY_EMPTY`, `TOOL_NAME_CLASH`, each naming the package; `REGISTRY_LOCK` for a lock that cannot
   * be used; `RUN_OPTIONS` for a wrong option.
   */
  static async discover(options: DiscoverOptions): Promise<ToolRegistry> {
    const given = checkedDiscoverOptions(options);
    const file = appFile(given.from);
    const app = appPackage(file);
    const { found, broken } = findPackages(file, app, given.allow, given.onBroken === "skip");
    return new ToolRegistry(partsOf(found, given.allow, lockOfApp(app.folder, given.lock), given, broken));
  }

  /**
   * A registry from manifests and loaders: for bundles, where there is no folder to resolve from. Without `allow`, all is allowed.
   *
   * @example
   * ToolRegistry.from([{ manifest, load: () => import("@acme/tools-stock") }]);
   * @throws ToolwrightError as {@link ToolRegistry.discover}.
   */
  static from(packages: readonly BundledPackage[], options: BundleOptions = {}): ToolRegistry {
    const found = bundledPackages(packages);
    const given = checkedBundleOptions(options);
    const allow = given.allow ?? Object.fromEntries(found.map(({ manifest }) => [manifest.package, {}]));
    assertAllowances(allow);
    const missing = Object.keys(allow).find((name) => !found.some(({ manifest }) => manifest.package === name));
    if (missing !== undefined) {
      throw new ToolwrightError(
        "REGISTRY_NOT_INSTALLED",
        `${missing} is allowed, but it is not among the packages given to \`ToolRegistry.from\`.`,
        {
          fix: "Add its manifest and loader to the list, or take it off `allow`.",
          details: { package: missing },
        },
      );
    }
    for (const { manifest } of found) {
      if (!Object.hasOwn(allow, manifest.package)) continue;
      assertEngines(manifest);
      assertUsable(manifest);
    }
    return new ToolRegistry(partsOf(found, allow, given.lock, given, []));
  }

  /** What is installed, allowed and offered, with reasons. From manifests alone. */
  list(): readonly PackageListing[] {
    return this.#listing;
  }

  /**
   * Imports all allowed packages now, side by side, so that a broken one fails at start.
   *
   * @throws ToolwrightError `REGISTRY_LOAD`, `REGISTRY_MISMATCH`, `REGISTRY_CONFIG` of the first that fails, with the names of
   * the others; `REGISTRY_LOAD` for one that takes longer than `timeoutMs`, and the signal's reason when it is aborted.
   */
  async preload(options: PreloadOptions = {}): Promise<void> {
    await preloadSources(this.#sources, options);
  }

  /** Disposes the toolkits that were made (`Symbol.asyncDispose` or `Symbol.dispose`), last made first. Calls of them fail from then on. */
  async [Symbol.asyncDispose](): Promise<void> {
    const sources = [...this.#sources].reverse();
    const ends = await Promise.allSettled(sources.map((source) => source.dispose()));
    const failed = ends.filter((end) => end.status === "rejected");
    if (failed.length > 0) throw failed[0]?.reason;
  }

  /** Names only: a configuration may hold secrets. */
  toJSON(): object {
    return { packages: this.#listing.map(({ package: name, version, state }) => ({ package: name, version, state })) };
  }

  [inspectCustom](): string {
    return `ToolRegistry ${inspected(this.toJSON())}`;
  }
}

/** Holds packages against the lock and the allow-list, and offers what is left. */
function partsOf(
  found: readonly FoundPackage[],
  allow: Allowances,
  lock: ToolLock | undefined,
  { resolve, environment = process.env }: MakingOptions,
  broken: readonly PackageListing[],
): RegistryParts {
  const listing: PackageListing[] = [...broken];
  const sources: PackageSource[] = [];
  const named: NamedTool[] = [];
  const makers: (() => readonly RunnableTool[])[] = [];
  for (const { manifest, load } of found) {
    const { package: name } = manifest;
    const allowance = Object.hasOwn(allow, name) ? allow[name] : undefined;
    if (allowance === undefined) {
      listing.push(listUnallowed(manifest));
      continue;
    }
    if (lock !== undefined) assertApproved(lock, manifest);
    const offered = offer(manifest, allowance);
    assertOffered(offered);
    assertConfig(manifest, allowance.config, environment);
    const source = new PackageSource(manifest, { load, config: allowance.config, environment, resolve });
    listing.push(offered.listing);
    sources.push(source);
    makers.push(() => packageTools(source, offered.tools));
    const rename = (prefix: string): string => `Add \`prefix: "${prefix}"\` to \`allow["${name}"]\`.`;
    for (const { name: tool, identity } of offered.tools) named.push({ name: tool, identity, owner: identity, rename });
  }
  if (named.length === 0) throw nothingOffered(listing);
  assertDistinctNames(named);
  listing.sort((left, right) => (left.package < right.package ? -1 : 1));
  return { listing: Object.freeze(listing), sources, tools: () => Object.freeze(makers.flatMap((make) => make())) };
}

function nothingOffered(listing: readonly PackageListing[]): ToolwrightError {
  const seen = listing.map(({ package: name, state, problem }) =>
    problem === undefined ? `${name} (${state})` : `${name} (${state}: ${problem})`,
  );
  const hasBroken = listing.some(({ state }) => state === "broken");
  const what = seen.length === 0 ? "There is no tool package among the app's dependencies" : `Seen: ${seen.join(", ")}`;
  return new ToolwrightError("REGISTRY_EMPTY", `No tool is offered. ${what}.`, {
    fix:
      seen.length === 0 ? "Install one, and name it in `allow`." : hasBroken ? "Update the broken packages." : "Name a package in `allow`.",
  });
}
