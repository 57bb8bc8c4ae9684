import { type ManifestChange, type PackageManifest, ToolwrightError } from "@toolwright/core";
import { allowedNames, type AppPackages, approvalOf } from "./app-packages.js";

/** What the lock would have to say anew. */
export interface LockChanges {
  /** Allowed, and not approved yet. */
  readonly added: readonly PackageManifest[];
  readonly changed: readonly ChangedPackage[];
  /** Names of packages that were approved, and are not allowed or installed any more. */
  readonly removed: readonly string[];
  /** Allowed packages that cannot be approved, each with the reason. */
  readonly broken: readonly string[];
  /** Manifests that are what was approved. */
  readonly kept: readonly PackageManifest[];
}

/** A package that is another one than was approved. */
export interface ChangedPackage {
  readonly package: string;
  readonly manifest: PackageManifest;
  readonly changes: readonly ManifestChange[];
}

/**
 * Holds the installed packages against the lock.
 *
 * @param names - of the packages that are meant; empty: all that the app's sources allow or, where no allow-list can be found,
 * all that are installed.
 * @throws ToolwrightError `REGISTRY_NOT_INSTALLED` for a name that is no installed tool package.
 */
export function lockChanges(app: AppPackages, names: readonly string[]): LockChanges {
  const { packages, allowances, lock } = app;
  const missing = names.find((name) => !packages.some((each) => each.package === name));
  if (missing !== undefined) {
    const there = packages.map((each) => each.package).join(", ");
    throw new ToolwrightError("REGISTRY_NOT_INSTALLED", `${missing} is no tool package among the dependencies of this app.`, {
      fix: there === "" ? `Install it: \`npm install ${missing}\`.` : `There are: ${there}.`,
    });
  }
  const allowed = allowedNames(allowances);
  const isMeant = (name: string): boolean => (names.length > 0 ? names.includes(name) : allowed === undefined || allowed.has(name));
  const added: PackageManifest[] = [];
  const changed: ChangedPackage[] = [];
  const broken: string[] = [];
  const kept: PackageManifest[] = [];
  for (const each of packages.filter((candidate) => isMeant(candidate.package))) {
    const { package: name, manifest, problem, editedTools } = each;
    if (manifest === undefined || problem !== undefined) broken.push(`${name}: ${problem ?? "its manifest cannot be read"}`);
    else if (editedTools.length > 0) broken.push(`${name}: its manifest was edited after its build: ${editedTools.join(", ")}.`);
    else {
      const approval = approvalOf(each, lock);
      if (approval.state === "new") added.push(manifest);
      else if (approval.state === "changed") changed.push({ package: name, manifest, changes: approval.changes });
      else kept.push(manifest);
    }
  }
  const locked = Object.keys(lock?.packages ?? {});
  const isGone = (name: string): boolean =>
    !packages.some((each) => each.package === name) || (allowed !== undefined && !allowed.has(name));
  return { added, changed, broken, kept, removed: names.length > 0 ? [] : locked.filter(isGone) };
}
