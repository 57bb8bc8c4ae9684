import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PackageManifest, toolHash, ToolRegistry } from "@toolwright/core";
import { describe, expect, it } from "vitest";
import { temporaryProject } from "../../test-support/temporary-project.js";
import { buildProject } from "../build-project.js";

const packageJson = {
  name: "@acme/tools-stock",
  version: "1.2.0",
  type: "module",
  keywords: ["toolwright-tools"],
  engines: { node: ">=22.13" },
  peerDependencies: { "@toolwright/core": "^0.1.0" },
};
const tools = `import { Tool } from "@toolwright/core";
export class StockTools {
  constructor(readonly config: object) {}
  /** Tells how many of an article are in stock. */
  @Tool({ effect: "read" }) getStock(/** Number of the article, e.g. A-1. */ sku: string): number { return sku.length; }
}`;
const index = (options: string, above = ""): string => `import { defineToolPackage } from "@toolwright/core";
import { StockTools } from "./toolwright.generated.js";
${above}
export default defineToolPackage({ ${options} create: (config) => [new StockTools(config)] });`;

/** What a build makes of a tool package with this entry. */
async function built(entry: string, more: Readonly<Record<string, string>> = {}) {
  using project = temporaryProject({ "package.json": JSON.stringify(packageJson), "src/tools.ts": tools, "src/index.ts": entry, ...more });
  const { problems, warnings } = await buildProject({ cwd: project.directory, cache: false });
  const text = problems.length > 0 ? "{}" : readFileSync(join(project.directory, "toolwright.manifest.json"), "utf8");
  return { problems, warnings, manifest: JSON.parse(text) as PackageManifest };
}

describe("the manifest of a package tells before any of its code runs", () => {
  it("what it works with, and a hash of what the model reads of each tool", async () => {
    const { manifest, problems } = await built(index(""));
    expect(problems).toEqual([]);
    expect(manifest).toMatchObject({
      format: 1,
      package: "@acme/tools-stock",
      version: "1.2.0",
      engines: { "@toolwright/core": "^0.1.0", node: ">=22.13" },
    });
    expect([manifest.needs, manifest.config]).toEqual([undefined, undefined]);
    const [tool] = manifest.toolkits[0]?.tools ?? [];
    if (tool === undefined) throw new Error("no tool");
    expect(manifest.hashes).toEqual({ get_stock: toolHash(tool) });
    expect(toolHash({ ...tool, description: "Another." })).not.toBe(toolHash(tool));
  });

  it.each([
    ["workspace:^", /^\^\d+\.\d+\.\d+$/],
    ["workspace:*", /^\d+\.\d+\.\d+$/],
    ["workspace:~", /^~\d+\.\d+\.\d+$/],
    ["workspace:^0.1.0", /^\^0\.1\.0$/],
    [">=0.1 <2", /^>=0\.1 <2$/],
  ])("a range of the workspace, %s, as it will be published", async (range, expected) => {
    const json = JSON.stringify({ ...packageJson, peerDependencies: { "@toolwright/core": range } });
    expect((await built(index(""), { "package.json": json })).manifest.engines?.["@toolwright/core"]).toMatch(expected);
  });

  it("what it needs, and its configuration: the schema of its class, secrets, and variables", async () => {
    const { manifest, problems } = await built(
      index(
        'config: StockConfig, needs, environment: { apiKey: "STOCK_API_KEY" }, secrets: ["apiKey"],',
        `import { IsInt, IsOptional, IsString, Max } from "class-validator";
         const host = "api.acme.com";
         const needs = { hosts: [host], files: ["the folder that \`cache\` names"] };
         export class Cache { /** A folder. */ path!: string; days?: number }
         export class StockConfig {
           /** Key of the account. */ @IsString() apiKey!: string;
           region: "eu" | "us" = "eu";
           @IsOptional() @IsInt() @Max(10) retries?: number | undefined;
           cache?: Cache;
           secret: string | null = null;
         }`,
      ),
    );
    expect(problems).toEqual([]);
    expect(manifest.needs).toEqual({ hosts: ["api.acme.com"], files: ["the folder that `cache` names"] });
    expect(manifest.config).toMatchObject({ environment: { apiKey: "STOCK_API_KEY" }, secrets: ["apiKey"] });
    const { properties, required, additionalProperties } = (manifest.config?.schema ?? {}) as {
      properties: Record<string, unknown>;
      required: string[];
      additionalProperties: boolean;
    };
    expect(additionalProperties).toBe(false);
    expect(required.sort()).toEqual(["apiKey", "secret"]);
    expect(properties).toMatchObject({
      apiKey: { type: "string", description: "Key of the account." },
      region: { type: "string", enum: ["eu", "us"] },
      retries: { type: "integer", maximum: 10 },
      cache: { type: "object", properties: { path: { type: "string" }, days: { type: "number" } }, required: ["path"] },
      secret: { type: ["string", "null"] },
    });
    // A registry checks with it before it imports anything.
    const registry = (config: object): unknown =>
      ToolRegistry.from([{ manifest, load: () => Promise.reject(new Error("imported")) }], {
        allow: { [manifest.package]: { config } },
        environment: {},
      });
    expect(registry({ apiKey: "k", secret: null, cache: { path: "/c" } })).toBeInstanceOf(ToolRegistry);
    expect(() => registry({ apiKey: "k", secret: null, retries: 11 })).toThrow(/retries \(expected at most 10, got a greater number\)/);
    expect(() => registry({ secret: null })).toThrow(/apiKey .*\nFix: Correct `config` .*, or set STOCK_API_KEY in the environment\./);
  });

  it("no schema of a configuration that is not all data; its class checks it when it is imported", async () => {
    const { manifest, problems, warnings } = await built(
      index("config: StockConfig,", "export class StockConfig { url = ''; fetch?: (url: string) => Promise<string> }"),
    );
    expect([problems, warnings]).toEqual([[], []]);
    expect(manifest.config).toEqual({});
  });

  it.each([
    ["needs that depend on something", "needs: { hosts: [process.env.HOST ?? ''] },", "defineToolPackage.needs", /must be a constant/],
    ["needs that nobody could show", "needs: { sockets: ['a'] } as never,", "defineToolPackage.needs", /lists of texts/],
    ["secrets that are no list", "secrets: 'apiKey' as never,", "defineToolPackage.secrets", /a list of keys/],
    ["an environment that is computed", "environment: Object.fromEntries([]),", "defineToolPackage.environment", /must be a constant/],
  ])("refuses %s", async (_, options, subject, reason) => {
    const { problems } = await built(index(`config: Config, ${options}`, "class Config { apiKey = ''; }"));
    expect(problems.map((problem) => [problem.file, problem.subject, problem.reason])).toEqual([
      ["src/index.ts", subject, expect.stringMatching(reason)],
    ]);
  });

  it("refuses options that it cannot read, and a second definition", async () => {
    const head = `import { defineToolPackage } from "@toolwright/core"; import { StockTools } from "./toolwright.generated.js";`;
    const computed = await built(
      `${head} const options = { create: () => [new StockTools({})] }; export default defineToolPackage(options);`,
    );
    expect(computed.problems).toMatchObject([
      { file: "src/index.ts", reason: expect.stringContaining("the build must be able to read it") },
    ]);
    const twice = await built(index(""), { "src/other.ts": index("") });
    expect(twice.problems).toMatchObject([{ reason: expect.stringContaining("this is a second one") }]);
  });
});
