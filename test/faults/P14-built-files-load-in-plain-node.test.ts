import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { existsSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installProject, mustRun, run } from "../packaging/packed.js";
import { type ExtractedPackages, extractPackages } from "../support/extracted-packages.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let extracted: ExtractedPackages;
/** Every built file of every package, absolute. */
let files: readonly string[];
let oldest: string;

beforeAll(async () => {
  extracted = await extractPackages();
  const runtime = installProject(dirname(extracted.folder), "oldest node", ["node@22.13.0"]);
  const lists = await Promise.all(
    extracted.names.map(async (name) => {
      const dist = join(extracted.at(name), "dist");
      // A package that is only a command has nothing that is built.
      if (!existsSync(dist)) return [];
      return (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".js")).map((file) => join(dist, file));
    }),
  );
  files = lists.flat();
  oldest = join(await runtime, "node_modules/.bin/node");
}, 180_000);
afterAll(() => extracted[Symbol.asyncDispose]());

describe("P14: what was built is what plain Node loads", () => {
  it("names every imported file with its extension, and the file is there", async () => {
    expect(files.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const file of files) {
      const { module, errors } = parseSync(file, await readFile(file, "utf8"));
      expect(errors).toEqual([]);
      const specifiers = [
        ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
        ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
      ];
      for (const specifier of specifiers.filter((each) => each.startsWith("."))) {
        if (!specifier.endsWith(".js") || !existsSync(join(dirname(file), specifier))) wrong.push(`${file}: ${specifier}`);
      }
      if (specifiers.some((each) => each.endsWith(".json"))) wrong.push(`${file}: JSON`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(["22.13", "24"])("loads each file by itself, on Node %s", async (version) => {
    const node = version === "24" ? process.execPath : oldest;
    expect(await mustRun(node, ["--version"])).toMatch(new RegExp(`^v${version.replace(".", "\\.")}\\.`));
    // The command's own file would run the command.
    await writeFile(
      join(extracted.folder, "load.mjs"),
      `import { pathToFileURL } from "node:url";
       let loaded = 0;
       for (const file of ${JSON.stringify(files)}) { await import(pathToFileURL(file).href).catch((error) => { throw new Error(file, { cause: error }); }); loaded += 1; }
       console.log(loaded);`,
    );
    const { code, stdout, stderr } = await run(node, ["load.mjs"], extracted.folder);
    expect([code, stdout, stderr.replace(/^.*ExperimentalWarning: SQLite .*\n.*\n/m, "")]).toEqual([0, `${files.length}\n`, ""]);
  });

  it("needs nothing that CommonJS cannot require: no top-level await", async () => {
    await writeFile(join(extracted.folder, "load.cjs"), `for (const file of ${JSON.stringify(files)}) require(file); console.log("all");`);
    const { code, stdout } = await run(process.execPath, ["load.cjs"], extracted.folder);
    expect([code, stdout]).toEqual([0, "all\n"]);
  });
});
