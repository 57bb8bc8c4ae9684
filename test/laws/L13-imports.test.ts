import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The exit code and the problems of the check that `pnpm check` runs, on a tree like this one. */
function checkImports(folder: string): Promise<{ readonly code: number; readonly problems: readonly string[] }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(root, "scripts/checks/imports.mjs"), folder], (error, stdout, stderr) => {
      if (stderr !== "") reject(new Error(stderr));
      else resolve({ code: Number(error?.code ?? 0), problems: stdout.split("\n").filter((line) => line !== "") });
    });
  });
}

describe("L13: imports point one way, type imports included, without cycles", () => {
  it("holds for this repository", async () => {
    expect(await checkImports(root)).toEqual({ code: 0, problems: [] });
  });

  describe("in a copy with a planted violation", () => {
    const planted: string[] = [];
    let copy: string;
    let before: readonly string[];

    async function plant(file: string, text: string): Promise<void> {
      const path = join(copy, file);
      planted.push(path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
    }

    /** What the check finds beyond what it found before, so that each test is about what it planted. */
    async function found(): Promise<readonly string[]> {
      const { code, problems } = await checkImports(copy);
      expect(code).toBe(problems.length > 0 ? 1 : 0);
      return problems.filter((problem) => !before.includes(problem));
    }

    beforeAll(async () => {
      copy = await mkdtemp(join(tmpdir(), "imports "));
      const filter = (path: string) => !/[\\/](node_modules|dist)$|\.test\.ts$/.test(path);
      for (const name of ["core", "testing", "cli", "tools-weather"]) {
        await cp(join(root, "packages", name, "src"), join(copy, "packages", name, "src"), { recursive: true, filter });
      }
      before = (await checkImports(copy)).problems;
    });
    afterEach(() => Promise.all(planted.splice(0).map((path) => rm(path))));
    afterAll(() => rm(copy, { recursive: true }));

    it.each([
      ["a type import", 'import type { Anything } from "../run/loop.js";\nexport type Planted = Anything;\n'],
      ["a re-export", 'export * from "../run/loop.js";\n'],
      ["a type re-export", 'export type { Anything } from "../run/loop.js";\n'],
      ["the type of an import()", 'export type Planted = import("../run/loop.js").Anything;\n'],
      ["a lazy import", 'export const planted = () => import("../run/loop.js");\n'],
      ["an import for its effect", 'import "../run/loop.js";\n'],
      ["an import = require", 'import planted = require("../run/loop.js");\nexport { planted };\n'],
      ["an augmentation", 'export {};\ndeclare module "../run/loop.js" {}\n'],
    ])("names %s that points upward", async (_, text) => {
      await plant("packages/core/src/schema/planted.ts", `// A first line.\n${text}`);
      const line = text.split("\n").findIndex((code) => code.includes("loop.js")) + 2;
      expect(await found()).toEqual([
        `packages/core/src/schema/planted.ts:${line}: schema may import only contracts, errors, authoring, not run/loop.ts`,
      ]);
    });

    it("names a cycle of type imports, with the line of each import in it", async () => {
      await plant("packages/core/src/schema/one.ts", '\nimport type { Two } from "./two.js";\nexport type One = Two | 1;\n');
      await plant("packages/core/src/schema/two.ts", 'import type { Three } from "./three.js";\nexport type Two = Three | 2;\n');
      await plant("packages/core/src/schema/three.ts", '\n\nimport type { One } from "./one.js";\nexport type Three = One | 3;\n');
      const folder = "packages/core/src/schema";
      expect(await found()).toEqual([
        `${folder}/one.ts:2: a cycle of imports: ${folder}/one.ts:2 → ${folder}/two.ts:1 → ${folder}/three.ts:3 → ${folder}/one.ts`,
      ]);
    });

    it("names a file that imports itself", async () => {
      await plant("packages/core/src/schema/one.ts", 'import type { One } from "./one.js";\nexport type { One };\n');
      expect(await found()).toEqual([expect.stringMatching(/^packages\/core\/src\/schema\/one\.ts:1: a cycle/)]);
    });

    it.each([
      ["run/loop.js", "the loop"],
      ["agent.js", "the agent"],
      ["pipeline/compose.js", "the pipeline"],
      ["openai/planted.js", "another leaf"],
    ])("keeps a leaf from importing %s (%s)", async (target) => {
      await plant("packages/core/src/openai/planted.ts", "export type Planted = 1;\n");
      await plant(
        "packages/core/src/middleware/planted.ts",
        `import type { Planted } from "../${target}";\nexport type { Planted as Leaf };\n`,
      );
      expect(await found()).toEqual([
        expect.stringMatching(/^packages\/core\/src\/middleware\/planted\.ts:1: middleware\/ is a leaf: .* not [\w/.-]+$/),
      ]);
    });

    it("lets a leaf import the first two rows, the schema rules and run/history", async () => {
      await plant("packages/core/src/run/history-planted.ts", "export type Planted = 1;\n");
      await plant("packages/core/src/schema/planted.ts", "export type Planted = 1;\n");
      const targets = ["contracts/item.js", "errors/toolwright-error.js", "schema/planted.js", "run/history-planted.js"];
      await plant("packages/core/src/session/planted.ts", targets.map((target) => `import "../${target}";\n`).join(""));
      expect(await found()).toEqual([]);
    });

    it("names an import of an entry, and a folder that has no row", async () => {
      await plant("packages/core/src/run/planted.ts", 'export * from "../index.js";\n');
      await plant("packages/core/src/helpers/planted.ts", 'import "../contracts/item.js";\n');
      const problems = await found();
      expect(problems).toContainEqual(expect.stringMatching(/run\/planted\.ts:1: index\.ts is an entry of the package/));
      expect(problems).toContainEqual(expect.stringMatching(/helpers\/planted\.ts:1: helpers has no row/));
    });

    it.each([
      ["core", "@toolwright/testing", "packages/core may import no other package of this workspace, not @toolwright/testing"],
      ["testing", "@toolwright/cli", "packages/testing may import only core, not @toolwright/cli"],
      ["tools-weather", "@toolwright/core/generated", undefined],
      ["cli", "@toolwright/core", undefined],
    ])("judges an import in %s of %s", async (folder, specifier, problem) => {
      await plant(`packages/${folder}/src/planted.ts`, `import type {} from "${specifier}";\n`);
      const expected = problem === undefined ? [] : [`packages/${folder}/src/planted.ts:1: ${problem}`];
      expect(await found()).toEqual(expected);
    });

    it("names a file that does not parse, and goes on", async () => {
      await plant("packages/core/src/schema/planted.ts", "export const planted = {\n");
      await plant("packages/testing/src/planted.ts", 'import "./nowhere.js";\n');
      expect(await found()).toEqual([
        expect.stringMatching(/^packages\/core\/src\/schema\/planted\.ts:1: it does not parse: /),
        'packages/testing/src/planted.ts:1: "./nowhere.js" is no file',
      ]);
    });

    it("names a relative import that leaves its package, and one of no file", async () => {
      await plant("packages/testing/src/planted.ts", 'import "../../core/src/index.js";\nimport "./nowhere.js";\n');
      expect(await found()).toEqual([
        'packages/testing/src/planted.ts:1: "../../core/src/index.js" leaves packages/testing: import the package by its name',
        'packages/testing/src/planted.ts:2: "./nowhere.js" is no file',
      ]);
    });
  });
});
