import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compile, installInto, temporaryFolder } from "../test-support/new-package.js";
import { runHere } from "../test-support/run-in-process.js";
import { buildProject } from "./build-project.js";
import { ask } from "./scaffold/ask.js";
import { nameForms, packageNameProblem } from "./scaffold/package-name.js";
import { inTheWay, writeProject } from "./scaffold/write-project.js";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const run = promisify(execFile);
let folder: string;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

describe("the command toolwright init", () => {
  test.each([
    ["package", "@acme/tools-stock", ["src/stock-config.ts", "src/stock-tools.test.ts", "src/stock-tools.ts"]],
    ["app", "my-agent", ["src/calculator.ts", "src/create-agent.test.ts", "src/create-agent.ts", "src/main.ts"]],
  ])(
    "a new %s builds, passes the type checker and its own tests",
    async (kind, name, sources) => {
      const { code, out, error } = await runHere("init", folder, "--kind", kind, "--name", name);
      expect({ code, error }).toEqual({ code: 0, error: "" });
      expect(out).toContain(name);
      expect(files()).toEqual(expect.arrayContaining([...sources, ".gitignore", ".github/workflows/ci.yml", "README.md", "tsconfig.json"]));
      expect(files().filter((file) => /generated|manifest/.test(file))).toEqual([]);
      expect(files().filter((file) => /sample/i.test(file) || /sample/i.test(read(file)))).toEqual([]);

      installInto(folder);
      expect(await buildProject({ cwd: folder, cache: false })).toMatchObject({ ok: true, problems: [], warnings: [] });
      await compile(folder);
      const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", "dist/**/*.test.js"], {
        cwd: folder,
        // The runner of this test must not be seen by the other one.
        env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      });
      expect(stdout).toMatch(/^# pass [1-9]/m);
      expect(stdout).toMatch(/^# fail 0$/m);
    },
    60_000,
  );

  test("a tool package says who it is, and what its tools are", async () => {
    await runHere("init", folder, "--kind", "package", "--name", "@acme/tools-stock");
    const packageJson = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
    const { version } = JSON.parse(readFileSync(inRoot("packages/cli/package.json"), "utf8")) as { version: string };
    expect(packageJson).toMatchObject({
      name: "@acme/tools-stock",
      keywords: ["toolwright-tools"],
      peerDependencies: { "@toolwright/core": `^${version}` },
      publishConfig: { access: "public" },
    });
    expect(packageJson["devDependencies"]).toMatchObject({ "@toolwright/cli": `^${version}`, "@toolwright/testing": `^${version}` });
    expect(read("README.md")).toContain(
      "| `get_stock` | read | `id` | Looks up one entry of stock by its id: its name, and how many there are. |",
    );
    expect(JSON.parse(read("tsconfig.json"))).toMatchObject({ compilerOptions: { strict: true, experimentalDecorators: true } });
  });

  test("overwrites nothing: it names what is in the way, and writes nothing", async () => {
    writeFileSync(join(folder, "README.md"), "mine");
    writeFileSync(join(folder, "src"), "a file");
    expect(await runHere("init", folder, "--kind", "app", "--name", "my-agent")).toMatchObject({
      code: 1,
      out: "",
      error: expect.stringMatching(/there is already: README\.md, src\nNothing was written\.\nFix: /) as string,
    });
    expect(files()).toEqual(["README.md", "src"]);
    expect(read("README.md")).toBe("mine");
  });

  test("other files stay beside the new ones", async () => {
    writeFileSync(join(folder, "LICENSE"), "mine");
    expect((await runHere("init", folder, "--kind", "app", "--name", "my-agent")).code).toBe(0);
    expect(read("LICENSE")).toBe("mine");
  });

  test.each([
    [[], "--kind is missing, and there is no terminal to ask at."],
    [["--kind", "app", "--name", "My Agent"], '--name "My Agent" is no name for an npm package: '],
    [["--kind", "package", "--name", "node_modules"], '--name "node_modules" is no name'],
    [["--kind", "app"], "The folder's name "],
    [["--kind", "server", "--name", "a"], "Allowed choices are app, package."],
  ])("refuses %j without a terminal", async (flags, sentence) => {
    const { code, out, error } = await runHere("init", folder, ...flags);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(sentence);
    expect(files()).toEqual([]);
  });
});

describe("writing a project", () => {
  test("a file that comes in between is not overwritten, and nothing is left behind", () => {
    const wanted = [
      { path: "a.txt", text: "new" },
      { path: "b/c.txt", text: "new" },
    ];
    expect(inTheWay(folder, wanted)).toEqual([]);
    mkdirSync(join(folder, "b"));
    writeFileSync(join(folder, "b/c.txt"), "mine");
    expect(() => writeProject(folder, wanted)).toThrow(/EEXIST/);
    expect(files()).toEqual(["b/c.txt"]);
    expect(read("b/c.txt")).toBe("mine");
  });

  test("a file where the folder should be is in the way", () => {
    writeFileSync(join(folder, "file"), "mine");
    expect(inTheWay(join(folder, "file"), [{ path: "a.txt", text: "" }])).toEqual(["."]);
    expect(inTheWay(join(folder, "file/deeper"), [{ path: "a.txt", text: "" }])).toEqual(["."]);
  });

  test("a link that leads nowhere is in the way", () => {
    symlinkSync(join(folder, "nowhere"), join(folder, "a.txt"));
    expect(inTheWay(folder, [{ path: "a.txt", text: "" }])).toEqual(["a.txt"]);
  });
});

describe("asking", () => {
  /** A terminal at which somebody types these keys, each when a question has come. */
  function terminal(...answers: readonly string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
    let shown = "";
    output.on("data", (chunk: Buffer) => void (shown += chunk.toString()));
    const typing = (async () => {
      for (const answer of answers) {
        const before = shown.length;
        input.write(answer);
        for (let turn = 0; turn < 200 && shown.length === before; turn += 1) await wait(5);
        await wait(20);
      }
    })();
    return { input, output, typing, shown: () => shown };
  }

  test("asks for what flags have not said, and takes what is suggested", async () => {
    const person = terminal("\u001B[B", "\r", "\r", "\r");
    expect(await ask({}, person, (name) => `tools-of-${name}`)).toEqual({
      kind: "package",
      folder: "my-tools",
      name: "tools-of-my-tools",
    });
    await person.typing;
    expect(person.shown()).toContain("What is it called on npm?");
  });

  test("does not ask for what flags have said", async () => {
    const person = terminal("\r");
    expect(await ask({ kind: "app", folder: "here" }, person, () => "here")).toEqual({ kind: "app", folder: "here", name: "here" });
    expect(person.shown()).not.toContain("What will it be?");
  });

  test("ends when the person ends it", async () => {
    expect(await ask({}, terminal("\u0003"), () => "")).toBeUndefined();
  });
});

describe("names", () => {
  test.each([
    ["@acme/tools-stock", "Stock", "stock"],
    ["tools-stock-levels", "StockLevels", "stock_levels"],
    ["3d.models", "My3dModels", "my_3d_models"],
    ["tools", "Sample", "sample"],
    [`tools-${"long-".repeat(30)}end`, "LongLongLongLongLongLongLongLong", "long_long_long_long_long_long_long_long"],
  ])("of %s the own word is %s", (name, pascal, snake) => {
    expect(nameForms(name)).toMatchObject({ pascal, snake });
  });

  test.each(["", "Upper", "a b", ".dot", "@acme/", "http", "a".repeat(215)])("%j is no name for a package", (name) => {
    expect(packageNameProblem(name)).toEqual(expect.any(String));
  });
});

test.each(["app", "package"])("the template %s is built, and asks for what this workspace is tested with", async (kind) => {
  const project = inRoot(`packages/cli/templates/${kind}`);
  expect(await buildProject({ project, check: true, cache: false })).toMatchObject({ ok: true, warnings: [] });
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, "new-package.json"), "utf8")) as Record<
    "dependencies" | "devDependencies",
    Record<string, string>
  >;
  const tested = { ...manifestOf("package.json"), ...manifestOf("packages/cli/package.json") };
  for (const name of ["openai", "typescript", "@types/node"]) {
    const range = { ...dependencies, ...devDependencies }[name];
    expect(range).toBe(`^${tested[name]?.split(".")[0]}.0.0`);
  }
});

const manifestOf = (path: string): Record<string, string> =>
  (JSON.parse(readFileSync(inRoot(path), "utf8")) as { devDependencies: Record<string, string> }).devDependencies;
