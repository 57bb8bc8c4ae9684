import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildResult, buildProject } from "@toolwright/cli";
import type { PackageManifest, ToolManifest } from "@toolwright/core";
import { checkStrictSchema } from "@toolwright/testing";
import { toStrictJsonSchema } from "openai/lib/transform";
import { expect } from "vitest";

/** What `toolwright build` makes of a project with one class of tools. */
export interface BuiltTools {
  readonly result: BuildResult;
  /** Texts of the files it wrote; empty when it wrote none. */
  readonly text: string;
  /** By method. */
  readonly tools: Readonly<Record<string, ToolManifest>>;
}

const imports = `import { Param, Tool } from "@toolwright/core";\nimport * as v from "class-validator";\n`;
const require = createRequire(import.meta.url);

/** The folder of an installed package of the tests. */
const folderOf = (name: string): string => {
  const entry = require.resolve(name);
  const end = entry.lastIndexOf(name.startsWith("@toolwright/") ? "/dist/" : `/${name}/`);
  return name.startsWith("@toolwright/") ? entry.slice(0, end) : entry.slice(0, end + name.length + 1);
};

/** Builds a tool package from the source of one file, which may use Tool, Param and class-validator as `v`. */
export async function buildTools(source: string): Promise<BuiltTools> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-fault-")));
  try {
    const files = {
      "package.json": JSON.stringify({ name: "tools-under-test", version: "1.0.0", type: "module", keywords: ["toolwright-tools"] }),
      "tsconfig.json": JSON.stringify({
        compilerOptions: { module: "nodenext", strict: true, experimentalDecorators: true },
        include: ["src"],
      }),
      "src/tools.ts": imports + source,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    for (const name of ["@toolwright/core", "class-validator"]) {
      const link = join(directory, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(folderOf(name), link, "dir");
    }
    const result = await buildProject({ cwd: directory, cache: false });
    const text = result.files.map(({ path }) => readFileSync(join(directory, path), "utf8")).join("\n");
    return { result, text, tools: result.ok ? toolsOf(join(directory, "toolwright.manifest.json")) : {} };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function toolsOf(path: string): Readonly<Record<string, ToolManifest>> {
  const { toolkits } = JSON.parse(readFileSync(path, "utf8")) as PackageManifest;
  return Object.fromEntries(toolkits.flatMap(({ tools }) => tools.map((tool) => [tool.method, tool])));
}

/** A schema passes the API's rules, and OpenAI's own client finds nothing to make stricter. */
export function expectStrictSchema(schema: ToolManifest["parameters"] | undefined): void {
  expect(schema).toBeDefined();
  expect(checkStrictSchema(schema)).toEqual([]);
  expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
}
