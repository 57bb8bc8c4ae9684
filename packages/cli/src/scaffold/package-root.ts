import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, and its version. The code may lie in `src` or be bundled into `dist`. */
export function packageRoot(): { readonly folder: string; readonly version: string } {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) {
      const { name, version } = JSON.parse(readFileSync(path, "utf8")) as { name: string; version: string };
      if (name === "@toolwright/cli") return { folder, version };
    }
    if (dirname(folder) === folder) throw new Error("@toolwright/cli is not in a package of that name.");
  }
}
