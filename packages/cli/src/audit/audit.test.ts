import { execFile } from "node:child_process";
import { readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ToolwrightError } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { temporaryProject, type TemporaryProject } from "../../test-support/temporary-project.js";
import { buildProject } from "../build-project.js";
import type { BuildResult } from "../build-result.js";

const compiler = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
const compile = (project: TemporaryProject): Promise<unknown> =>
  promisify(execFile)(process.execPath, [compiler, "-p", project.directory]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });

const tsconfig = JSON.stringify({
  compilerOptions: {
    ...{ target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true, skipLibCheck: true, types: [] },
    ...{ rootDir: "src", outDir: "dist" },
  },
  include: ["src"],
});

const source = (decorators: string, more = ""): string => `import { Tool } from "@toolwright/core";
import * as v from "class-validator";
${more}
enum Level { Low = 1, High }
export class Base { @v.Max(10) inherited!: number }
export class Line { @v.IsInt() count = 1; @v.Matches(/^[A-Z]+$/u) code!: string }
export class Order extends Base {
  ${decorators}
  name!: string;
  @v.IsEnum(Level) level!: Level;
  @v.ValidateNested({ each: true }) lines!: Line[];
  @v.MinLength(2, { each: true }) words!: string[];
  @v.IsOptional() @v.IsUUID() id?: string;
  @v.ValidateIf(() => true) @v.Length(2, 9) @v.Allow() rest!: string;
}
export class OrderTools { /** Takes an order of its kind. */ @Tool({ effect: "read" }) run(order: Order): void {} }
`;

async function audited(project: TemporaryProject): Promise<BuildResult> {
  return buildProject({ cwd: project.directory, audit: true });
}

describe("toolwright build --audit", () => {
  test("is content when the build saw all that class-validator has", async () => {
    using project = temporaryProject({ "tsconfig.json": tsconfig, "src/a.ts": source("@v.MinLength(1)") });
    await buildProject({ cwd: project.directory });
    await compile(project);
    expect(await audited(project)).toMatchObject({ ok: true, problems: [] });
  });

  test("finds a decorator that a function of the author's makes", async () => {
    const more =
      "export const Short = () => v.MaxLength(20); export const Name = (): PropertyDecorator => (target, key) => { v.IsAlpha()(target, key as string); };";
    using project = temporaryProject({ "tsconfig.json": tsconfig, "src/a.ts": source("@Short() @Name()", more) });
    await compile(project);
    const result = await audited(project);
    expect(result.ok).toBe(false);
    expect(result.files).toEqual([{ path: "src/toolwright.generated.ts", state: "written" }]);
    expect(result.problems.map(({ file, subject, reason }) => [file, subject, reason])).toEqual([
      ["src/a.ts", "Order.name", "At run time it is also checked by isAlpha(), which the build did not see, so the model is not told."],
      ["src/a.ts", "Order.name", "At run time it is also checked by maxLength(20), which the build did not see, so the model is not told."],
    ]);
  });

  test("finds what the compiled classes do not have, or have otherwise", async () => {
    using project = temporaryProject({ "tsconfig.json": tsconfig, "src/a.ts": source("@v.MinLength(1)") });
    await compile(project);
    project.write({ "src/a.ts": source("@v.MinLength(3) @v.IsLowercase()") });
    utimesSync(join(project.directory, "dist/a.js"), new Date(), new Date(Date.now() + 10_000));
    const { problems } = await audited(project);
    expect(problems.map(({ line, subject, reason }) => [line, subject, reason])).toEqual([
      [8, "Order.name", "The build read @MinLength(3), and at run time it is @MinLength(1)."],
      [8, "Order.name", "The build saw @IsLowercase, which the compiled class does not have."],
    ]);
  });

  test("what modules print and leave running is no harm", async () => {
    using project = temporaryProject({
      "tsconfig.json": tsconfig,
      "src/a.ts": source(
        "@v.MinLength(1)",
        'declare const console: { log(text: string): void }; declare function setInterval(f: () => void, ms: number): void; console.log("hello"); setInterval(() => {}, 1000);',
      ),
    });
    await compile(project);
    expect(await audited(project)).toMatchObject({ ok: true, problems: [] });
  });

  test.each<readonly [string, (project: TemporaryProject) => Promise<unknown>, RegExp, RegExp]>([
    ["without compiled files", () => Promise.resolve(), /no compiled file for src\/a\.ts/, /Compile first/],
    [
      "with older ones",
      async (project) => {
        await compile(project);
        utimesSync(join(project.directory, "dist/a.js"), 1, 1);
      },
      /dist\/a\.js is older than src\/a\.ts/,
      /Compile again/,
    ],
    [
      "with ones that fail when they are imported",
      async (project) => {
        await compile(project);
        const text = readFileSync(join(project.directory, "dist/a.js"), "utf8");
        project.write({ "dist/a.js": `${text}\nthrow new TypeError("no database");` });
      },
      /could not load the compiled classes: TypeError: no database/,
      /importable by themselves/,
    ],
  ])("%s it cannot be made, and says so", async (_, prepare, message, fix) => {
    using project = temporaryProject({ "tsconfig.json": tsconfig, "src/a.ts": source("@v.MinLength(1)") });
    await prepare(project);
    const error: unknown = await audited(project).catch((reason: unknown) => reason);
    expect(ToolwrightError.is(error, "BUILD_CONFIG")).toBe(true);
    expect((error as ToolwrightError).message).toMatch(message);
    expect((error as ToolwrightError).fix).toMatch(fix);
  });
});
