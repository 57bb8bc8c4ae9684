import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../scaffold/package-root.js";
import { packageNameProblem } from "../scaffold/package-name.js";
import { type Finding, type PackageJson, partOf, textsOf } from "./finding.js";
import type { Patient } from "./patient.js";

const keyword = "toolwright-tools";
const file = "package.json";
/** Two copies of one of these in a tree do not know each other's classes: the app's copy must be the tool package's too. */
const shared = ["@toolwright/core", "class-validator", "class-transformer", "openai"];

/** What the package.json says of itself: name, keyword, module type, dependencies, engines, entry points. */
export function checkPackageJson({ packageJson, folder }: Patient): readonly Finding[] {
  return [...checkIdentity(packageJson), ...checkDependencies(packageJson, folder), ...checkEntries(packageJson)];
}

function checkIdentity(packageJson: PackageJson): readonly Finding[] {
  const found: Finding[] = [];
  const { name, version, type, description, license } = packageJson;
  const nameProblem = typeof name === "string" ? packageNameProblem(name) : "it has none";
  if (nameProblem !== undefined)
    found.push(error("DOCTOR_NAME", `npm does not take the name: ${nameProblem}.`, 'Write it like "@acme/tools-stock".'));
  if (typeof version !== "string") found.push(error("DOCTOR_VERSION", "There is no version.", 'Write "version": "0.1.0".'));
  if (packageJson["private"] === true)
    found.push(error("DOCTOR_PRIVATE", "npm does not publish a private package.", 'Take "private" out, once it is meant to be published.'));
  if (!textsOf(packageJson, "keywords").includes(keyword)) {
    const change = (given: PackageJson): PackageJson => ({ ...given, keywords: [...textsOf(given, "keywords"), keyword] });
    found.push({
      ...error(
        "DOCTOR_KEYWORD",
        `Without the keyword "${keyword}" it is no tool package: no manifest is written, and nobody finds it.`,
        `Add "${keyword}" to "keywords".`,
      ),
      // An app is private, and is not made a package by the way.
      ...(packageJson["private"] !== true && { repair: { kind: "package.json", change } }),
    });
  }
  if (type !== "module")
    found.push(
      error(
        "DOCTOR_TYPE",
        'Its .js files are CommonJS, since "type" is not "module".',
        'Set "type": "module", and compile with "module": "nodenext".',
      ),
    );
  if (typeof description !== "string" || description.trim() === "")
    found.push(warning("DOCTOR_DESCRIPTION", "npm would show no description.", 'Say in "description" what the tools are for.'));
  if (typeof license !== "string")
    found.push(warning("DOCTOR_LICENSE", "Without a license nobody may use it.", 'Set "license", e.g. "MIT".'));
  return found;
}

function checkDependencies(packageJson: PackageJson, folder: string): readonly Finding[] {
  const found: Finding[] = [];
  const [dependencies, peers] = [partOf(packageJson, "dependencies"), partOf(packageJson, "peerDependencies")];
  for (const name of shared.filter((each) => Object.hasOwn(dependencies, each))) {
    found.push({
      ...error(
        "DOCTOR_SHARED_DEPENDENCY",
        `${name} is a dependency: an app could get a second copy of it, which does not know the classes of the first.`,
        `Move ${name} to "peerDependencies" (and, for your own tests, to "devDependencies").`,
      ),
      repair: { kind: "package.json", change: (given) => movedToPeers(given, name) },
    });
  }
  const core = "@toolwright/core";
  if (!Object.hasOwn(peers, core) && !Object.hasOwn(dependencies, core)) {
    const range = partOf(packageJson, "devDependencies")[core];
    // A workspace's range becomes a version when pnpm or yarn publish.
    const wanted = typeof range === "string" && !/^(file|link|https?):/.test(range) ? range : `^${packageRoot().version}`;
    const change = (given: PackageJson): PackageJson => ({
      ...given,
      peerDependencies: { ...partOf(given, "peerDependencies"), [core]: wanted },
    });
    found.push({
      ...error(
        "DOCTOR_NO_PEER",
        `${core} is not among the peer dependencies: an app's package manager cannot know that it is needed.`,
        `Add "${core}": "${wanted}" to "peerDependencies".`,
      ),
      repair: { kind: "package.json", change },
    });
  }
  found.push(...checkRanges(packageJson, folder));
  if (typeof partOf(packageJson, "engines")["node"] !== "string") {
    const change = (given: PackageJson): PackageJson => ({ ...given, engines: { ...partOf(given, "engines"), node: ">=22.13" } });
    found.push({
      ...warning(
        "DOCTOR_ENGINES",
        "It does not say which Node it needs, so that npm cannot warn.",
        'Add "engines": { "node": ">=22.13" }.',
      ),
      repair: { kind: "package.json", change },
    });
  }
  return found;
}

/** Ranges that mean something on this machine only. */
function checkRanges(packageJson: PackageJson, folder: string): readonly Finding[] {
  const published = ["dependencies", "peerDependencies", "optionalDependencies"];
  const ranges = published.flatMap((key) =>
    Object.entries(partOf(packageJson, key)).map(([name, range]) => ({ name, range: String(range) })),
  );
  const inWorkspace = isInWorkspace(folder);
  return ranges.flatMap(({ name, range }) => {
    if (/^(workspace|catalog):/.test(range) && inWorkspace) return [];
    if (!/^(workspace|catalog|file|link|portal):/.test(range)) return [];
    return [
      error(
        "DOCTOR_LOCAL_RANGE",
        `${name} is asked for by "${range}", which nobody else can install.`,
        `Write a range of versions, e.g. "^1.0.0".`,
      ),
    ];
  });
}

/** pnpm and yarn put versions in the place of such ranges when they publish from a workspace. */
function isInWorkspace(folder: string): boolean {
  for (let each = folder; ; each = dirname(each)) {
    if (["pnpm-workspace.yaml", "yarn.lock"].some((name) => existsSync(join(each, name)))) return true;
    if (dirname(each) === each) return false;
  }
}

function movedToPeers(packageJson: PackageJson, name: string): PackageJson {
  const { [name]: range, ...dependencies } = partOf(packageJson, "dependencies");
  if (range === undefined) return packageJson;
  const { dependencies: _, ...rest } = packageJson;
  return {
    ...rest,
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
    peerDependencies: { [name]: range, ...partOf(packageJson, "peerDependencies") },
    devDependencies: { [name]: range, ...partOf(packageJson, "devDependencies") },
  };
}

function checkEntries(packageJson: PackageJson): readonly Finding[] {
  const { exports } = packageJson;
  const manifest = "./toolwright.manifest.json";
  if (exports === undefined || exports === null)
    return [
      error(
        "DOCTOR_NO_EXPORTS",
        'There are no "exports".',
        `Write "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" }, "${manifest}": "${manifest}" }.`,
      ),
    ];
  const entries = typeof exports === "object" && !Array.isArray(exports) ? (exports as Record<string, unknown>) : { ".": exports };
  const hasPaths = Object.keys(entries).some((key) => key.startsWith("."));
  const found: Finding[] = [];
  if (hasPaths && !Object.hasOwn(entries, "."))
    found.push(
      error(
        "DOCTOR_NO_ROOT_EXPORT",
        '"exports" has no ".", so that the package cannot be imported.',
        'Add ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" }.',
      ),
    );
  if (!hasPaths || entries[manifest] !== manifest) {
    const change = (given: PackageJson): PackageJson => ({
      ...given,
      exports: { ...(hasPaths ? entries : { ".": exports }), [manifest]: manifest },
    });
    found.push({
      ...error(
        "DOCTOR_MANIFEST_EXPORT",
        '"exports" does not offer the manifest, so that no registry can read it.',
        `Add "${manifest}": "${manifest}" to "exports".`,
      ),
      repair: { kind: "package.json", change },
    });
  }
  return found;
}

const error = (code: string, message: string, fix: string): Finding => ({ code, severity: "error", file, message, fix });
const warning = (code: string, message: string, fix: string): Finding => ({ code, severity: "warning", file, message, fix });
