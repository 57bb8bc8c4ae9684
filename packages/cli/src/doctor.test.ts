import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type NewPackage, newPackage, temporaryFolder } from "../test-support/new-package.js";
import { runHere } from "../test-support/run-in-process.js";
import { checkCode } from "./doctor/check-code.js";
import { checkBuild, checkContents, checkManifest } from "./doctor/check-manifest.js";
import { checkPackageJson } from "./doctor/check-package-json.js";
import { checkPublint } from "./doctor/check-publint.js";
import { checkReadme } from "./doctor/check-readme.js";
import { type Check, diagnose } from "./doctor/diagnose.js";
import { pack, type PackedPackage } from "./doctor/pack.js";
import { Patient } from "./doctor/patient.js";

// npm and compilers run here, side by side with other tests.
vi.setConfig({ testTimeout: 60_000 });

type Spoil = (spoilt: NewPackage) => void;

const json = async (folder: string, ...flags: readonly string[]) => {
  const { code, out } = await runHere("doctor", folder, "--json", ...flags);
  return { code, ...(JSON.parse(out) as { ok: boolean; changed: string[]; findings: { code: string; file: string; fix: string }[] }) };
};

describe("the command toolwright doctor", () => {
  test("finds nothing wrong with a new package", async () => {
    using fine = await newPackage();
    expect(await runHere("doctor", fine.folder, "--strict")).toEqual({
      code: 0,
      out: "Nothing is wrong with it: it can be published.",
      error: "",
    });
  });

  test("names each thing with its code, place and fix, errors first, and fails", async () => {
    using spoilt = await newPackage();
    spoilt.packageJson(({ keywords: _, description: __, ...rest }) => rest);
    const { code, out, error } = await runHere("doctor", spoilt.folder);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toMatch(/^package\.json {2}DOCTOR_KEYWORD\n {2}.*no tool package.*\n {2}Fix: Add "toolwright-tools" to "keywords"\.\n/);
    expect(error).toMatch(/warning DOCTOR_DESCRIPTION/);
    expect(error).toMatch(/\d errors?, 1 warning\.\n`npx toolwright doctor --fix` mends what is safe\.$/);
  });

  test("--fix mends what is safe, says what it changed, and leaves the rest", async () => {
    using spoilt = await newPackage();
    spoilt.packageJson(({ keywords: _, engines: __, peerDependencies, description: ___, ...rest }) => ({
      ...rest,
      dependencies: peerDependencies,
      files: ["dist", "!dist/**/*.test.*"],
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    }));
    spoilt.remove("toolwright.manifest.json");
    spoilt.write("README.md", (text) => text.replace("| `get_stock` |", "| `old_stock` |"));
    const { code, changed, findings } = await json(spoilt.folder, "--fix");
    expect(findings.map((finding) => finding.code)).toEqual(["DOCTOR_DESCRIPTION"]);
    expect(code).toBe(0);
    expect(changed).toEqual([
      "package.json (DOCTOR_KEYWORD, DOCTOR_SHARED_DEPENDENCY, DOCTOR_MANIFEST_EXPORT, DOCTOR_ENGINES)",
      "toolwright.manifest.json (DOCTOR_STALE, DOCTOR_NO_MANIFEST)",
      "package.json (DOCTOR_MANIFEST_NOT_PACKED)",
      "README.md (DOCTOR_README_TABLE)",
    ]);
    expect(JSON.parse(spoilt.read("package.json"))).toMatchObject({
      keywords: ["toolwright-tools"],
      peerDependencies: { "@toolwright/core": expect.stringMatching(/^\^/) as string },
      files: ["dist", "!dist/**/*.test.*", "toolwright.manifest.json"],
    });
    expect(JSON.parse(spoilt.read("package.json"))).not.toHaveProperty("dependencies");
    expect((await json(spoilt.folder, "--fix")).changed).toEqual([]);
  });

  test("changes nothing without --fix", async () => {
    using spoilt = await newPackage();
    spoilt.packageJson(({ keywords: _, ...rest }) => rest);
    spoilt.remove("toolwright.manifest.json");
    const before = spoilt.read("package.json");
    expect((await json(spoilt.folder)).ok).toBe(false);
    expect(spoilt.read("package.json")).toBe(before);
    expect(existsSync(join(spoilt.folder, "toolwright.manifest.json"))).toBe(false);
  });

  test("--strict fails on warnings too", async () => {
    using spoilt = await newPackage();
    spoilt.packageJson(({ license: _, ...rest }) => rest);
    expect(await json(spoilt.folder)).toMatchObject({ code: 0, ok: true, findings: [{ code: "DOCTOR_LICENSE" }] });
    expect((await json(spoilt.folder, "--strict")).code).toBe(1);
  });

  test.each([
    ["no package.json", () => {}, "There is no package.json here."],
    [
      "a package.json that is none",
      (folder: string) => writeFileSync(join(folder, "package.json"), "[]"),
      "package.json is no JSON object.",
    ],
    [
      "a package without tools",
      (folder: string) => writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "plain", version: "1.0.0" })),
      "plain is no tool package",
    ],
  ])("cannot start with %s", async (_, prepare, sentence) => {
    const folder = temporaryFolder();
    try {
      mkdirSync(folder, { recursive: true });
      prepare(folder);
      const { code, out, error } = await runHere("doctor", folder);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(error).toContain(sentence);
      expect(error).toContain("Fix: ");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("types that do not fit are found in the tarball", async () => {
    using spoilt = await newPackage();
    spoilt.write("dist/index.d.cts", spoilt.read("dist/index.d.ts"));
    spoilt.packageJson(({ exports, ...rest }) => ({
      ...rest,
      exports: { ...(exports as object), ".": { types: "./dist/index.d.cts", default: "./dist/index.js" } },
    }));
    const { code, findings } = await json(spoilt.folder);
    expect(code).toBe(1);
    expect(findings.map((finding) => finding.code)).toEqual(expect.arrayContaining([expect.stringMatching(/^ATTW_/) as string]));
  });
});

describe("one fault, one finding", () => {
  const faults: readonly (readonly [code: string, check: Check, spoil: Spoil])[] = [
    ["DOCTOR_NAME", checkPackageJson, (it) => it.packageJson((before) => ({ ...before, name: "Tools Stock" }))],
    ["DOCTOR_VERSION", checkPackageJson, (it) => it.packageJson(({ version: _, ...rest }) => rest)],
    ["DOCTOR_PRIVATE", checkPackageJson, (it) => it.packageJson((before) => ({ ...before, private: true }))],
    ["DOCTOR_TYPE", checkPackageJson, (it) => it.packageJson(({ type: _, ...rest }) => rest)],
    ["DOCTOR_NO_PEER", checkPackageJson, (it) => it.packageJson(({ peerDependencies: _, ...rest }) => rest)],
    ["DOCTOR_LOCAL_RANGE", checkPackageJson, (it) => it.packageJson((before) => ({ ...before, dependencies: { other: "file:../other" } }))],
    [
      "DOCTOR_SHARED_DEPENDENCY",
      checkPackageJson,
      (it) => it.packageJson((before) => ({ ...before, dependencies: { "class-validator": "^0.15.0" } })),
    ],
    ["DOCTOR_NO_EXPORTS", checkPackageJson, (it) => it.packageJson(({ exports: _, ...rest }) => ({ ...rest, main: "dist/index.js" }))],
    [
      "DOCTOR_NO_ROOT_EXPORT",
      checkPackageJson,
      (it) => it.packageJson((before) => ({ ...before, exports: { "./toolwright.manifest.json": "./toolwright.manifest.json" } })),
    ],
    ["DOCTOR_MANIFEST_EXPORT", checkPackageJson, (it) => it.packageJson((before) => ({ ...before, exports: "./dist/index.js" }))],
    ["DOCTOR_STALE", checkBuild, (it) => it.write("src/stock-tools.ts", (text) => text.replace("Looks up one", "Finds one"))],
    ["BUILD_FAILED", checkBuild, (it) => it.write("src/stock-tools.ts", (text) => text.replace("id: string)", "id: Map<string, string>)"))],
    ["BUILD_CONFIG", checkBuild, (it) => it.remove("tsconfig.json")],
    ["DOCTOR_NO_MANIFEST", checkManifest, (it) => it.remove("toolwright.manifest.json")],
    ["DOCTOR_NO_MANIFEST", checkManifest, (it) => it.write("toolwright.manifest.json", "{")],
    ["DOCTOR_OTHER_MANIFEST", checkManifest, (it) => it.packageJson((before) => ({ ...before, version: "0.2.0" }))],
    ["DOCTOR_MANIFEST_NOT_PACKED", checkManifest, (it) => it.packageJson((before) => ({ ...before, files: ["dist"] }))],
    [
      "DOCTOR_OLD_CODE",
      checkManifest,
      (it) => it.write("dist/toolwright.generated.js", (text) => text.replace("Looks up one", "Finds one")),
    ],
    [
      "DOCTOR_LARGE_TOOL",
      checkManifest,
      (it) => it.write("toolwright.manifest.json", (text) => text.replace("Looks up one", `Looks up ${"one ".repeat(3_000)}`)),
    ],
    [
      "DOCTOR_LONG_NAME",
      checkManifest,
      (it) => it.write("toolwright.manifest.json", (text) => text.replaceAll("get_stock", `get_${"stock_".repeat(9)}`)),
    ],
    [
      "DOCTOR_OPEN_SECRET",
      checkManifest,
      (it) =>
        it.write("toolwright.manifest.json", (text) =>
          JSON.stringify({
            ...(JSON.parse(text) as object),
            config: { schema: { type: "object", properties: { apiKey: { type: "string" } } } },
          }),
        ),
    ],
    ["DOCTOR_SECRET_FILE", checkContents, (it) => it.write("dist/.env", "KEY=1")],
    ["DOCTOR_TEST_FILE", checkContents, (it) => it.packageJson((before) => ({ ...before, files: ["dist"] }))],
    ["DOCTOR_LARGE_PACKAGE", checkContents, (it) => it.write("dist/data.json", JSON.stringify("x".repeat(6_000_000)))],
    ["DOCTOR_NO_README", checkReadme, (it) => it.remove("README.md")],
    ["DOCTOR_README_TABLE", checkReadme, (it) => it.write("README.md", (text) => text.replace("| read |", "| write |"))],
    ["PUBLINT_FILE_DOES_NOT_EXIST", checkPublint, (it) => it.remove("dist/index.js")],
  ];
  test.each(faults)("%s", async (code, check, spoil) => {
    using spoilt = await newPackage();
    spoil(spoilt);
    const findings = await diagnose(new Patient(spoilt.folder), [check]);
    expect(findings.map((finding) => finding.code)).toContain(code);
    expect(new Set(findings.map((finding) => finding.code)).size).toBeLessThanOrEqual(2);
    for (const { message, fix, file } of findings) expect([message, fix, file].every((text) => text.length > 3)).toBe(true);
  });
});

describe("what the code does", () => {
  let spoilt: NewPackage;
  let packed: PackedPackage;
  beforeAll(async () => {
    spoilt = await newPackage();
    spoilt.write("dist/extra.js", "");
    packed = await pack(spoilt.folder);
  });
  afterAll(() => spoilt[Symbol.dispose]());
  const findingsFor = async (source: string) => {
    spoilt.write("src/extra.ts", source);
    spoilt.write("dist/extra.js", source);
    // What is published is the same each time.
    return diagnose(new Patient(spoilt.folder, () => Promise.resolve(packed)), [checkCode]);
  };

  test.each([
    'console.log("x");',
    "function f() {\n  console.table([]);\n}",
    'process.stdout.write("x");',
    'import { stdout } from "node:process";\nstdout.write("x");',
    "export const target = process.stdout;",
    'import { writeSync } from "node:fs";\nimport * as fs from "node:fs";\nfs.writeSync(1, "x");',
  ])("a write to stdout is found in its source: %s", async (source) => {
    const line = source.split("\n").findIndex((text) => /console\.|process\.stdout|^stdout|writeSync\(1/.test(text)) + 1;
    expect(await findingsFor(source)).toEqual([expect.objectContaining({ code: "DOCTOR_STDOUT", file: "src/extra.ts", line })]);
  });

  test.each([
    'console.error("x");',
    "export const wide = process.stdout.isTTY ? process.stdout.columns : 80;",
    'import { writeSync } from "node:fs";\nwriteSync(2, "x");',
    '// console.log("x");\nexport const text = "process.env.TOKEN";',
    'export const mode = process.env.NODE_ENV ?? process.env["NO_COLOR"];',
    "const log = { console: { log() {} } };\nlog.console.log();",
  ])("nothing is found in: %s", async (source) => {
    expect(await findingsFor(source)).toEqual([]);
  });

  test.each([
    ["export const a = process.env.STOCK_TOKEN;", "STOCK_TOKEN"],
    ['export const a = process.env["STOCK_TOKEN"];', "STOCK_TOKEN"],
    ["export const { STOCK_TOKEN, NODE_ENV } = process.env;", "STOCK_TOKEN"],
    ['import { env } from "node:process";\nexport const a = env.STOCK_TOKEN;', "STOCK_TOKEN"],
    ["export const a = globalThis.process.env.STOCK_TOKEN;", "STOCK_TOKEN"],
    ["export const a = (name) => process.env[name];", "cannot be told"],
    ["export const a = { ...process.env };", "cannot be told"],
  ])("an undeclared read of the environment is found: %s", async (source, word) => {
    const findings = await findingsFor(source);
    expect(findings).toEqual([expect.objectContaining({ code: "DOCTOR_ENVIRONMENT", file: "src/extra.ts" })]);
    expect(findings[0]?.message).toContain(word);
  });

  test("a declared one is not", async () => {
    spoilt.write("toolwright.manifest.json", (text) =>
      JSON.stringify({ ...(JSON.parse(text) as object), needs: { environment: ["STOCK_TOKEN"] } }),
    );
    expect(await findingsFor("export const a = process.env.STOCK_TOKEN;")).toEqual([]);
  });

  test("programs of the package may write, its modules may not", async () => {
    spoilt.packageJson((before) => ({ ...before, bin: { stock: "./dist/extra.js" } }));
    expect(await findingsFor('console.log("x");')).toEqual([]);
    spoilt.packageJson(({ bin: _, ...rest }) => rest);
  });

  test("code without a source here is looked at as it is published", async () => {
    spoilt.write("dist/only.js", 'console.log("x");');
    await findingsFor("export {};");
    expect(await diagnose(new Patient(spoilt.folder), [checkCode])).toEqual([
      expect.objectContaining({ code: "DOCTOR_STDOUT", file: "dist/only.js", line: 1, column: 1 }),
    ]);
    spoilt.remove("dist/only.js");
  });

  test("an entry without a default export is found", async () => {
    const source = spoilt.read("src/index.ts");
    spoilt.write("src/index.ts", (text) => text.replace("export default", "export const tools ="));
    expect(await findingsFor("export {};")).toEqual([expect.objectContaining({ code: "DOCTOR_NO_DEFAULT_EXPORT", file: "src/index.ts" })]);
    spoilt.write("src/index.ts", source);
  });
});

test("docs/doctor.md lists every code of the doctor", () => {
  const sources = readdirSync(fileURLToPath(new URL("doctor", import.meta.url))).map((name) =>
    readFileSync(new URL(`doctor/${name}`, import.meta.url), "utf8"),
  );
  const page = readFileSync(new URL("../../../docs/doctor.md", import.meta.url), "utf8");
  const codes = (text: string): readonly string[] => [...new Set(text.match(/\bDOCTOR_[A-Z]+(?:_[A-Z]+)*\b/g))].sort();
  expect(codes(page)).toEqual(codes(sources.join("\n")));
});
