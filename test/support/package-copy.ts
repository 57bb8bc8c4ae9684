import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScratchApp } from "./scratch-app.js";

/**
 * Puts a real copy of a package where another version of it would be installed: `node_modules/p/node_modules/class-validator`.
 * What it needs itself is linked beside it.
 *
 * @param change - of the text of each of its built files.
 */
export function copyPackage(app: ScratchApp, name: string, folder: string, change?: (text: string) => string): void {
  const folders = ["../node_modules/", "../../packages/core/node_modules/"].map((place) =>
    fileURLToPath(new URL(place + name, import.meta.url)),
  );
  const source = realpathSync(folders.find(existsAt) ?? "");
  const target = join(app.folder, folder, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  const isNeeded = (path: string): boolean =>
    !/\.(map|tsbuildinfo|d\.ts)$|[\\/](node_modules|src|bundles|esm5|esm2015)$/.test(path.slice(source.length));
  cpSync(source, target, { recursive: true, filter: isNeeded });
  if (change !== undefined) {
    for (const file of readdirSync(join(target, "dist")).filter((each) => each.endsWith(".js"))) {
      const path = join(target, "dist", file);
      writeFileSync(path, change(readFileSync(path, "utf8")));
    }
  }
  const { dependencies = {} } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as { dependencies?: Record<string, string> };
  for (const needed of Object.keys(dependencies)) {
    // As the original has it: beside the original, or below it.
    const places = [join(source, "node_modules", needed), join(source, name.includes("/") ? "../.." : "..", needed)];
    const found = places.find((place) => existsAt(place));
    if (found !== undefined) app.link(join(folder, "node_modules", name, "node_modules", needed), realpathSync(found));
  }
}

function existsAt(place: string): boolean {
  try {
    return realpathSync(place) !== "";
  } catch {
    return false;
  }
}
