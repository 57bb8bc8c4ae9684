// Bundles a package's entries, so that an import of one is one file (and one chunk that the entries share).
// Entries are what package.json exports and what bin/ imports: ./dist/x.js is built from src/x.ts.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";

function entries(folder, manifest) {
  const bin = join(folder, "bin");
  const commands = existsSync(bin) ? readdirSync(bin).map((name) => readFileSync(join(bin, name), "utf8")) : [];
  const named = JSON.stringify(manifest.exports ?? {}) + commands.join("\n");
  const outputs = new Set([...named.matchAll(/\/dist\/([\w/-]+)\.js"/g)].map((match) => match[1]));
  return [...outputs].sort().map((name) => join(folder, "src", `${name}.ts`));
}

/** Writes only what changed, each file at once: another process may be importing the old one. */
function write(path, contents) {
  if (existsSync(path) && Buffer.from(contents).equals(readFileSync(path))) return;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}.tmp`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

/** Bundles the package in `folder` and removes bundles that are no longer made. */
export async function bundle(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const outdir = join(folder, "dist");
  const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const { outputFiles } = await build({
    entryPoints: entries(folder, manifest),
    outbase: join(folder, "src"),
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: "shared-[hash]",
    format: "esm",
    platform: "node",
    target: "es2024",
    external: external.flatMap((name) => [name, `${name}/*`]),
    legalComments: "none",
    minifyWhitespace: false,
    keepNames: true,
    logLevel: "warning",
  }).catch(() => process.exit(1)); // esbuild has said why
  for (const file of outputFiles) write(file.path, file.contents);
  const made = new Set(outputFiles.map((file) => basename(file.path)));
  for (const name of readdirSync(outdir)) {
    if (name.endsWith(".js") && !made.has(name)) rmSync(join(outdir, name));
  }
}
