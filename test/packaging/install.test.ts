import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reply, type ResponsesServer, startResponsesServer } from "@toolwright/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Finished, type Packed, installProject, mustRun, packAll, root, run, scratchFolder, tarballOf } from "./packed.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let packed: ReadonlyMap<string, Packed>;

const tarballs = (...names: readonly string[]): readonly string[] => names.map((name) => tarballOf(packed, name));

async function installed(folder: string): Promise<readonly string[]> {
  const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8")) as { packages: Record<string, unknown> };
  return Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ""));
}

/** The block of README.md that begins with this file name. */
async function fromReadme(file: string): Promise<string> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const code = readme.split("```ts\n").find((block) => block.startsWith(`// ${file}\n`));
  if (code === undefined) throw new Error(`README.md has no ${file}`);
  return code.slice(0, code.indexOf("\n```") + 1);
}

beforeAll(async () => {
  scratch = await scratchFolder();
  packed = await packAll(scratch.path);
});
afterAll(() => scratch[Symbol.asyncDispose]());

describe("@toolwright/core alone", () => {
  let names: readonly string[];
  beforeAll(async () => {
    names = await installed(await installProject(scratch.path, "core", tarballs("@toolwright/core")));
  }, 300_000);

  it("brings at most six packages besides openai", () => {
    expect(names).toContain("@toolwright/core");
    expect(names).toContain("openai");
    const others = names.filter((name) => !["@toolwright/core", "openai"].includes(name));
    expect(others.length, others.join(", ")).toBeLessThanOrEqual(6);
  });

  it("brings no compiler and no bundler", () => {
    const tools = /^(typescript|typescript-json-schema|ts-node|tsx|esbuild|rollup|rolldown|vite|webpack|@swc\/.*|@babel\/.*|oxc-parser)$/;
    expect(names.filter((name) => tools.test(name))).toEqual([]);
  });
});

describe("the first tool of README.md, in an empty project with every package from its tarball", () => {
  let folder: string;
  let server: ResponsesServer;
  const nodes = new Map<string, string>([["24", process.execPath]]);

  beforeAll(async () => {
    const { devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      devDependencies: Record<string, string>;
    };
    const tools = ["typescript", "tsx", "esbuild", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
    const [app, ...runtimes] = await Promise.all([
      installProject(scratch.path, "app", [...tarballs(...packed.keys()), ...tools, "typescript-5@npm:typescript@5.9.3"]),
      ...["22.13.0", "20"].map((version) => installProject(scratch.path, `node ${version}`, [`node@${version}`])),
    ]);
    folder = app;
    ["22.13.0", "20"].forEach((version, index) => nodes.set(version, join(runtimes[index] ?? "", "node_modules/.bin/node")));
    await mkdir(join(folder, "src"));
    for (const file of ["src/calculator.ts", "src/main.ts", "src/packages.ts"]) await writeFile(join(folder, file), await fromReadme(file));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    await writeFile(join(folder, "everything.cjs"), everything);
    await mustRun(process.execPath, ["node_modules/@toolwright/cli/bin/toolwright.js", "build"], folder);
    server = await startResponsesServer(({ body }) => answer(JSON.stringify(body)));
  }, 300_000);
  afterAll(() => server?.close());

  /** Runs a program of the project with the stand-in server as its API. */
  const start = (node: string, ...parameters: readonly string[]): Promise<Finished> =>
    run(nodes.get(node) ?? "", parameters, folder, { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url });
  const clean = { code: 0, stdout: "", stderr: "" };

  it("is built by the command of the project", async () => {
    const built = await readFile(join(folder, "src/toolwright.generated.ts"), "utf8");
    expect(built).toContain('import { Calculator as Calculator_ } from "./calculator.js";');
    expect(await run("npx", ["--no", "toolwright", "build", "--check"], folder)).toMatchObject({ code: 0, stderr: "" });
  });

  it.each(["typescript", "typescript-5"])("passes plain tsc of %s, libraries included, without types of Node", async (compiler) => {
    const parameters = [`node_modules/${compiler}/bin/tsc`, "--pretty", "false", "--outDir", `dist-${compiler}`];
    expect(await start("24", ...parameters)).toEqual(clean);
  });

  it.each(["typescript", "typescript-5"])("every package's types pass plain tsc of %s, with types of Node", async (compiler) => {
    await writeFile(join(folder, "all.ts"), allTypes);
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "node",
      "--pretty",
      "false",
      "--ignoreConfig",
    ];
    const known = compiler === "typescript" ? options : options.filter((option) => option !== "--ignoreConfig");
    expect(await start("24", `node_modules/${compiler}/bin/tsc`, ...known, "all.ts")).toEqual(clean);
  });

  describe.each(["22.13.0", "24"])("on Node %s", (node) => {
    it("is that version", async () => {
      expect((await start(node, "--version")).stdout).toMatch(new RegExp(`^v${node.replaceAll(".", "\\.")}\\b`));
    });

    it.each([
      ["what tsc wrote", ["dist-typescript/main.js"]],
      ["what tsc 5 wrote", ["dist-typescript-5/main.js"]],
      ["its sources, by tsx", ["node_modules/tsx/dist/cli.mjs", "src/main.ts"]],
    ])("runs: %s", async (_, parameters) => {
      const { code, stdout, stderr } = await start(node, ...parameters);
      expect([code, stdout]).toEqual([0, "It is 6.5.\n"]);
      // The README's pipeline begins with logging().
      expect(stderr).toMatch(/add {2}ok|"tool":"add".*"outcome":"ok"/);
    });

    it("uses a tool package by its name", async () => {
      const { code, stdout, stderr } = await start(node, "dist-typescript/packages.js");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/package: '@toolwright\/tools-weather'.*completed\n$/s);
    });

    it.each(["esm", "cjs"])("runs as one bundled file, %s, anywhere", async (format) => {
      const file = join(scratch.path, `bundle ${node}.${format === "esm" ? "mjs" : "cjs"}`);
      // A CommonJS file has no top-level await.
      await writeFile(join(folder, "bundled.ts"), `${await bundledSource()}`);
      const bundling = ["--bundle", "--platform=node", `--format=${format}`, "--log-level=warning", `--outfile=${file}`];
      expect(await run(join(folder, "node_modules/.bin/esbuild"), ["bundled.ts", ...bundling], folder)).toEqual(clean);
      const { code, stdout } = await run(nodes.get(node) ?? "", [file], scratch.path, {
        OPENAI_API_KEY: "test",
        OPENAI_BASE_URL: server.url,
      });
      expect([code, stdout]).toEqual([0, "It is 6.5.\n"]);
    });

    it("has every package for CommonJS too, and they work together", async () => {
      const { code, stdout, stderr } = await start(node, "everything.cjs");
      // Node 22 says of its SQLite, which tools-orders uses, that it is experimental.
      const warnings = stderr.replace(/^.*ExperimentalWarning: SQLite .*\n\(Use `node --trace-warnings .*\n/m, "");
      expect({ code, warnings }).toEqual({ code: 0, warnings: "" });
      expect(stdout).toBe('get_weather ok, get_delivery ok\n{"orderId":"A","days":2}\nbuildProject function\n');
    });

    it("has a command that works", async () => {
      expect(await start(node, "node_modules/@toolwright/cli/bin/toolwright.js", "build", "--check")).toMatchObject({
        code: 0,
        stderr: "",
      });
    });
  });

  it("on Node 20 the command says which Node it needs, and nothing else", async () => {
    expect(await start("20", "node_modules/@toolwright/cli/bin/toolwright.js", "build")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^toolwright needs Node 22\.13 or later, and this is Node 20\.\d+\.\d+\.\nFix: .*\n$/),
    });
  });

  it("on Node 20 core can still be imported", async () => {
    const code = 'import { Agent } from "@toolwright/core"; console.log(typeof Agent);';
    expect(await start("20", "--input-type=module", "-e", code)).toEqual({ code: 0, stdout: "function\n", stderr: "" });
  });

  async function bundledSource(): Promise<string> {
    const main = await fromReadme("src/main.ts");
    return main
      .replace("./toolwright.generated.js", "./src/toolwright.generated.js")
      .replace(/\nconst result = await ([^;]+);\n(.*)\n$/s, "\nvoid $1.then((result) => {\n  $2\n});\n");
  }
});

/** What the README asks and what the model of these tests does. */
function answer(body: string) {
  if (body.includes("function_call_output")) return reply.text(body.includes("2.5") ? "It is 6.5." : "It is sunny.");
  if (body.includes("2.5 plus 4")) return reply.calls({ callId: "call_1", name: "add", arguments: { left: 2.5, right: 4 } });
  return reply.text("It is sunny.");
}

const tsconfig = {
  compilerOptions: { target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true, rootDir: "src", types: [] },
  include: ["src"],
};

const allTypes = `
export * as core from "@toolwright/core";
export * as middleware from "@toolwright/core/middleware";
export * as generated from "@toolwright/core/generated";
export * as testing from "@toolwright/testing";
export * as cli from "@toolwright/cli";
export * as weather from "@toolwright/tools-weather";
export * as orders from "@toolwright/tools-orders";
`;

const everything = `
const { OpenAI } = require("openai");
const { Agent, ToolRegistry } = require("@toolwright/core");
const { standard } = require("@toolwright/core/middleware");
const { registerToolkit } = require("@toolwright/core/generated");
const { reply, startResponsesServer } = require("@toolwright/testing");
const { SampleWeather, WeatherTools } = require("@toolwright/tools-weather");
const { buildProject } = require("@toolwright/cli");
const manifest = require("@toolwright/tools-orders/toolwright.manifest.json");

(async () => {
  const server = await startResponsesServer([
    reply.calls({ callId: "call_1", name: "get_weather", arguments: { city: "Kazan" } }, { callId: "call_2", name: "get_delivery", arguments: { orderId: "A" } }),
    reply.text("Done."),
  ]);
  const registry = ToolRegistry.from([{ manifest, load: () => import("@toolwright/tools-orders") }], { allow: { "@toolwright/tools-orders": { config: { path: ":memory:" } } } });
  const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
  const agent = new Agent({ model: "test", client, tools: [new WeatherTools(new SampleWeather()), registry], middleware: standard() });
  const { steps } = await agent.run("What now?");
  console.log(steps[0].calls.map(({ tool, outcome }) => tool + " " + outcome.kind).join(", "));
  console.log(steps[0].calls[1].outcome.output);
  console.log(buildProject.name, typeof registerToolkit);
  server.assertDone();
  await registry[Symbol.asyncDispose]();
  await server.close();
})();
`;
