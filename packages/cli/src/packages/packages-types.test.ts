import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PackageManifest } from "@toolwright/core";
import { expect, it } from "vitest";
import { temporaryProject, type TemporaryProject } from "../../test-support/temporary-project.js";
import { buildProject } from "../build-project.js";

const noParameters = { type: "object", properties: {}, required: [], additionalProperties: false } as const;

function manifest(name: string, more: Partial<PackageManifest>): PackageManifest {
  const tools = ["get_stock", "set_stock"].map((tool) => ({
    ...{ name: tool, method: tool, description: "Does it.", effect: "read" as const, parameters: noParameters, call: [] },
  }));
  return {
    format: 1,
    package: name,
    version: "1.0.0",
    engines: {},
    ...more,
    toolkits: [{ format: 1, className: "Tools", package: name, tools }],
  };
}

const stock = manifest("@acme/tools-stock", {
  config: {
    environment: { apiKey: "STOCK_API_KEY" },
    secrets: ["apiKey"],
    schema: {
      type: "object",
      properties: {
        path: { type: "string", description: "Path of */ a database." },
        apiKey: { type: "string" },
        limits: { type: "object", properties: { perDay: { type: ["integer", "null"] } }, required: ["perDay"] },
        regions: { type: "array", items: { enum: ["eu", "us"] } },
        tree: { $ref: "#/$defs/Tree" },
        since: { type: "string", format: "date-time" },
      },
      required: ["path", "apiKey"],
      additionalProperties: false,
      $defs: {
        Tree: { type: "object", properties: { child: { anyOf: [{ $ref: "#/$defs/Tree" }, { type: "null" }] } }, required: ["child"] },
      },
    },
  },
});

function installed(each: PackageManifest): Readonly<Record<string, string>> {
  const folder = `node_modules/${each.package}`;
  return {
    [`${folder}/package.json`]: JSON.stringify({ name: each.package, version: each.version }),
    [`${folder}/toolwright.manifest.json`]: JSON.stringify(each),
  };
}

const app = (...names: readonly string[]): string =>
  JSON.stringify({ name: "app", type: "module", dependencies: Object.fromEntries(names.map((name) => [name, "*"])) });

/** What the compiler says of a file beside the declarations. */
function compile(project: TemporaryProject, allow: string): string {
  project.write({
    "src/app.ts": `import { ToolRegistry } from "@toolwright/core";\nawait ToolRegistry.discover({ from: import.meta.url, allow: ${allow} });\n`,
  });
  const tsc = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
  try {
    execFileSync(process.execPath, [tsc, "-p", project.directory, "--noEmit", "--skipLibCheck", "--exactOptionalPropertyTypes"], {
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout.trim();
  }
}

it("an app's build writes the types of its packages, by which its allow-list is checked", async () => {
  using project = temporaryProject({
    "package.json": app("@acme/tools-stock", "plain", "other"),
    ...installed(stock),
    ...installed(manifest("plain", {})),
    "src/app.ts": "export {};",
  });
  const result = await buildProject({ cwd: project.directory, cache: false });
  expect([result.problems, result.files]).toEqual([[], [{ path: "src/toolwright.packages.d.ts", state: "written" }]]);
  const text = readFileSync(join(project.directory, "src/toolwright.packages.d.ts"), "utf8");
  expect(text).toContain('readonly tools: "get_stock" | "set_stock";');
  expect(text).toContain("/** Path of *\\/ a database. */\n        readonly path: string;\n        readonly apiKey?: string | undefined;");
  expect((await buildProject({ cwd: project.directory, cache: false, check: true })).ok).toBe(true);

  const config = '{ path: "a.db", limits: { perDay: null }, regions: ["eu"], since: new Date() }';
  expect(
    compile(
      project,
      `{ "@acme/tools-stock": { tools: ["get_stock"], effects: ["read"], config: ${config} }, plain: {}, unknown: { tools: ["x"] } }`,
    ),
  ).toBe("");
  expect(compile(project, '{ "@acme/tools-stock": { config: { path: "a.db" }, descriptions: { set_stock: "Sets." } } }')).toBe("");
  for (const [allow, message] of [
    ['{ "@acme/tools-stock": {} }', /'config' is missing/],
    ['{ "@acme/tools-stock": { config: { path: 5 } } }', /number.* is not assignable to type 'string'/],
    ['{ "@acme/tools-stock": { config: { pth: "a.db" } } }', /'pth' does not exist|'path' is missing/],
    ['{ "@acme/tools-stock": { config: { path: "a", regions: ["asia"] } } }', /"asia".* is not assignable/],
    ['{ "@acme/tools-stock": { config: { path: "a" }, tools: ["get_stok"] } }', /"get_stok".* is not assignable/],
    ["{ plain: { config: {} } }", /is not assignable to type 'undefined'/],
  ] as const) {
    expect([allow, compile(project, allow)]).toEqual([allow, expect.stringMatching(message)]);
  }
}, 120_000);

it("they are brought up to date with the packages, and a check misses none", async () => {
  using project = temporaryProject({ "package.json": app("@acme/tools-stock"), ...installed(stock), "src/app.ts": "export {};" });
  const options = { cwd: project.directory };
  await buildProject(options);
  expect(await buildProject({ ...options, check: true })).toMatchObject({ ok: true });
  // A new version of the package, then none.
  project.write(installed(manifest("@acme/tools-stock", { version: "1.1.0" })));
  expect(await buildProject({ ...options, check: true })).toMatchObject({
    ok: false,
    files: [{ path: "src/toolwright.packages.d.ts", state: "stale" }],
  });
  await buildProject(options);
  const file = join(project.directory, "src/toolwright.packages.d.ts");
  expect(readFileSync(file, "utf8")).toContain("/** Version 1.1.0. */");
  project.write({ "package.json": app() });
  await buildProject(options);
  expect(readFileSync(file, "utf8")).toMatch(/interface ToolPackages \{\n {2}\}/);
});

it("there are none in a tool package, nor in an app without tool packages", async () => {
  const source = `import { Tool } from "@toolwright/core"; export class Tools { /** Does what this test is about. */ @Tool({ effect: "read" }) look(): string { return ""; } }`;
  for (const json of [
    app("missing"),
    JSON.stringify({ name: "p", version: "1.0.0", keywords: ["toolwright-tools"], dependencies: { "@acme/tools-stock": "*" } }),
  ]) {
    using project = temporaryProject({ "package.json": json, ...installed(stock), "src/tools.ts": source });
    expect((await buildProject({ cwd: project.directory, cache: false })).problems).toEqual([]);
    expect(existsSync(join(project.directory, "src/toolwright.packages.d.ts"))).toBe(false);
  }
});
