import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A folder and those below it, in a fixed order, but for installed packages and hidden ones. Empty when it is not there. */
export function sourceFolders(folder: string): readonly string[] {
  // `include` may name folders that are not there yet.
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
  return [folder, ...below.flatMap((name) => sourceFolders(join(folder, name)))];
}
