import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";

const toolFile = (className: string): string => `import { Tool } from "@toolwright/core";
export class ${className} { /** Does the one thing well. */ @Tool({ effect: "read" }) one(): void {} }
`;
const compilerOptions = { module: "nodenext", strict: true, experimentalDecorators: true };
const tsconfig = (include: string): string => JSON.stringify({ compilerOptions, include: [include] });
const packageJson = (toolwright: unknown): string => JSON.stringify({ name: "app", type: "module", toolwright });

const files = {
  "tsconfig.json": tsconfig("nothing"),
  "tsconfig.app.json": tsconfig("src"),
  "src/a.ts": toolFile("A"),
};

async function paths(directory: string, project?: string | readonly string[]): Promise<readonly string[]> {
  const { files: built, problems } = await buildProject({ cwd: directory, cache: false, project });
  expect(problems).toEqual([]);
  return built.map(({ path }) => path);
}

describe("settings of a package", () => {
  test.each([
    ["package.json", { "package.json": packageJson({ project: "tsconfig.app.json", out: "src/made/tools.ts" }) }],
    ["toolwright.config.json", { "toolwright.config.json": '{ "project": ["tsconfig.app.json"], "out": "./src/made/tools.ts" }' }],
  ])("in %s name the tsconfig and the module to write", async (_, settings) => {
    using project = temporaryProject({ ...files, ...settings });
    expect(await paths(project.directory)).toEqual(["src/made/tools.ts"]);
    expect(readFileSync(join(project.directory, "src/made/tools.ts"), "utf8")).toContain('from "../a.js"');
    // The module itself is no source, wherever it is.
    const again = await buildProject({ cwd: project.directory, check: true });
    expect(again).toMatchObject({ ok: true, files: [{ path: "src/made/tools.ts", state: "unchanged" }] });
  });

  test("hold in a folder below, and for a project that is named", async () => {
    using project = temporaryProject({ ...files, "package.json": packageJson({ project: "tsconfig.app.json", out: "src/t.ts" }) });
    expect(await paths(join(project.directory, "src"))).toEqual(["t.ts"]);
    expect(await paths(project.directory, "tsconfig.app.json")).toEqual(["src/t.ts"]);
  });

  test("a change of them is noticed by the cache", async () => {
    using project = temporaryProject({ ...files, "package.json": packageJson({ project: "tsconfig.app.json" }) });
    const build = async () => (await buildProject({ cwd: project.directory })).files;
    expect(await build()).toEqual([{ path: "src/toolwright.generated.ts", state: "written" }]);
    expect(await build()).toEqual([{ path: "src/toolwright.generated.ts", state: "unchanged" }]);
    project.write({ "package.json": packageJson({ project: "tsconfig.app.json", out: "src/t.ts" }) });
    expect(await build()).toEqual([{ path: "src/t.ts", state: "written" }]);
  });

  test.each([
    ["no object", { "package.json": packageJson("src") }, /must be an object/],
    ["an unknown setting", { "package.json": packageJson({ projects: "." }) }, /unknown setting "projects"/],
    ["a project that is no path", { "package.json": packageJson({ project: [1] }) }, /"project" must be the path/],
    ["a project that is not there", { "package.json": packageJson({ project: "nope.json" }) }, /There is no nope\.json/],
    ["a module that is no .ts file", { "package.json": packageJson({ out: "tools.js" }) }, /"out" must be the path of a \.ts file/],
    [
      "one module for several projects",
      { "package.json": packageJson({ project: ["tsconfig.json", "tsconfig.app.json"], out: "t.ts" }) },
      /several projects and one "out"/,
    ],
    ["two places", { "package.json": packageJson({}), "toolwright.config.json": "{}" }, /Both package\.json/],
    ["a file that is no JSON", { "toolwright.config.json": "{" }, /toolwright\.config\.json is not JSON/],
  ])("%s is refused", async (_, settings, message) => {
    using project = temporaryProject({ ...files, ...settings });
    const error: unknown = await buildProject({ cwd: project.directory, cache: false }).catch((reason: unknown) => reason);
    expect(ToolwrightError.is(error, "BUILD_CONFIG") && error.message).toMatch(message);
    expect(ToolwrightError.is(error) && error.fix).not.toBe("");
  });
});

describe("a monorepo with several tsconfigs", () => {
  const workspace = {
    "packages/a/package.json": '{ "name": "a", "type": "module" }',
    "packages/a/tsconfig.json": tsconfig("src"),
    "packages/a/src/a.ts": toolFile("A"),
    "packages/b/package.json": '{ "name": "b", "type": "module" }',
    "packages/b/tsconfig.json": tsconfig("src"),
    "packages/b/src/b.ts": toolFile("B"),
  };
  const both = ["packages/a", "packages/b"];
  const modules = ["packages/a/src/toolwright.generated.ts", "packages/b/src/toolwright.generated.ts"];

  test("is built at once, by name or by settings", async () => {
    using project = temporaryProject(workspace);
    expect(await paths(project.directory, both)).toEqual(modules);
    project.write({ "package.json": packageJson({ project: both }) });
    const result = await buildProject({ cwd: project.directory, check: true });
    expect(result).toMatchObject({ ok: true, tools: ["A.one", "B.one"], files: modules.map((path) => ({ path, state: "unchanged" })) });
  });

  test("with a problem in one of them nothing is written in any", async () => {
    using project = temporaryProject({ ...workspace, "packages/b/src/b.ts": toolFile("B").replace("one()", "one(bad: any)") });
    const result = await buildProject({ cwd: project.directory, project: both });
    expect(result.ok).toBe(false);
    expect(result.problems.map(({ file }) => file)).toEqual(["packages/b/src/b.ts"]);
    expect(modules.map((path) => existsSync(join(project.directory, path)))).toEqual([false, false]);
  });

  test("says which of them is stale", async () => {
    using project = temporaryProject(workspace);
    await buildProject({ cwd: project.directory, project: both });
    project.write({ "packages/b/src/b.ts": toolFile("B").replace("the one thing", "one thing only") });
    const result = await buildProject({ cwd: project.directory, project: both, check: true });
    expect(result.files.map(({ state }) => state)).toEqual(["unchanged", "stale"]);
    expect(result.staleTools).toEqual(["B.one (changed)"]);
  });
});
