import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mustRun, root, run } from "../packaging/packed.js";
import { type ExtractedPackages, extractPackages } from "../support/extracted-packages.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let extracted: ExtractedPackages;
/** Every path that the packages export, as an app writes it. */
let specifiers: readonly string[];
/** The files of commands, by the package; one that is only a command exports nothing. */
let commands: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  extracted = await extractPackages();
  const manifests = await Promise.all(
    extracted.names.map(async (name) => {
      const manifest = JSON.parse(await readFile(join(extracted.at(name), "package.json"), "utf8")) as {
        exports?: Record<string, unknown>;
        bin?: Record<string, string>;
      };
      return { name, ...manifest };
    }),
  );
  specifiers = manifests.flatMap(({ name, exports = {} }) => Object.keys(exports).map((path) => name + path.slice(1)));
  commands = new Map(manifests.flatMap(({ name, bin }) => (bin === undefined ? [] : [[name, Object.values(bin)] as const])));
}, 120_000);
afterAll(() => extracted[Symbol.asyncDispose]());

const isModule = (specifier: string): boolean => !specifier.endsWith(".json");

/** Names that a module exports, by specifier, as a program sees them that prints them as JSON. */
async function names(file: string, code: string): Promise<Record<string, readonly string[]>> {
  await writeFile(join(extracted.folder, file), code);
  return JSON.parse(await mustRun(process.execPath, [file], extracted.folder)) as Record<string, readonly string[]>;
}

describe("P05: every path that a package exports leads to a file that was published", () => {
  it("has a root in each package, unless that is only a command", () => {
    const rootless = extracted.names.filter((name) => !specifiers.includes(name));
    expect(rootless).toEqual(["create-toolwright"]);
    expect(rootless.filter((name) => !commands.has(name))).toEqual([]);
    expect(specifiers.length).toBeGreaterThan(extracted.names.length + 2);
  });

  it("has the files of its commands, which a system can start", async () => {
    expect(commands.size).toBeGreaterThan(1);
    for (const [name, files] of commands) {
      for (const file of files) expect(await readFile(join(extracted.at(name), file), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it("imports and requires to the same names", async () => {
    const all = JSON.stringify(specifiers.filter(isModule));
    const imported = await names(
      "names.mjs",
      `const all = ${all}; const found = {};
       for (const each of all) found[each] = Object.keys(await import(each)).sort();
       console.log(JSON.stringify(found));`,
    );
    const required = await names(
      "names.cjs",
      `const all = ${all}; const found = {};
       for (const each of all) found[each] = Object.keys(require(each)).filter((name) => name !== "__esModule").sort();
       console.log(JSON.stringify(found));`,
    );
    expect(Object.keys(imported)).toEqual(specifiers.filter(isModule));
    expect(Object.values(imported).every((list) => list.length > 0)).toBe(true);
    expect(required).toEqual(imported);
  });

  it("gives manifests as JSON, both ways", async () => {
    const manifests = specifiers.filter((specifier) => !isModule(specifier));
    expect(manifests).toHaveLength(2);
    const file = `
      import { createRequire } from "node:module";
      for (const each of ${JSON.stringify(manifests)}) {
        const { default: imported } = await import(each, { with: { type: "json" } });
        console.log(imported.package + "/toolwright.manifest.json", JSON.stringify(imported) === JSON.stringify(createRequire(import.meta.url)(each)));
      }`;
    await writeFile(join(extracted.folder, "manifests.mjs"), file);
    expect(await mustRun(process.execPath, ["manifests.mjs"], extracted.folder)).toBe(manifests.map((each) => `${each} true\n`).join(""));
  });

  it.each([
    ["node16", "node16"],
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
    ["preserve", "bundler"],
  ])("has types with module %s, resolved as %s", async (module, moduleResolution) => {
    const lines = specifiers.filter(isModule).map((specifier, index) => `export * as m${index} from "${specifier}";`);
    await writeFile(join(extracted.folder, "types.mts"), lines.join("\n"));
    const options = [
      "--module",
      module,
      "--moduleResolution",
      moduleResolution,
      "--target",
      "es2024",
      "--strict",
      "--skipLibCheck",
      "--noEmit",
    ];
    const { code, stdout } = await run(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), ...options, "types.mts"],
      extracted.folder,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  it("lets nobody reach into what is not exported", async () => {
    for (const path of ["/dist/index.js", "/package.json", "/dist/agent.js"]) {
      const code = `import("@toolwright/core${path}").then(() => console.log("reached"), (error) => console.log(error.code))`;
      expect(await mustRun(process.execPath, ["--input-type=module", "-e", code], extracted.folder)).toBe(
        "ERR_PACKAGE_PATH_NOT_EXPORTED\n",
      );
    }
  });
});
