import { mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, installProject, mustRun, packAll, root, run, scratchFolder, tarballOf } from "../packaging/packed.js";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What must be one in an app, since classes, decorators or clients of it meet. */
const shared = ["@toolwright/core", "openai", "reflect-metadata", "class-validator", "class-transformer"];
const installed = ["@toolwright/core", "@toolwright/tools-weather", "@toolwright/tools-orders"];

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let packed: ReadonlyMap<string, Packed>;
let manifests: readonly Manifest[];

beforeAll(async () => {
  scratch = await scratchFolder();
  packed = await packAll(scratch.path);
  const folders = await readdir(join(root, "packages"));
  const all = await Promise.all(
    folders.map(async (folder) => JSON.parse(await readFile(join(root, "packages", folder, "package.json"), "utf8")) as Manifest),
  );
  manifests = all.filter(({ private: isPrivate }) => isPrivate !== true);
}, 120_000);
afterAll(() => scratch[Symbol.asyncDispose]());

/** Uses both packages, one by its class and one by its manifest, and tells where the shared ones come from. */
const sample = `
import { OpenAI } from "openai";
import { Agent, ToolRegistry } from "@toolwright/core";
import { WeatherTools, SampleWeather } from "@toolwright/tools-weather";
let asked = 0;
const call = (call_id, name, args) => ({ type: "function_call", id: "fc_" + call_id, call_id, name, arguments: JSON.stringify(args), status: "completed" });
const model = { name: "stand-in", respond: async () => ({ id: undefined, usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 }, output: asked++ === 0
  ? [call("call_1", "get_weather", { city: "Kazan" }), call("call_2", "search_orders", { customer: null, status: null, limit: 2 }), call("call_3", "get_delivery", { orderId: "Z" })]
  : [{ type: "message", role: "assistant", id: "msg_1", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }] }) };
const registry = await ToolRegistry.discover({ from: import.meta.url, allow: { "@toolwright/tools-orders": { config: { path: ":memory:" } } } });
const result = await new Agent({ model, tools: [new WeatherTools(new SampleWeather()), registry] }).run("Go.");
for (const { tool, outcome } of result.steps[0].calls) console.log(tool, outcome.kind, outcome.kind === "failed" ? outcome.error.code : "");
console.log(typeof OpenAI);
`;
// A ToolError and a validated class of the package are known by this copy of core.
const answered = /^get_weather ok \nsearch_orders ok \nget_delivery failed ORDER_NOT_FOUND\nfunction\n$/;

describe("P04: what an app must have once is asked for once", () => {
  it("core brings reflect-metadata, and leaves the rest to the app", () => {
    const core = manifests.find(({ name }) => name === "@toolwright/core");
    expect(Object.keys(core?.dependencies ?? {})).toEqual(["reflect-metadata"]);
    expect(Object.keys(core?.peerDependencies ?? {})).toEqual(expect.arrayContaining(["openai", "class-validator", "class-transformer"]));
    // Needed by some only, so that nobody else is warned.
    expect(core?.peerDependenciesMeta).toMatchObject({ "class-validator": { optional: true }, "class-transformer": { optional: true } });
    expect(core?.peerDependenciesMeta?.["openai"]).toBeUndefined();
  });

  it("tool packages ask the app for what they share with it, and have a copy for their own tests only", () => {
    const tools = manifests.filter(({ keywords }) => keywords?.includes("toolwright-tools"));
    expect(tools.length).toBeGreaterThan(1);
    for (const { name, dependencies = {}, peerDependencies = {}, devDependencies = {} } of tools) {
      expect([name, shared.filter((each) => each in dependencies)]).toEqual([name, []]);
      expect([name, Object.keys(peerDependencies)]).toEqual([name, expect.arrayContaining(["@toolwright/core"])]);
      expect([name, Object.keys(peerDependencies).filter((each) => !(each in devDependencies))]).toEqual([name, []]);
    }
  });
});

describe("P04: a clean install has one copy of each, without a warning, and works", () => {
  it("by npm", async () => {
    const folder = await installProject(
      scratch.path,
      "npm app",
      installed.map((name) => tarballOf(packed, name)),
    );
    const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
      packages: Record<string, unknown>;
    };
    const places = Object.keys(lock.packages);
    for (const name of shared) expect(places.filter((place) => place.endsWith(`node_modules/${name}`))).toEqual([`node_modules/${name}`]);
    const { code, stdout, stderr } = await run("npm", ["ls", "--all", "--json"], folder);
    expect({ code, stderr, problems: (JSON.parse(stdout) as { problems?: unknown }).problems }).toEqual({
      code: 0,
      stderr: "",
      problems: undefined,
    });
    await writeFile(join(folder, "sample.js"), sample);
    expect(await mustRun(process.execPath, ["--no-warnings", "sample.js"], folder)).toMatch(answered);
  }, 180_000);

  it("by pnpm, which lets each package see only what it asks for", async () => {
    const folder = join(scratch.path, "pnpm app");
    await mkdir(folder);
    const dependencies = Object.fromEntries(installed.map((name) => [name, `file:${tarballOf(packed, name)}`]));
    const peers = { openai: "^7.0.0", "class-validator": "^0.15.1", "class-transformer": "^0.5.1" };
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name: "app", private: true, type: "module", dependencies: { ...dependencies, ...peers } }),
    );
    // Of its own, so that the workspace above is none of its business, and with every peer provided by the app.
    await writeFile(join(folder, "pnpm-workspace.yaml"), "packages: []\nstrictPeerDependencies: true\nautoInstallPeers: false\n");
    const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { packageManager: string };
    const { code, stdout, stderr } = await run("npx", ["--yes", packageManager, "install", "--prefer-offline", "--ignore-scripts"], folder);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout + stderr).not.toMatch(/peer/i);
    for (const name of shared) {
      const copies = (await readdir(join(folder, "node_modules/.pnpm"))).filter((entry) => entry.startsWith(`${name.replace("/", "+")}@`));
      expect([name, copies.length]).toEqual([name, 1]);
    }
    const ofPackage = await realpath(join(await realpath(join(folder, "node_modules/@toolwright/tools-weather")), "../core"));
    expect(ofPackage).toBe(await realpath(join(folder, "node_modules/@toolwright/core")));
    await writeFile(join(folder, "sample.js"), sample);
    expect(await mustRun(process.execPath, ["--no-warnings", "sample.js"], folder)).toMatch(answered);
  }, 180_000);
});
