// Bundles each entry of a package, so that an import of it is one file (and one chunk that its entries share).
// Usage: node scripts/bundle.mjs packages/core src/index.ts src/middleware.ts …
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [folder, ...entries] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const outdir = join(folder, "dist");
for (const name of readdirSync(outdir, { withFileTypes: true })) {
  if (name.isFile() && name.name.endsWith(".js")) rmSync(join(outdir, name.name));
}
const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
await build({
  entryPoints: entries.map((entry) => join(folder, entry)),
  outdir,
  bundle: true,
  splitting: entries.length > 1,
  chunkNames: "shared-[hash]",
  format: "esm",
  platform: "node",
  target: "es2024",
  external: external.flatMap((name) => [name, `${name}/*`]),
  logLevel: "warning",
});
