import { cp, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildProject } from "@toolwright/cli";
import type { PackageManifest, ToolManifest } from "@toolwright/core";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** A tool of the fixtures, as `toolwright build` understood it. */
export interface FuzzedTool {
  readonly className: string;
  readonly manifest: ToolManifest;
}

type AnyClass = abstract new (...parameters: never[]) => object;

/** The fixtures as a built project. Removed at the end of the scope. */
export interface FuzzedProject extends AsyncDisposable {
  readonly directory: string;
  /** By `Class.method`. */
  readonly tools: ReadonlyMap<string, FuzzedTool>;
  /** Every class of the fixtures, by name. */
  readonly classes: Readonly<Record<string, AnyClass>>;
}

/** Builds the fixtures, whose tools take every kind of type there is, and loads their classes. */
export async function fuzzedProject(): Promise<FuzzedProject> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "toolwright-fuzz-")));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await cp(join(here, "fixtures"), directory, { recursive: true });
    await symlink(fileURLToPath(new URL("../node_modules", import.meta.url)), join(directory, "node_modules"), "dir");
    const { problems } = await buildProject({ cwd: directory, cache: false });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    const { toolkits } = JSON.parse(await readFile(join(directory, "toolwright.manifest.json"), "utf8")) as PackageManifest;
    const tools = toolkits.flatMap(({ className, tools: own }) =>
      own.map((manifest) => [`${className}.${manifest.method}`, { className, manifest }] as const),
    );
    const files = [...new Set(toolkits.map(({ className }) => fileOf(className)))];
    return { directory, tools: new Map(tools), classes: await classesOf(directory, files), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Each fixture has one class of tools, and its name. */
export function fileOf(className: string): string {
  return className.toLowerCase();
}

async function classesOf(directory: string, files: readonly string[]): Promise<Readonly<Record<string, AnyClass>>> {
  const outfile = join(directory, "classes.mjs");
  await build({
    stdin: { contents: files.map((file) => `export * from "./${file}.js";`).join("\n"), resolveDir: join(directory, "src"), loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return (await import(pathToFileURL(outfile).href)) as Record<string, AnyClass>;
}
