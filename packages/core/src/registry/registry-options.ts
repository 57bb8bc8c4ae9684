import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Environment } from "./config-input.js";
import type { FoundPackage } from "./find-packages.js";
import { lockFileName, lockFrom, readLock, type ToolLock } from "./lock.js";
import { nodeFs } from "./node-modules.js";
import { type Allowances, assertAllowances } from "./package-allowance.js";
import { assertPackageManifest } from "./package-manifest.js";
import type { ResolveToolkit } from "./resolve-toolkit.js";

/** What packages are made with. */
export interface MakingOptions {
  /** Makes the toolkits of packages that declare their classes: `(Class) => container.get(Class)`. Default: `new Class(config)`. */
  readonly resolve?: ResolveToolkit | undefined;
  /** Where packages' configurations may take keys from, by the names that they declare. Default `process.env`. */
  readonly environment?: Environment | undefined;
}

/** Options of `ToolRegistry.discover`. */
export interface DiscoverOptions extends MakingOptions {
  /** `import.meta.url` of a file of the app: its declared dependencies are looked at, by Node's own resolution. */
  readonly from: string | URL;
  readonly allow: Allowances;
  /** What an allowed package without a usable manifest does: fail discovery (default), or be reported in `list()`. */
  readonly onBroken?: "fail" | "skip" | undefined;
  /**
   * The lock that packages are held against: a path, absolute or from the folder of the app's package.json. `true` asks for
   * `toolwright.lock.json` there, `false` for none. Default: that file, if it is there.
   */
  readonly lock?: boolean | string | URL | undefined;
}

/** Options of `ToolRegistry.from`. */
export interface BundleOptions extends MakingOptions {
  /** Default: all of all packages. */
  readonly allow?: Allowances | undefined;
  /** What `toolwright.lock.json` holds. Default: none. */
  readonly lock?: unknown;
}

/** A package whose manifest and module are at hand. */
export interface BundledPackage {
  /** What its `toolwright.manifest.json` holds. */
  readonly manifest: unknown;
  /** Imports its main entry: `() => import("@acme/tools-stock")`. */
  readonly load: () => Promise<unknown>;
}

const discoverOptions = ["from", "allow", "onBroken", "lock", "environment", "resolve"];
const bundleOptions = ["allow", "lock", "environment", "resolve"];

/** @throws ToolwrightError `RUN_OPTIONS` naming the option. */
export function checkedDiscoverOptions(options: unknown): DiscoverOptions {
  if (typeof options !== "object" || options === null)
    throw wrong("`ToolRegistry.discover` has no options.", "Write `discover({ from: import.meta.url, allow: { … } })`.");
  const given = checked(options as DiscoverOptions, discoverOptions, "discover");
  assertAllowances(given.allow);
  if (given.onBroken !== undefined && given.onBroken !== "fail" && given.onBroken !== "skip") {
    throw wrong(`\`onBroken\` is ${JSON.stringify(given.onBroken)}.`, 'Use "fail" or "skip".');
  }
  const { lock } = given;
  if (lock !== undefined && typeof lock !== "boolean" && !(lock instanceof URL) && (typeof lock !== "string" || lock === ""))
    throw wrong(`\`lock\` is ${lock === "" ? "an empty text" : typeof lock}.`, "Pass a path, true or false.");
  return given;
}

/** @throws ToolwrightError `RUN_OPTIONS` naming the option, `REGISTRY_LOCK`. */
export function checkedBundleOptions(options: unknown): BundleOptions & { readonly lock: ToolLock | undefined } {
  if (typeof options !== "object" || options === null)
    throw wrong("The options of `ToolRegistry.from` are no object.", "Leave them out, or pass `{ allow: { … } }`.");
  const { lock, ...given } = checked(options as BundleOptions, bundleOptions, "from");
  return { ...given, lock: lock === undefined ? undefined : lockFrom(lock, "`lock`") };
}

function checked<Options extends MakingOptions>(given: Options, names: readonly string[], method: string): Options {
  const unknownKey = Object.keys(given).find((key) => !names.includes(key));
  if (unknownKey !== undefined)
    throw wrong(`\`ToolRegistry.${method}\` has no option ${JSON.stringify(unknownKey)}.`, `The options are ${names.join(", ")}.`);
  const { resolve, environment } = given;
  if (resolve !== undefined && typeof resolve !== "function")
    throw wrong("`resolve` is no function.", "Pass a function: `(Class) => container.get(Class)`.");
  if (environment !== undefined && (typeof environment !== "object" || environment === null))
    throw wrong("`environment` is no object.", "Pass an object of texts by name, such as `process.env`.");
  return given;
}

/**
 * The lock that an app's packages are held against; undefined when there is none.
 *
 * @throws ToolwrightError `REGISTRY_LOCK` when it is asked for and not there, or cannot be used.
 */
export function lockOfApp(folder: string, lock: DiscoverOptions["lock"]): ToolLock | undefined {
  if (lock === false) return undefined;
  const named = lock instanceof URL || (typeof lock === "string" && lock.startsWith("file:")) ? fileURLToPath(lock) : lock;
  const path = typeof named !== "string" ? join(folder, lockFileName) : isAbsolute(named) ? named : join(folder, named);
  return lock !== undefined || nodeFs().existsSync(path) ? readLock(path) : undefined;
}

/**
 * The packages given to `ToolRegistry.from`, with manifests that were checked.
 *
 * @throws ToolwrightError `RUN_OPTIONS`, `REGISTRY_MANIFEST`.
 */
export function bundledPackages(packages: unknown): readonly FoundPackage[] {
  if (!Array.isArray(packages)) throw wrong("`ToolRegistry.from` was given no list.", "Pass `[{ manifest, load: () => import(…) }]`.");
  return (packages as readonly BundledPackage[]).map(bundled);
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

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
