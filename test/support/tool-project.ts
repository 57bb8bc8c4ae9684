import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BuildOptions, type BuildResult, buildProject } from "@toolwright/cli";
import type { PackageManifest, ToolManifest } from "@toolwright/core";
import { checkStrictSchema } from "@toolwright/testing";
import { toStrictJsonSchema } from "openai/lib/transform";
import { expect } from "vitest";

type Files = Readonly<Record<string, string>>;

const workspace = fileURLToPath(new URL("../../", import.meta.url));
const compiler = join(workspace, "node_modules/typescript/bin/tsc");

export const compilerOptions = { target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true } as const;

/** The text of a tsconfig with the usual options and more. */
export const tsconfig = (more: object = {}, rest: object = { include: ["src"] }): string =>
  JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, ...rest });

const defaults: Files = {
  "package.json": JSON.stringify({ name: "tools-under-test", version: "1.0.0", type: "module", keywords: ["toolwright-tools"] }),
  "tsconfig.json": tsconfig(),
};

/** A project on disk for one test. Removed at the end of the scope: `using project = new ToolProject({ … })`. */
export class ToolProject implements Disposable {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-fault-")));

  constructor(files: Files) {
    this.write({ ...defaults, ...files });
    for (const [name, folder] of Object.entries(installed)) {
      const link = join(this.directory, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(workspace, folder), link, "dir");
    }
  }

  write(files: Files): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      writeFileSync(join(this.directory, path), text);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), "utf8");
  }

  build(options: BuildOptions = {}): Promise<BuildResult> {
    return buildProject({ cwd: this.directory, cache: false, ...options });
  }

  /** The tools that the last build wrote, by method. Of a package below, if one is named. */
  tools(folder = "."): Readonly<Record<string, ToolManifest>> {
    const { toolkits } = JSON.parse(this.read(join(folder, "toolwright.manifest.json"))) as PackageManifest;
    return Object.fromEntries(toolkits.flatMap(({ tools }) => tools.map((tool) => [tool.method, tool])));
  }

  /** Compiles with the workspace's TypeScript. */
  async compile(...parameters: readonly string[]): Promise<void> {
    await run(this.directory, [
      compiler,
      "-p",
      ".",
      "--skipLibCheck",
      "--types",
      "",
      "--outDir",
      "dist",
      "--rootDir",
      "src",
      ...parameters,
    ]);
  }

  /** Runs Node in the project, and gives what it prints. */
  node(...parameters: readonly string[]): Promise<string> {
    return run(this.directory, parameters);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Packages as if they were installed in the project, by their folders in the workspace. */
const installed: Files = {
  "@toolwright/core": "packages/core",
  "@toolwright/testing": "packages/testing",
  "class-validator": "packages/core/node_modules/class-validator",
  "class-transformer": "packages/core/node_modules/class-transformer",
  openai: "packages/core/node_modules/openai",
};

async function run(directory: string, parameters: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, [...parameters], { cwd: directory })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stdout}${stderr}`, { cause: error });
  }
}

/** What `toolwright build` makes of a project with one class of tools. */
export interface BuiltTools {
  readonly result: BuildResult;
  /** Texts of the files it wrote; empty when it wrote none. */
  readonly text: string;
  /** By method. */
  readonly tools: Readonly<Record<string, ToolManifest>>;
}

export const imports = `import { Output, Param, Tool } from "@toolwright/core";\nimport * as v from "class-validator";\n`;

/** Builds a tool package from the source of one file, which may use Output, Tool, Param and class-validator as `v`. */
export async function buildTools(source: string, files: Files = {}): Promise<BuiltTools> {
  using project = new ToolProject({ ...files, "src/tools.ts": imports + source });
  const result = await project.build();
  const text = result.files.map(({ path }) => project.read(path)).join("\n");
  return { result, text, tools: result.ok && existsSync(join(project.directory, "toolwright.manifest.json")) ? project.tools() : {} };
}

/** A schema passes the API's rules, and OpenAI's own client finds nothing to make stricter. */
export function expectStrictSchema(schema: ToolManifest["parameters"] | undefined): void {
  expect(schema).toBeDefined();
  expect(checkStrictSchema(schema)).toEqual([]);
  // Its type is that of schemas of all kinds.
  expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
}
