import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildProject } from "@toolwright/cli";
import type { PackageManifest } from "@toolwright/core";
import { transform } from "esbuild";
import type { Files } from "./scratch-app.js";

const compilerOptions = { target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true, rootDir: "src" };

/** The files of a tool package as they are published: package.json, manifest and `dist`. */
export interface BuiltPackage {
  readonly name: string;
  readonly manifest: PackageManifest;
  readonly files: Files;
  /** The same below a folder, with some of them replaced: where a package is installed. */
  at(folder: string, replaced?: Files): Files;
}

/** A package.json as the author of a tool package writes it. */
function packageJsonOf(name: string, more: object = {}): object {
  return {
    name,
    version: "1.0.0",
    type: "module",
    keywords: ["toolwright-tools"],
    exports: { ".": "./dist/index.js", "./toolwright.manifest.json": "./toolwright.manifest.json" },
    files: ["dist", "toolwright.manifest.json"],
    peerDependencies: { "@toolwright/core": "*" },
    ...more,
  };
}

/**
 * Builds a tool package from sources below `src`, as its author would: by `toolwright build` and a compiler.
 *
 * @param sources - by file name; `index.ts` has the default export.
 */
export async function buildToolPackage(
  name: string,
  sources: Readonly<Record<string, string>>,
  packageJson: object = {},
): Promise<BuiltPackage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright package ")));
  try {
    mkdirSync(join(folder, "src"));
    symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"), "dir");
    writeFileSync(join(folder, "package.json"), JSON.stringify(packageJsonOf(name, packageJson)));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
    for (const [file, text] of Object.entries(sources)) writeFileSync(join(folder, "src", file), text);
    const built = await buildProject({ cwd: folder, cache: false });
    if (!built.ok) throw new Error(JSON.stringify(built.problems));
    const files: Record<string, string | object> = {
      "package.json": packageJsonOf(name, packageJson),
      "toolwright.manifest.json": readFileSync(join(folder, "toolwright.manifest.json"), "utf8"),
    };
    for (const file of readdirSync(join(folder, "src"))) {
      files[`dist/${basename(file, ".ts")}.js`] = await compiled(readFileSync(join(folder, "src", file), "utf8"));
    }
    // Written by the build just above.
    const manifest = JSON.parse(files["toolwright.manifest.json"] as string) as PackageManifest;
    const at = (place: string, replaced: Files = {}): Files =>
      Object.fromEntries(Object.entries({ ...files, ...replaced }).map(([path, content]) => [join(place, path), content]));
    return { name, manifest, files, at };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compiled(source: string): Promise<string> {
  const { code } = await transform(source, {
    loader: "ts",
    format: "esm",
    target: "es2024",
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  return code;
}

/** A package with one class and one read tool, `get_<word>`, that answers `<word> of <id>`, and notes its import in a global. */
export function wordPackage(name: string, word: string, packageJson: object = {}): Promise<BuiltPackage> {
  const method = `get${word[0]?.toUpperCase()}${word.slice(1)}`;
  const className = `${word[0]?.toUpperCase()}${word.slice(1)}Tools`;
  return buildToolPackage(
    name,
    {
      "tools.ts": `import { Param, Tool } from "@toolwright/core";
        export class ${className} {
          /** Tells the ${word} of a thing. Use it whenever the ${word} is asked for. */
          @Tool({ effect: "read" })
          ${method}(@Param("Id of the thing, e.g. A-1") id: string): string { return "${word} of " + id; }
        }`,
      "index.ts": `import { defineToolPackage } from "@toolwright/core";
        import { ${className} } from "./toolwright.generated.js";
        ((globalThis as { importedPackages?: string[] }).importedPackages ??= []).push("${name}");
        export { ${className} } from "./toolwright.generated.js";
        export default defineToolPackage({ create: () => [new ${className}()] });`,
    },
    packageJson,
  );
}

/** Names of packages whose code has run in this process, in order. */
export const importedPackages = (): readonly string[] => (globalThis as { importedPackages?: string[] }).importedPackages ?? [];
