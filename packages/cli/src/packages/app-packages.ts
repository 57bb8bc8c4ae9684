import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Allowances,
  type InstalledPackage,
  installedToolPackages,
  lockFileName,
  type ManifestChange,
  manifestChanges,
  readLock,
  type ToolLock,
} from "@toolwright/core";
import type { FoundAllowance } from "./find-allowances.js";

/** The tool packages of an app, with what its sources allow and its lock approves. */
export interface AppPackages {
  /** The folder of the app's package.json. */
  readonly folder: string;
  readonly packages: readonly InstalledPackage[];
  /** Allow-lists in the app's sources; none when there is none that can be found. */
  readonly allowances: readonly FoundAllowance[];
  readonly lockPath: string;
  /** Undefined when there is none. */
  readonly lock: ToolLock | undefined;
}

/**
 * Looks at the app of a folder. None of its code runs, nor any of a package.
 *
 * @throws ToolwrightError `REGISTRY_NOT_INSTALLED` when there is no app, `REGISTRY_LOCK` for a lock that cannot be used.
 */
export async function appPackages(from: string): Promise<AppPackages> {
  const { folder } = installedToolPackages(from);
  // TypeScript reads the sources, and takes long to load.
  const { findAllowances } = await import("./find-allowances.js");
  const allowances = findAllowances(folder);
  const { packages } = installedToolPackages(from, [...(allowedNames(allowances) ?? [])]);
  const lockPath = join(folder, lockFileName);
  return { folder, packages, allowances, lockPath, lock: existsSync(lockPath) ? readLock(lockPath) : undefined };
}

/** Names of the packages that any allow-list in the sources names; undefined when there is none. */
export function allowedNames(allowances: readonly FoundAllowance[]): ReadonlySet<string> | undefined {
  if (allowances.length === 0) return undefined;
  return new Set(allowances.flatMap(({ allow }: { readonly allow: Allowances }) => Object.keys(allow)));
}

/** How a package stands to the lock. */
export type Approval =
  | { readonly state: "approved" }
  | { readonly state: "new" }
  | { readonly state: "changed"; readonly changes: readonly ManifestChange[] };

/** How an installed package stands to the lock. */
export function approvalOf({ package: name, manifest }: InstalledPackage, lock: ToolLock | undefined): Approval {
  const locked = lock !== undefined && Object.hasOwn(lock.packages, name) ? lock.packages[name] : undefined;
  if (locked === undefined || manifest === undefined) return { state: "new" };
  const changes = manifestChanges(locked.manifest, manifest);
  return changes.length === 0 ? { state: "approved" } : { state: "changed", changes };
}
