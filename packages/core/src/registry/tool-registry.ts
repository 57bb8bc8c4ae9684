/// <reference lib="esnext.disposable" preserve="true" />
import type { PackageManifest } from "../contracts/manifest.js";
import type { RunnableTool, ToolSource } from "../contracts/tool.js";
import { inspectCustom, inspected } from "../errors/inspect-custom.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { appFile } from "./declared-dependencies.js";
import { findPackages, type FoundPackage } from "./find-packages.js";
import { listUnallowed, offer, type PackageListing } from "./offer.js";
import { type Allowances, assertAllowances } from "./package-allowance.js";
import { assertPackageManifest, assertUsable } from "./package-manifest.js";
import { PackageSource } from "./package-source.js";
import { packageTools } from "./package-tools.js";
import { assertDistinctNames, type NamedTool } from "./tool-name-clash.js";

/** Options of {@link ToolRegistry.discover}. */
export interface DiscoverOptions {
  /** `import.meta.url` of a file of the app: its declared dependencies are looked at, by Node's own resolution. */
  readonly from: string | URL;
  readonly allow: Allowances;
  /** What an allowed package without a usable manifest does: fail discovery (default), or be reported in `list()`. */
  readonly onBroken?: "fail" | "skip" | undefined;
}

/** A package whose manifest and module are at hand. */
export interface BundledPackage {
  /** What its `toolwright.manifest.json` holds. */
  readonly manifest: unknown;
  /** Imports its main entry: `() => import("@acme/tools-stock")`. */
  readonly load: () => Promise<unknown>;
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

  private constructor(listing: readonly PackageListing[], sources: readonly PackageSource[], tools: readonly RunnableTool[]) {
    this.#listing = listing;
    this.#sources = sources;
    this["~toolwright.tools"] = { tools: () => tools };
  }

  /**
   * Finds the tool packages among an app's declared dependencies.
   *
   * @throws ToolwrightError `REGISTRY_NOT_INSTALLED`, `REGISTRY_MANIFEST`, `REGISTRY_EMPTY`, `TOOL_NAME_CLASH`, each naming
   * the package; `RUN_OPTIONS` for a wrong option.
   */
  static async discover(options: DiscoverOptions): Promise<ToolRegistry> {
    const { from, allow, onBroken = "fail" } = checkedOptions(options);
    const { found, broken } = findPackages(appFile(from), allow, onBroken === "skip");
    return ToolRegistry.#make(found, allow, broken);
  }

  /**
   * A registry from manifests and loaders: for bundles, where there is no folder to resolve from. Without `allow`, all is allowed.
   *
   * @example
   * ToolRegistry.from([{ manifest, load: () => import("@acme/tools-stock") }]);
   * @throws ToolwrightError as {@link ToolRegistry.discover}.
   */
  static from(packages: readonly BundledPackage[], options: { readonly allow?: Allowances | undefined } = {}): ToolRegistry {
    if (!Array.isArray(packages)) throw wrong("`ToolRegistry.from` was given no list.", "Pass `[{ manifest, load: () => import(…) }]`.");
    const found = (packages as readonly BundledPackage[]).map(bundled);
    const allow = options.allow ?? Object.fromEntries(found.map(({ manifest }) => [manifest.package, {}]));
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
    for (const { manifest } of found) if (Object.hasOwn(allow, manifest.package)) assertUsable(manifest);
    return ToolRegistry.#make(found, allow, []);
  }

  static #make(found: readonly FoundPackage[], allow: Allowances, broken: readonly PackageListing[]): ToolRegistry {
    const listing: PackageListing[] = [...broken];
    const sources: PackageSource[] = [];
    const named: NamedTool[] = [];
    for (const { manifest, load } of found) {
      const { package: name } = manifest;
      const allowance = Object.hasOwn(allow, name) ? allow[name] : undefined;
      if (allowance === undefined) {
        listing.push(listUnallowed(manifest));
        continue;
      }
      const offered = offer(manifest, allowance);
      const source = new PackageSource(manifest, load, allowance.config);
      listing.push(offered.listing);
      sources.push(source);
      const rename = (prefix: string): string => `Add \`prefix: "${prefix}"\` to \`allow["${name}"]\`.`;
      named.push(...packageTools(source, offered.tools).map((tool) => ({ tool, owner: tool.info.identity, rename })));
    }
    if (named.length === 0) throw nothingOffered(listing);
    assertDistinctNames(named);
    listing.sort((left, right) => (left.package < right.package ? -1 : 1));
    return new ToolRegistry(Object.freeze(listing), sources, Object.freeze(named.map(({ tool }) => tool)));
  }

  /** What is installed, allowed and offered, with reasons. From manifests alone. */
  list(): readonly PackageListing[] {
    return this.#listing;
  }

  /**
   * Imports all allowed packages now, so that a broken one fails at start.
   *
   * @throws ToolwrightError `REGISTRY_LOAD`, `REGISTRY_MISMATCH`, `REGISTRY_CONFIG` of the first that fails.
   */
  async preload(): Promise<void> {
    for (const source of this.#sources) await source.open();
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

const discoverOptions = ["from", "allow", "onBroken"];

function checkedOptions(options: unknown): DiscoverOptions {
  if (typeof options !== "object" || options === null)
    throw wrong("`ToolRegistry.discover` has no options.", "Write `discover({ from: import.meta.url, allow: { … } })`.");
  const unknownKey = Object.keys(options).find((key) => !discoverOptions.includes(key));
  if (unknownKey !== undefined)
    throw wrong(`\`ToolRegistry.discover\` has no option ${JSON.stringify(unknownKey)}.`, `The options are ${discoverOptions.join(", ")}.`);
  const given = options as DiscoverOptions;
  assertAllowances(given.allow);
  if (given.onBroken !== undefined && given.onBroken !== "fail" && given.onBroken !== "skip") {
    throw wrong(`\`onBroken\` is ${JSON.stringify(given.onBroken)}.`, 'Use "fail" or "skip".');
  }
  return given;
}

function bundled(given: BundledPackage | undefined, index: number, all: readonly BundledPackage[]): FoundPackage {
  const place = `packages[${index}]`;
  const { manifest, load } = given ?? {};
  if (typeof load !== "function") throw wrong(`${place} has no \`load\` function.`, 'Write `load: () => import("…")`.');
  const { package: name } = (manifest ?? {}) as { package?: unknown };
  assertPackageManifest(manifest, typeof name === "string" ? name : place);
  const twin = all.findIndex((other) => (other.manifest as PackageManifest | undefined)?.package === manifest.package);
  if (twin < index) throw wrong(`packages[${twin}] and ${place} are both ${manifest.package}.`, "List each package once.");
  return { manifest, load };
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

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
