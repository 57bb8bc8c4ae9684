import { lstatSync, mkdirSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NewFile } from "./template-files.js";

/**
 * What stands in the way of these files: their own paths, and files where a folder is needed. Links count by themselves.
 *
 * @returns paths relative to `folder`, sorted; "." is the folder itself.
 */
export function inTheWay(folder: string, files: readonly NewFile[]): readonly string[] {
  const own = kindOf(folder);
  if (own === "other") return ["."];
  if (own === "nothing") return [];
  return [...new Set(files.flatMap(({ path }) => firstObstacle(folder, path) ?? []))].sort();
}

/** From the top down: below what is no folder nothing can be looked at. */
function firstObstacle(folder: string, path: string): string | undefined {
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length += 1) {
    const part = parts.slice(0, length).join("/");
    const kind = kindOf(join(folder, part));
    if (kind === "nothing") return undefined;
    if (kind === "other" || part === path) return part;
  }
  return undefined;
}

/** Writes the files; all or none. A file that has come in the meantime is not overwritten either. */
export function writeProject(folder: string, files: readonly NewFile[]): void {
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { flag: "wx" });
      written.push(path);
    }
  } catch (error) {
    for (const path of written) rmSync(join(folder, path), { force: true });
    throw error;
  }
}

function kindOf(path: string): "nothing" | "folder" | "other" {
  const stats = statsOf(path);
  if (stats === "beneath a file") return "other";
  if (stats === undefined) return "nothing";
  if (stats.isDirectory()) return "folder";
  // A folder may be reached by a link; a broken link is in the way.
  if (stats.isSymbolicLink()) return kindBehindLink(path);
  return "other";
}

function statsOf(path: string): Stats | "beneath a file" | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return "beneath a file";
    throw error;
  }
}

const kindBehindLink = (path: string): "folder" | "other" =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? "folder" : "other";
