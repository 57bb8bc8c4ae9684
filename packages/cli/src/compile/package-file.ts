import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { ToolwrightError } from "@toolwright/core";

/** The package that a project is part of. Paths are absolute, with `/`. */
export interface PackageFile {
  readonly folder: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Whether it offers tools to other apps, which its keywords say. */
  readonly isToolPackage: boolean;
}

/** The word in `keywords` of a package.json that makes it a tool package. */
const packageKeyword = "toolwright-tools";

/**
 * The nearest package.json above a folder; undefined when there is none.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when it is no JSON.
 */
export function packageOf(directory: string): PackageFile | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = `${folder}/package.json`;
    if (existsSync(path)) return { folder, ...read(path, directory) };
    if (dirname(folder) === folder) return undefined;
  }
}

function read(path: string, directory: string): Omit<PackageFile, "folder"> {
  try {
    const { name, version, keywords } = JSON.parse(readFileSync(path, "utf8")) as { name?: string; version?: string; keywords?: unknown };
    return { name, version, isToolPackage: Array.isArray(keywords) && keywords.includes(packageKeyword) };
  } catch {
    throw new ToolwrightError("BUILD_CONFIG", `${path.slice(directory.length + 1) || "package.json"} is not JSON.`, {
      fix: "Correct the package.json.",
    });
  }
}
