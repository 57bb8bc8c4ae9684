import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { changesInWords, manifestChanges } from "./manifest-changes.js";
import { nodeFs, nodeUtil } from "./node-modules.js";
import { assertPackageManifest, firstLine } from "./package-manifest.js";

/** The name of the lock, which stands beside the app's package.json. */
export const lockFileName = "toolwright.lock.json";

/** What was approved: `toolwright.lock.json`. */
export interface ToolLock {
  readonly format: 1;
  /** By package name. */
  readonly packages: { readonly [name: string]: LockedPackage };
}

/** A package as it was approved. */
export interface LockedPackage {
  readonly version: string;
  /** All of it, so that a change can be shown and not only noticed. */
  readonly manifest: PackageManifest;
}

/** A lock of these packages, in a fixed order. */
export function lockOf(manifests: readonly PackageManifest[]): ToolLock {
  const sorted = [...manifests].sort((left, right) => (left.package < right.package ? -1 : 1));
  return { format: 1, packages: Object.fromEntries(sorted.map((manifest) => [manifest.package, { version: manifest.version, manifest }])) };
}

/**
 * Reads a lock.
 *
 * @throws ToolwrightError `REGISTRY_LOCK` when it is not there, is no JSON, or is of another form.
 */
export function readLock(path: string): ToolLock {
  let text: string;
  try {
    text = nodeFs().readFileSync(path, "utf8");
  } catch (cause) {
    const isMissing = (cause as { code?: unknown } | null)?.code === "ENOENT";
    throw wrong(`${path} ${isMissing ? "is not there" : "cannot be read"}.`, undefined, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw wrong(
      `${path} is not JSON.`,
      "Take the state of it that was committed, or run `npx toolwright lock` to approve everything anew.",
      cause,
    );
  }
  return lockFrom(value, path);
}

/**
 * Checks that a value is a lock of this release's form.
 *
 * @param place - where it comes from, for errors.
 * @throws ToolwrightError `REGISTRY_LOCK`.
 */
export function lockFrom(value: unknown, place: string): ToolLock {
  const { format, packages } = (typeof value === "object" && value !== null ? value : {}) as Partial<ToolLock>;
  if (format !== 1) {
    const isLater = typeof format === "number" && format > 1;
    throw wrong(
      `${place} has the format ${JSON.stringify(format) ?? "undefined"}, and this release of @toolwright/core reads 1.`,
      isLater ? "Update @toolwright/core." : undefined,
    );
  }
  if (typeof packages !== "object" || packages === null) throw wrong(`${place} has no packages.`);
  for (const [name, locked] of Object.entries(packages)) {
    try {
      assertPackageManifest(locked?.manifest, name);
    } catch (cause) {
      throw wrong(`${place} cannot be used: ${firstLine(cause)}`, undefined, cause);
    }
    if (locked.version !== locked.manifest.version) throw wrong(`${place} has two versions of ${name}.`);
  }
  return { format, packages };
}

/**
 * Refuses a package that is another one than was approved.
 *
 * @throws ToolwrightError `REGISTRY_DRIFT` naming the package, its tools, and what changed.
 */
export function assertApproved({ packages }: ToolLock, manifest: PackageManifest): void {
  const name = manifest.package;
  const locked = Object.hasOwn(packages, name) ? packages[name] : undefined;
  const details = { package: name };
  if (locked === undefined) {
    throw new ToolwrightError(
      "REGISTRY_DRIFT",
      `${name} ${manifest.version} is allowed, but it was never approved: it is not in ${lockFileName}.`,
      {
        fix: `Run \`npx toolwright lock ${name}\`: it shows what the package brings, and approves it.`,
        details,
      },
    );
  }
  // The usual case, at once.
  if (nodeUtil().isDeepStrictEqual(locked.manifest, manifest)) return;
  const changes = manifestChanges(locked.manifest, manifest);
  if (changes.length === 0) return;
  throw new ToolwrightError("REGISTRY_DRIFT", `${name} is not what was approved: ${changesInWords(changes)}.`, {
    details: { ...details, tools: [...new Set(changes.flatMap(({ tool }) => tool ?? []))] },
  });
}

function wrong(message: string, fix?: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError("REGISTRY_LOCK", message, { ...(fix !== undefined && { fix }), cause });
}
