import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { buildProject } from "@toolwright/cli";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mustRun, root, run } from "../packaging/packed.js";
import { scratchProject } from "../support/build-source.js";
import { type ExtractedPackages, extractPackages } from "../support/extracted-packages.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let extracted: ExtractedPackages;
let elsewhere: string;

const weather = "@toolwright/tools-weather";

/** Asks for the weather by the package's manifest; `make` makes the registry. */
const app = (imports: string, make: string): string => `
import { Agent, ToolRegistry } from "@toolwright/core";
${imports}
let asked = 0;
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_weather", arguments: '{"city":"Kazan"}', status: "completed" };
const message = { type: "message", role: "assistant", id: "msg_1", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] };
const model = { name: "stand-in", respond: async () => ({ id: undefined, usage, output: asked++ === 0 ? [call] : [message] }) };
async function main() {
  const registry = ${make};
  const result = await new Agent({ model, tools: [registry] }).run("Go.");
  const [{ tool, outcome }] = result.steps[0].calls;
  console.log(tool, outcome.kind, outcome.output ?? outcome.cause);
}
main();
`;
const allow = `{ "${weather}": { config: { source: "sample" } } }`;
const answered = /^get_weather ok \{"city":"Kazan"/;

beforeAll(async () => {
  extracted = await extractPackages();
  elsewhere = join(dirname(extracted.folder), "elsewhere");
  await mkdir(elsewhere);
  await writeFile(
    join(extracted.folder, "package.json"),
    JSON.stringify({ name: "app", type: "module", dependencies: { [weather]: "*" } }),
  );
}, 120_000);
afterAll(() => extracted[Symbol.asyncDispose]());

describe("P06: what the build wrote goes with the package", () => {
  it("is in the tarball: the manifest, and the module that registers it", async () => {
    for (const name of [weather, "@toolwright/tools-orders"]) {
      const source = join(root, "packages", name.slice("@toolwright/".length), "toolwright.manifest.json");
      expect(await readFile(join(extracted.at(name), "toolwright.manifest.json"), "utf8")).toBe(await readFile(source, "utf8"));
      expect(await readFile(join(extracted.at(name), "dist/toolwright.generated.js"), "utf8")).toContain("registerToolkit(");
    }
  });

  it("tells the version that is published", async () => {
    for (const name of [weather, "@toolwright/tools-orders"]) {
      const manifest = JSON.parse(await readFile(join(extracted.at(name), "toolwright.manifest.json"), "utf8")) as {
        package: string;
        version: string;
      };
      expect([manifest.package, manifest.version]).toEqual([name, extracted.packed.get(name)?.version]);
    }
  });

  it("is found from any working directory", async () => {
    const file = join(extracted.folder, "app.mjs");
    await writeFile(file, app("", `await ToolRegistry.discover({ from: import.meta.url, allow: ${allow} })`));
    for (const cwd of [extracted.folder, elsewhere, "/"]) expect(await mustRun(process.execPath, [file], cwd)).toMatch(answered);
  });

  it.each(["esm", "cjs"] as const)("is in a bundle of one file, %s, which runs where no package is", async (format) => {
    const imports = `import manifest from "${weather}/toolwright.manifest.json" with { type: "json" };`;
    const make = `ToolRegistry.from([{ manifest, load: () => import("${weather}") }], { allow: ${allow} })`;
    const entry = join(extracted.folder, "bundled.mjs");
    await writeFile(entry, app(imports, make));
    const outfile = join(elsewhere, `app.${format === "esm" ? "mjs" : "cjs"}`);
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      format,
      external: ["openai", "class-validator", "class-transformer"],
      logLevel: "silent",
    });
    expect(await mustRun(process.execPath, [outfile], elsewhere)).toMatch(answered);
  });

  it("is missed by name when it was left out, or is not that of the code", async () => {
    const manifestFile = join(extracted.at(weather), "toolwright.manifest.json");
    const text = await readFile(manifestFile, "utf8");
    const file = join(extracted.folder, "app.mjs");
    const start = () => run(process.execPath, [file], extracted.folder);
    await writeFile(file, app("", `await ToolRegistry.discover({ from: import.meta.url, allow: ${allow} })`));
    try {
      await writeFile(manifestFile, text.replace("Tells the current weather", "Deletes everything. Tells the current weather"));
      expect((await start()).stdout).toMatch(
        /^get_weather failed .*The code of @toolwright\/tools-weather disagrees with its manifest: `description` of the tool get_weather/s,
      );
      await writeFile(manifestFile, "");
      expect((await start()).stderr).toContain("The manifest of @toolwright/tools-weather cannot be read.\nFix: ");
    } finally {
      await writeFile(manifestFile, text);
    }
  });
});

describe("P06: what the build wrote is held against the source", () => {
  const source = (type: string): string => `import { Param, Tool } from "@toolwright/core";
    export class Tools {
      /** Looks a thing up. Use it when a thing is asked for. */
      @Tool({ effect: "read" })
      look(@Param("Id of the thing, e.g. A-1") id: ${type}): string { return String(id); }
    }`;

  it("a type that changed without a build fails the check, and names the tool", async () => {
    using project = scratchProject({ "src/tools.ts": source("string") });
    const options = { cwd: project.folder, cache: false };
    expect((await buildProject(options)).ok).toBe(true);
    expect((await buildProject({ ...options, check: true })).ok).toBe(true);
    project.write({ "src/tools.ts": source("number") });
    expect(await buildProject({ ...options, check: true })).toMatchObject({ ok: false, staleTools: ["Tools.look (changed)"] });
  });

  it("a generated module that was changed by hand fails the check", async () => {
    using project = scratchProject({ "src/tools.ts": source("string") });
    const options = { cwd: project.folder, cache: false };
    await buildProject(options);
    const file = join(project.folder, "src/toolwright.generated.ts");
    await writeFile(file, (await readFile(file, "utf8")).replace("Looks a thing up", "Deletes a thing"));
    expect(await buildProject({ ...options, check: true })).toMatchObject({ ok: false });
  });
});
