import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildProject } from "@toolwright/cli";
import type { AgentTool } from "@toolwright/core";
import { build } from "esbuild";

/** Builds a source file as an author would, by `toolwright build` and a bundler, and gives an instance of its class. */
export async function compileToolkit(source: string, className: string): Promise<AgentTool<unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-"));
  try {
    await mkdir(join(folder, "src"));
    await symlink(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"), "dir");
    const compilerOptions = { target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
    await writeFile(join(folder, "package.json"), '{"name":"app","type":"module"}');
    await writeFile(join(folder, "src/tools.ts"), source);
    const built = await buildProject({ cwd: folder, cache: false });
    if (!built.ok) throw new Error(JSON.stringify(built.problems));
    const outfile = join(folder, "tools.mjs");
    await build({
      entryPoints: [join(folder, "src/toolwright.generated.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
    });
    const module = (await import(pathToFileURL(outfile).href)) as Record<string, new () => AgentTool<unknown>>;
    return new (module[className] as new () => AgentTool<unknown>)();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
