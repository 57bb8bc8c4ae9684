import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import { readConfig } from "./compile/config.js";
import { ProgramUnits } from "./compile/program-units.js";
import type { Project } from "./compile/project.js";
import { SourceFiles } from "./compile/source-files.js";

/** Types whose members the checker numbers in the order in which it meets them. */
const shared = `export type Unit = "metric" | "imperial" | "nautical";
export interface Circle { kind: "circle"; radius: number }
export interface Square { kind: "square"; side: number }
export interface User { zeta: string; alpha: number; mid: boolean }
export enum Mode { Slow = "slow", Fast = "fast" }
export class Item { name!: string; mode = Mode.Fast }
`;
const first = `import { Tool } from "@toolwright/core";
import { Circle, Item, Mode, Square, Unit, User } from "./shared.js";
export class First {
  /** Takes shapes and other things of the kind. */ @Tool({ effect: "read" })
  one(unit: Unit, shape: Circle | Square, part: Pick<User, "alpha" | "zeta">, rest: Omit<User, "mid">, items: Item[], modes: Mode[], loose: "z" | "a" | 3 | 1): void {}
}
`;
const second = `import { Tool } from "@toolwright/core";
import { Circle, Item, Square, Unit, User } from "./shared.js";
export class Second {
  /** Takes them the other way round on purpose. */ @Tool({ effect: "read" })
  two(shape: Square | Circle, part: Pick<User, "zeta" | "alpha">, record: Record<"square" | "circle" | "imperial", 1 | 3>, unit: "nautical" | "metric", a: "a" | "z", item?: Item): void {}
}
`;

const config = (files: readonly string[]): string =>
  JSON.stringify({ compilerOptions: { experimentalDecorators: true, strict: true, module: "nodenext", rootDir: "src" }, files });

async function built(directory: string): Promise<string> {
  const result = await buildProject({ cwd: directory, cache: false });
  expect(result.problems).toEqual([]);
  return readFileSync(join(directory, "src/toolwright.generated.ts"), "utf8");
}

const files = ["src/shared.ts", "src/first.ts", "src/second.ts"];
const sources = { "src/shared.ts": shared, "src/first.ts": first, "src/second.ts": second };

describe("the same sources give the same bytes", () => {
  test("twice in one process", async () => {
    using project = temporaryProject({ ...sources, "tsconfig.json": config(files) });
    expect(await built(project.directory)).toBe(await built(project.directory));
  });

  test("whatever the order of files", async () => {
    using project = temporaryProject({ ...sources, "tsconfig.json": config(files) });
    const text = await built(project.directory);
    for (const order of [files.toReversed(), [files[2], files[0], files[1]], [files[1], files[2], files[0]]]) {
      project.write({ "tsconfig.json": config(order as string[]) });
      expect(await built(project.directory)).toBe(text);
    }
  });

  test("whatever the folder, and without a path of it", async () => {
    using project = temporaryProject({ ...sources, "tsconfig.json": config(files) });
    const text = await built(project.directory);
    const moved = join(project.directory, "deeper", "down");
    mkdirSync(moved, { recursive: true });
    for (const name of ["src", "tsconfig.json", "package.json"]) renameSync(join(project.directory, name), join(moved, name));
    expect(await built(moved)).toBe(text);
    expect(text).not.toContain(project.directory);
    expect(text).not.toMatch(/node_modules|\.ts"/);
  });

  test("from a program that was checked before", () => {
    using project = temporaryProject({ ...sources, "tsconfig.json": config(files) });
    const fresh = new ProgramUnits(new SourceFiles(), true);
    const checked = new ProgramUnits(new SourceFiles(), true);
    const settings = readConfig(join(project.directory, "tsconfig.json"));
    const before = checked.open(settings);
    // The other way round than a build comes upon them, all types of all files.
    for (const file of before.program.getSourceFiles().toReversed()) before.program.getSemanticDiagnostics(file);
    const unitsOf = (units: ProgramUnits, opened: Project): unknown =>
      units.compile(opened, undefined).map(({ toolkits, dtoClasses }) => JSON.stringify([toolkits, dtoClasses]));
    expect(unitsOf(checked, before)).toEqual(unitsOf(fresh, fresh.open(settings)));
  });

  test("with the generated module of before in the program or not", async () => {
    using project = temporaryProject({ ...sources, "tsconfig.json": config(files) });
    const text = await built(project.directory);
    project.write({ "tsconfig.json": config([...files, "src/toolwright.generated.ts"]) });
    expect(await built(project.directory)).toBe(text);
  });
});

test("unions keep the order in which each was written", async () => {
  using project = temporaryProject({ ...sources, "tsconfig.json": config(files) });
  const text = await built(project.directory);
  expect(text).toContain('"enum": ["metric", "imperial", "nautical"]');
  expect(text).toContain('"enum": ["nautical", "metric"]');
  expect(text).toContain('"enum": ["z", "a", 3, 1]');
  expect(text).toContain('"required": ["square", "circle", "imperial"]');
  expect(text.match(/"enum": \["(circle|square)"\]/g)).toEqual([
    '"enum": ["circle"]',
    '"enum": ["square"]',
    '"enum": ["square"]',
    '"enum": ["circle"]',
  ]);
});
