import { cp, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildProject } from "@toolwright/cli";
import { type AgentTool, type JsonObject, type PackageManifest, prefixed, type RunnableTool, type ToolManifest } from "@toolwright/core";
import { toolContext } from "@toolwright/testing";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** A tool of the fixtures, as `toolwright build` understood it and as an agent has it. */
export interface FuzzedTool {
  readonly className: string;
  readonly manifest: ToolManifest;
  readonly runnable: RunnableTool;
  /** What the method is called with; undefined when class-validator refuses it. */
  received(checked: JsonObject): Promise<readonly unknown[] | undefined>;
}

/** The fixtures as a built project. Removed at the end of the scope. */
export interface FuzzedProject extends AsyncDisposable {
  readonly directory: string;
  /** By `Class.method`. */
  readonly tools: ReadonlyMap<string, FuzzedTool>;
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
    const classes = await registeredClasses(directory);
    const tools = toolkits.flatMap(({ className, tools: own }) => {
      const instance = new (classes[className] as new () => Instance)();
      const runnable = runnableTools(instance);
      return own.map(
        (manifest, index) => [`${className}.${manifest.method}`, fuzzedTool(className, manifest, instance, runnable[index])] as const,
      );
    });
    return { directory, tools: new Map(tools), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Each fixture has one class of tools, and its name. */
export function fileOf(className: string): string {
  return className.toLowerCase();
}

/** What the generated module exports: instances are tools of an agent, and methods can be listened to. */
type Instance = AgentTool<unknown> & Record<string, (...parameters: unknown[]) => unknown>;

/** The tools of an instance as the kernel has them. */
export function runnableTools(instance: AgentTool<unknown>): readonly RunnableTool[] {
  // An instance of a registered class, which no tool of a provider is.
  return prefixed("fuzzed", instance as Parameters<typeof prefixed>[1])["~toolwright.tools"].tools();
}

function fuzzedTool(className: string, manifest: ToolManifest, instance: Instance, runnable: RunnableTool | undefined): FuzzedTool {
  if (runnable === undefined) throw new Error(`${className} lacks ${manifest.method}.`);
  return {
    className,
    manifest,
    runnable,
    async received(checked) {
      const prepared = await runnable.prepare(checked);
      if (!prepared.ok) return undefined;
      let given: readonly unknown[] | undefined;
      Object.assign(instance, { [manifest.method]: (...parameters: unknown[]) => void (given = parameters) });
      await prepared.invoke(toolContext());
      return given;
    },
  };
}

async function registeredClasses(directory: string): Promise<Readonly<Record<string, unknown>>> {
  const outfile = join(directory, "generated.mjs");
  await build({
    entryPoints: [join(directory, "src/toolwright.generated.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return (await import(pathToFileURL(outfile).href)) as Readonly<Record<string, unknown>>;
}
