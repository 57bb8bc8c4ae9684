import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import type { PackageManifest } from "../contracts/manifest.js";
import type { RunnableTool, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { listUnallowed, offer, type PackageAllowance, type PackageListing } from "./offer.js";
import { assertPackageManifest } from "./package-manifest.js";
import { PackageSource } from "./package-source.js";
import { packageTools } from "./package-tools.js";
import { declaredDependencies, resolveEntry, resolveManifest } from "./resolve-package.js";

/** What an app allows, by package name. Nothing else is offered. */
export type Allowances = Readonly<Record<string, PackageAllowance>>;

/** Options of {@link ToolRegistry.discover}. */
export interface DiscoverOptions {
  /** `import.meta.url` of a file of the app: its declared dependencies are looked at, by Node's own resolution. */
  readonly from: string;
  readonly allow: Allowances;
  /** What a broken manifest does: fail discovery (default), or be reported in `list()`. */
  readonly onBroken?: "fail" | "skip" | undefined;
}

interface Found {
  readonly manifest: PackageManifest;
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
   * @throws ToolwrightError `REGISTRY_NOT_INSTALLED`, `REGISTRY_MANIFEST`, `REGISTRY_EMPTY`, `TOOL_NAME_CLASH`, each naming the package.
   */
  static async discover(options: DiscoverOptions): Promise<ToolRegistry> {
    const { from, allow, onBroken = "fail" } = options;
    const names = new Set([...declaredDependencies(from), ...Object.keys(allow)]);
    const found: Found[] = [];
    const broken: PackageListing[] = [];
    for (const name of names) {
      const path = resolveManifest(from, name);
      if (path === undefined) {
        if (Object.hasOwn(allow, name)) throw notInstalled(name);
        continue;
      }
      try {
        found.push({ manifest: readManifest(path, name), load: () => import(resolveEntry(from, name, path)) });
      } catch (error) {
        // One that is not allowed cannot do harm, whatever its manifest looks like.
        if (onBroken === "fail" && Object.hasOwn(allow, name)) throw error;
        broken.push({ package: name, version: undefined, state: "broken", tools: [], problem: (error as Error).message });
      }
    }
    return ToolRegistry.#make(found, allow, broken);
  }

  /**
   * A registry from manifests and loaders: for bundles, where there is no folder to resolve from. Without `allow`, all is allowed.
   *
   * @example
   * ToolRegistry.from([{ manifest, load: () => import("@acme/tools-stock") }]);
   */
  static from(packages: readonly { readonly manifest: unknown; readonly load: () => Promise<unknown> }[], options: { readonly allow?: Allowances | undefined } = {}): ToolRegistry {
    const found = packages.map(({ manifest, load }): Found => {
      const name = String((manifest as { package?: unknown } | null)?.package);
      assertPackageManifest(manifest, name);
      return { manifest, load };
    });
    const allow = options.allow ?? Object.fromEntries(found.map(({ manifest }) => [manifest.package, {}]));
    const missing = Object.keys(allow).find((name) => !found.some(({ manifest }) => manifest.package === name));
    if (missing !== undefined) throw notInstalled(missing);
    return ToolRegistry.#make(found, allow, []);
  }

  static #make(found: readonly Found[], allow: Allowances, broken: readonly PackageListing[]): ToolRegistry {
    const listing: PackageListing[] = [...broken];
    const sources: PackageSource[] = [];
    const tools: RunnableTool[] = [];
    for (const { manifest, load } of found) {
      const allowance = Object.hasOwn(allow, manifest.package) ? allow[manifest.package] : undefined;
      if (allowance === undefined) {
        listing.push(listUnallowed(manifest));
        continue;
      }
      const offered = offer(manifest, allowance);
      const source = new PackageSource(manifest, load, allowance.config);
      listing.push({ package: manifest.package, version: manifest.version, state: "offered", tools: offered, problem: undefined });
      sources.push(source);
      tools.push(...packageTools(source, offered));
    }
    if (tools.length === 0) throw nothingOffered(listing);
    assertNoClash(tools);
    listing.sort((left, right) => (left.package < right.package ? -1 : 1));
    return new ToolRegistry(listing, sources, tools);
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

  /** Disposes the toolkits that were made (`Symbol.asyncDispose` or `Symbol.dispose`). */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const source of this.#sources) await source.dispose();
  }

  /** Names only: a configuration may hold secrets. */
  toJSON(): object {
    return { packages: this.#listing.map(({ package: name, version, state }) => ({ package: name, version, state })) };
  }

  [inspect.custom](): string {
    return `ToolRegistry ${inspect(this.toJSON(), { depth: 3 })}`;
  }
}

function readManifest(path: string, name: string): PackageManifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ToolwrightError("REGISTRY_MANIFEST", `The manifest of ${name} cannot be read.`, { cause: error, details: { package: name } });
  }
  assertPackageManifest(value, name);
  return value;
}

function assertNoClash(tools: readonly RunnableTool[]): void {
  const owners = new Map<string, string>();
  for (const { info } of tools) {
    const owner = info.identity.split("#")[0] as string;
    const key = info.name.toLowerCase();
    const other = owners.get(key);
    if (other !== undefined) {
      throw new ToolwrightError("TOOL_NAME_CLASH", `Two packages offer a tool ${info.name}: ${other} and ${owner}.`, {
        fix: `Write \`allow: { "${owner}": { prefix: "${shortName(owner)}" } }\`.`,
        details: { name: info.name, owners: [other, owner] },
      });
    }
    owners.set(key, owner);
  }
}

const shortName = (name: string): string => (name.split("/").at(-1) as string).replace(/^tools-/, "").replaceAll(/[^a-zA-Z0-9_-]/g, "");

function notInstalled(name: string): ToolwrightError {
  return new ToolwrightError("REGISTRY_NOT_INSTALLED", `${name} is allowed, but it is not installed or is no tool package (it has no toolwright.manifest.json).`, {
    fix: `Run \`npm install ${name}\`, or take it off \`allow\`.`,
    details: { package: name },
  });
}

function nothingOffered(listing: readonly PackageListing[]): ToolwrightError {
  const seen = listing.map(({ package: name, state }) => `${name} (${state})`).join(", ") || "no tool package among the app's dependencies";
  return new ToolwrightError("REGISTRY_EMPTY", `No tool is offered. Seen: ${seen}.`, { fix: "Add a package to `allow`." });
}
