import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build, failureOf, orderTools, usualModule } from "../test-support/build.js";
import { temporaryProject } from "../test-support/temporary-project.js";

describe("what keeps a build from starting", () => {
  test.each([
    ["no tsconfig", {}, "missing.json", /There is no missing\.json/, /--project/],
    ["a tsconfig that is no JSON", { "tsconfig.json": "{ nonsense" }, undefined, /tsconfig\.json: /, /Correct the tsconfig/],
    [
      "one that extends what is not there",
      { "tsconfig.json": '{ "extends": "./base.json" }' },
      undefined,
      /base\.json/,
      /Correct the tsconfig/,
    ],
    ["one without files", { "tsconfig.json": '{ "include": ["nowhere"] }' }, undefined, /names no TypeScript file/, /include/],
    [
      "one with references only",
      { "tsconfig.json": '{ "files": [], "references": [{ "path": "./app" }] }' },
      undefined,
      /only references/,
      /--project app/,
    ],
    ["no tools", { "src/orders.ts": "export {};" }, undefined, /No method with @Tool/, /@Tool\(/],
    ["a package.json that is no JSON", { "package.json": "{" }, undefined, /package\.json is not JSON/, /package\.json/],
  ])("%s", async (_, files, given, message, fix) => {
    using project = temporaryProject({ "src/orders.ts": orderTools, ...files });
    const error = await failureOf(build(project.directory, { project: given }));
    expect(error.code).toBe("BUILD_CONFIG");
    expect(error.message).toMatch(message);
    expect(error.fix).toMatch(fix);
  });

  test("core that is not installed", async () => {
    using project = temporaryProject({ "src/orders.ts": orderTools });
    rmSync(join(project.directory, "node_modules/@toolwright"), { recursive: true });
    const error = await failureOf(build(project.directory));
    expect(error.message).toMatch(/src\/orders\.ts imports @toolwright\/core, which is not installed/);
  });
});

describe("tsconfigs as they are", () => {
  test("options of other versions of TypeScript do not stop the build", async () => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({
        compilerOptions: { experimentalDecorators: true, strict: true, target: "es2099", module: "commonjs", futureOption: true },
      }),
      "src/orders.ts": orderTools,
    });
    expect((await build(project.directory)).ok).toBe(true);
  });

  test("loose null checks are remarked on, and types are read with strict ones", async () => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({ compilerOptions: { experimentalDecorators: true, strict: false } }),
      "src/orders.ts": orderTools.replace("orderId: string)", "orderId: string | null)").replace("return orderId;", "return '';"),
    });
    const { ok, warnings } = await build(project.directory);
    expect(ok).toBe(true);
    expect(warnings.map(({ file, subject }) => [file, subject])).toEqual([["tsconfig.json", "strictNullChecks"]]);
    expect(readFileSync(join(project.directory, usualModule), "utf8")).toContain('"type": ["string", "null"]');
  });

  test("a folder, another file, and one that extends a base with path aliases", async () => {
    using project = temporaryProject({
      "base.json": JSON.stringify({
        compilerOptions: { experimentalDecorators: true, strict: true, module: "nodenext", paths: { "@dto/*": ["./shared/*"] } },
      }),
      "shared/pallet.ts": "/** A pallet. */ export interface Pallet { weight: number } export class Box { size!: number }",
      "app/package.json": '{ "type": "module" }',
      "app/tsconfig.json": JSON.stringify({ extends: "../base.json", include: ["src"] }),
      "app/src/tools.ts": `import type { Pallet } from "@dto/pallet"; import { Box } from "@dto/pallet"; import { Tool } from "@toolwright/core";
        export class A { /** Moves the pallet and boxes. */ @Tool({ effect: "read" }) move(pallet: Pallet, boxes: Box[]): void {} }`,
    });
    expect(await build(project.directory, { project: "app" })).toMatchObject({ ok: true, problems: [] });
    const text = readFileSync(join(project.directory, "app/src/toolwright.generated.ts"), "utf8");
    expect(text).toContain('"properties": { "weight": { "type": "number" } }');
    // Outside of the project, so it is imported as the author imports it.
    expect(text).toContain('import { Box } from "@dto/pallet";');
    expect((await build(project.directory, { project: "app/tsconfig.json", check: true })).ok).toBe(true);
    project.write({ "shared/pallet.ts": "export interface Pallet { weight: any } export class Box { size!: number }" });
    const { problems } = await build(project.directory, { project: "app" });
    expect(problems.map(({ file, subject }) => [file, subject])).toEqual([["shared/pallet.ts", "A.move(pallet).weight"]]);
  });

  test("errors outside of the tools' reach do not stop the build, a syntax error in a file with tools does", async () => {
    using project = temporaryProject({
      "src/orders.ts": orderTools,
      "src/noise.ts": "export const wrong: number = 'text'; let x = ;",
      "src/globals.d.ts": "interface Array<T> { broken: Missing }",
    });
    expect((await build(project.directory)).ok).toBe(true);
    project.write({ "src/orders.ts": `${orderTools}\nexport const broken = ;` });
    expect((await build(project.directory)).problems.map(({ file, subject }) => [file, subject])).toEqual([["src/orders.ts", "Syntax"]]);
  });
});
