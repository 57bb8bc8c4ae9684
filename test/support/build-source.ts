import { buildProject, type BuildResult } from "@toolwright/cli";
import { type Files, type ScratchApp, scratchApp } from "./scratch-app.js";

const compilerOptions = { target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true, rootDir: "src" };

/** A scratch app with a tsconfig, whose sources `toolwright build` can read. */
export function scratchProject(files: Files, options: object = {}): ScratchApp {
  const tsconfig = { compilerOptions: { ...compilerOptions, ...options }, include: ["src"] };
  return scratchApp([], { "tsconfig.json": tsconfig, ...files });
}

/** What a build of one source file with `import { Param, Tool, Toolkit } from "@toolwright/core"` above it says. */
export async function buildSource(source: string): Promise<BuildResult> {
  using project = scratchProject({
    "src/tools.ts": `import { Param, Tool, Toolkit, type ToolContext } from "@toolwright/core";\n${source}`,
  });
  return await buildProject({ cwd: project.folder, cache: false });
}
