import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";

const tools = `import { Tool } from "@toolwright/core";
export class OrderTools { /** Lists all of the open orders. */ @Tool({ effect: "read" }) list(): void {} }
`;
const packageJson = (toolwright: object): string => JSON.stringify({ name: "app", type: "module", toolwright });
const usual = "src/toolwright.generated.ts";

describe("a generated file that no build writes any more", () => {
  test("is told after the module went elsewhere, fails a check, and is not deleted", async () => {
    using project = temporaryProject({ "src/orders.ts": tools });
    await buildProject({ cwd: project.directory });
    project.write({ "package.json": packageJson({ out: "src/tools/made.ts" }) });
    const moved = await buildProject({ cwd: project.directory });
    expect(moved).toMatchObject({ ok: true, files: [{ path: "src/tools/made.ts", state: "written" }] });
    expect(moved.warnings).toMatchObject([
      {
        code: "BUILD_LEFT_FILE",
        file: usual,
        reason: "The build wrote this module once, and writes src/tools/made.ts now.",
        fix: expect.stringContaining(`Delete ${usual}`) as string,
      },
    ]);
    for (const cache of [true, false]) {
      const checked = await buildProject({ cwd: project.directory, check: true, cache });
      expect(checked).toMatchObject({ ok: false, warnings: [], problems: [{ code: "BUILD_LEFT_FILE", file: usual }] });
    }
    expect(existsSync(join(project.directory, usual))).toBe(true);
    rmSync(join(project.directory, usual));
    expect(await buildProject({ cwd: project.directory, check: true })).toMatchObject({ ok: true, problems: [], warnings: [] });
  });

  test("is told after the sources moved to another folder", async () => {
    using project = temporaryProject({ "src/old/orders.ts": tools, "tsconfig.json": tsconfig("src/old") });
    await buildProject({ cwd: project.directory });
    rmSync(join(project.directory, "src/old/orders.ts"));
    project.write({ "src/new/orders.ts": tools, "tsconfig.json": tsconfig("src/new") });
    const { warnings } = await buildProject({ cwd: project.directory });
    expect(warnings.map(({ file }) => file)).toEqual(["src/old/toolwright.generated.ts"]);
  });

  test("is no remark where another project of the settings writes it, or settings say so", async () => {
    using project = temporaryProject({
      "src/a/orders.ts": tools,
      "src/b/others.ts": tools.replace("OrderTools", "OtherTools").replace("list()", "others()"),
      "tsconfig.json": tsconfig("src/a"),
      "tsconfig.b.json": tsconfig("src/b"),
      "package.json": packageJson({ project: ["tsconfig.json", "tsconfig.b.json"] }),
    });
    expect(await buildProject({ cwd: project.directory })).toMatchObject({ ok: true, warnings: [] });
    expect(await buildProject({ cwd: project.directory, check: true, cache: false })).toMatchObject({ ok: true, problems: [] });
    project.write({ "package.json": packageJson({ warnings: { BUILD_LEFT_FILE: "off" } }) });
    expect(await buildProject({ cwd: project.directory, check: true, cache: false })).toMatchObject({ ok: true, problems: [] });
  });

  test("nor is the module of a package further down", async () => {
    using project = temporaryProject({ "src/orders.ts": tools, "src/inner/package.json": '{ "name": "inner", "type": "module" }' });
    await buildProject({ cwd: project.directory });
    project.write({ "src/inner/toolwright.generated.ts": readFileSync(join(project.directory, usual), "utf8") });
    expect((await buildProject({ cwd: project.directory })).warnings).toEqual([]);
  });

  test("is the manifest of what was a tool package", async () => {
    using project = temporaryProject({
      "src/orders.ts": tools,
      "package.json": JSON.stringify({ name: "tools", version: "1.0.0", type: "module", keywords: ["toolwright-tools"] }),
    });
    expect((await buildProject({ cwd: project.directory })).warnings).toEqual([]);
    project.write({ "package.json": packageJson({}) });
    const { ok, warnings } = await buildProject({ cwd: project.directory });
    expect({ ok, warnings }).toMatchObject({ ok: true, warnings: [{ code: "BUILD_LEFT_FILE", file: "toolwright.manifest.json" }] });
    rmSync(join(project.directory, "toolwright.manifest.json"));
    expect(await buildProject({ cwd: project.directory, check: true })).toMatchObject({ ok: true, warnings: [] });
  });
});

/** All of `src` is the project, and its sources are in one folder of it. */
function tsconfig(rootDir: string): string {
  return JSON.stringify({ compilerOptions: { strict: true, module: "nodenext", experimentalDecorators: true, rootDir }, include: ["src"] });
}
