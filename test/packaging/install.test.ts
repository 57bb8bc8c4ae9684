import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, mustRun, packAll, run, scratchFolder } from "./packed.js";

// The oldest supported version, and the one that everything else here runs on.
const runtimes = ["node@22.13.0", "node@24"];

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let packed: ReadonlyMap<string, Packed>;

/** A new project with nothing in it but what npm installs. */
async function project(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(scratch.path, name);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", ...packages];
  await mustRun("npm", install, folder);
  return folder;
}

function tarballs(...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const found = packed.get(name);
    if (found === undefined) throw new Error(`${name} was not packed`);
    return found.filename;
  });
}

async function installed(folder: string): Promise<readonly string[]> {
  const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8")) as { packages: Record<string, unknown> };
  return Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ""));
}

beforeAll(async () => {
  scratch = await scratchFolder();
  packed = await packAll(scratch.path);
});
afterAll(() => scratch[Symbol.asyncDispose]());

describe("@toolwright/core alone", () => {
  let names: readonly string[];
  beforeAll(async () => {
    names = await installed(await project("core", tarballs("@toolwright/core")));
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

describe("core, testing and tools-weather in an app", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await project("app", tarballs("@toolwright/core", "@toolwright/testing", "@toolwright/tools-weather"));
    await writeFile(join(folder, "agent.js"), agentScript);
    await writeFile(join(folder, "require.cjs"), requireScript);
  }, 300_000);

  describe.each(runtimes)("on %s", (runtime) => {
    let node: string;
    beforeAll(async () => {
      const [, version] = runtime.split("@");
      node = join(await project(`node ${version}`, [runtime]), "node_modules/.bin/node");
    }, 300_000);

    it("is that version", async () => {
      expect((await run(node, ["--version"])).stdout).toMatch(new RegExp(`^v${runtime.slice("node@".length)}\\b`));
    });

    it("answers a question with a tool of the package", async () => {
      const { code, stdout, stderr } = await run(node, ["agent.js"], folder);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "It is sunny.\nget_weather ok true\n", stderr: "" });
    });

    it("can be required from CommonJS", async () => {
      const { code, stdout } = await run(node, ["require.cjs"], folder);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "function function function function\n" });
    });
  });
});

const agentScript = `
import OpenAI from "openai";
import { Agent } from "@toolwright/core";
import { standard } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import { SampleWeather, WeatherTools } from "@toolwright/tools-weather";

const server = await startResponsesServer([
  reply.calls({ callId: "call_1", name: "get_weather", arguments: { city: "Kazan" } }),
  reply.text("It is sunny."),
]);
const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
const agent = new Agent({ model: "test", client, tools: [new WeatherTools(new SampleWeather())], middleware: standard() });
const result = await agent.run("What is the weather in Kazan?");
const [call] = result.steps[0].calls;
console.log(result.output);
console.log(call.tool, call.outcome.kind, JSON.stringify(server.request(1).body.input).includes("Kazan"));
server.assertDone();
await server[Symbol.asyncDispose]();
`;

const requireScript = `
const { Agent, Tool } = require("@toolwright/core");
const { standard } = require("@toolwright/core/middleware");
const { startResponsesServer } = require("@toolwright/testing");
console.log(typeof Agent, typeof Tool, typeof standard, typeof startResponsesServer);
`;
