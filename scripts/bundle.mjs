// Bundles a package's entries, so that an import of one is one file and the chunks that it shares with others.
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
  if (existsSync(path) && readFileSync(path, "utf8") === contents) return;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}.tmp`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

/**
 * esbuild writes `var A = class _A {…}` where a class speaks of itself in a static member, and `A.name` would be "_A" for all to see.
 * Its own remedy, `keepNames`, wraps every function and makes the import slower.
 */
function withClassNames(text) {
  const renamed = [...text.matchAll(/\bvar (\w+) ?= ?class (_\1)\b/g)];
  return renamed.reduce((code, [, name, inner]) => code.replaceAll(new RegExp(`\\b${inner}\\b`, "g"), name), text);
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
    // A quarter off the time that an import takes; names and lines are kept for those who read a stack.
    minifyWhitespace: true,
    lineLimit: 140,
    logLevel: "warning",
  }).catch(() => process.exit(1)); // esbuild has said why
  // Shared chunks first: an entry must never name one that is not there yet.
  const isShared = (file) => basename(file.path).startsWith("shared-");
  for (const file of [...outputFiles.filter(isShared), ...outputFiles]) write(file.path, withClassNames(file.text));
  const made = new Set(outputFiles.map((file) => basename(file.path)));
  for (const name of readdirSync(outdir)) {
    if (name.endsWith(".js") && !made.has(name)) rmSync(join(outdir, name));
  }
}
