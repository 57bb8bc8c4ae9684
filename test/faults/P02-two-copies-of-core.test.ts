import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { askOnce, outcomesIn } from "../support/asked-once.js";
import { copyPackage } from "../support/package-copy.js";
import { scratchApp, type ScratchApp } from "../support/scratch-app.js";
import { type BuiltPackage, buildToolPackage } from "../support/tool-package.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const tools = `import { content, Param, Tool, ToolError, type ToolContext } from "@toolwright/core";
  export class ShopTools {
    /** Tells the price of a thing. Use it when a price is asked for. */
    @Tool({ effect: "read" })
    getPrice(@Param("Number of the article, e.g. A-1") sku: string, context: ToolContext): string { return sku + " " + typeof context.signal; }
    /** Fails as a tool does that has something to say. */
    @Tool({ effect: "read" })
    fail(): string { throw new ToolError({ code: "SHOP_CLOSED", message: "The shop is closed." }); }
    /** Shows parts in place of a text. */
    @Tool({ effect: "read" })
    show(): unknown { return content([{ type: "text", text: "a part" }]); }
  }`;
const index = `import { defineToolPackage } from "@toolwright/core";
  import { ShopTools } from "./toolwright.generated.js";
  export default defineToolPackage({ create: () => [new ShopTools()] });`;

let shop: BuiltPackage;
beforeAll(async () => {
  shop = await buildToolPackage("tools-shop", { "tools.ts": tools, "index.ts": index });
});

const calls = [
  ["get_price", { sku: "A-1" }],
  ["fail", {}],
  ["show", {}],
] as const;
const answered = [
  { kind: "ok", output: "A-1 object" },
  { kind: "failed", error: { code: "SHOP_CLOSED", message: "The shop is closed.", retryable: false }, cause: "The shop is closed." },
  { kind: "ok", output: [{ type: "input_text", text: "a part" }] },
];
const at = "node_modules/tools-shop";

/** A package whose entry is CommonJS and requires this package's ESM. */
const commonJs = (app: ScratchApp): void =>
  app.write({
    [`${at}/package.json`]: {
      name: "tools-shop",
      version: "1.0.0",
      exports: { ".": "./index.cjs", "./toolwright.manifest.json": "./toolwright.manifest.json" },
    },
    [`${at}/index.cjs`]: `const { defineToolPackage, Tool, ToolError, content } = require("@toolwright/core");
      const { registerToolkit } = require("@toolwright/core/generated");
      class ShopTools { getPrice(sku, context) { return sku + " " + typeof context.signal; } fail() { throw new ToolError({ code: "SHOP_CLOSED", message: "The shop is closed." }); } show() { return content([{ type: "text", text: "a part" }]); } }
      for (const name of ["getPrice", "fail", "show"]) Tool({ effect: "read" })(ShopTools.prototype, name);
      const Registered = registerToolkit(ShopTools, require("./toolwright.manifest.json").toolkits[0], { methods: ["getPrice", "fail", "show"] });
      exports.default = defineToolPackage({ create: () => [new Registered()] });`,
  });

const layouts: readonly (readonly [string, (app: ScratchApp) => void])[] = [
  ["one copy", () => {}],
  ["a second copy, nested in the package", (app) => copyPackage(app, "@toolwright/core", at)],
  [
    "a second copy, with a second reflect-metadata",
    (app) => {
      copyPackage(app, "@toolwright/core", at);
      rmSync(join(app.folder, at, "node_modules/@toolwright/core/node_modules"), { recursive: true });
      copyPackage(app, "reflect-metadata", `${at}/node_modules/@toolwright/core`);
    },
  ],
  ["a package of CommonJS, one copy", commonJs],
  [
    "a package of CommonJS with a second copy",
    (app) => {
      commonJs(app);
      copyPackage(app, "@toolwright/core", at);
    },
  ],
  [
    "a linked package beside the app, with the copy of its own workspace",
    (app) => {
      rmSync(join(app.folder, at), { recursive: true });
      app.write(shop.at("workspace/tools-shop"));
      copyPackage(app, "@toolwright/core", "workspace/tools-shop");
      app.link(at, "workspace/tools-shop");
    },
  ],
  [
    "a copy of a later patch",
    (app) => copyPackage(app, "@toolwright/core", at, (text) => text.replaceAll(/coreVersion = "[\d.]+"/g, 'coreVersion = "0.1.99"')),
  ],
];

async function run(prepare: (app: ScratchApp) => void) {
  using app = scratchApp(["tools-shop"], shop.at(at));
  prepare(app);
  app.write({ "main.mjs": askOnce({ "tools-shop": {} }, calls) });
  const { code, stdout, stderr } = await app.node(["--no-warnings", "main.mjs"]);
  return { code, stderr, outcomes: outcomesIn(stdout) };
}

describe("P02: two copies of core see each other's classes, errors and results", () => {
  it.each(layouts)("%s", async (_, prepare) => {
    const { code, stderr, outcomes } = await run(prepare);
    expect([code, stderr]).toEqual([0, ""]);
    expect(outcomes).toEqual(answered);
  });

  it("an agent takes instances, tools and registries that another copy made", async () => {
    using app = scratchApp(["tools-shop"], shop.at(at));
    copyPackage(app, "@toolwright/core", "node_modules/other");
    app.write({
      "node_modules/other/package.json": { name: "other", type: "module", main: "index.js" },
      "node_modules/other/index.js": `export * from "@toolwright/core";`,
      "main.mjs": `import { Agent } from "@toolwright/core";
        import { defineTool, prefixed, ToolRegistry, ToolError, ToolwrightError, RunStop } from "other";
        import * as own from "@toolwright/core";
        const registry = await ToolRegistry.discover({ from: import.meta.url, allow: { "tools-shop": {} } });
        const now = defineTool({ name: "now", description: "Tells the time.", effect: "read", parameters: { type: "object", properties: {} }, execute: () => "noon" });
        console.log(own.Agent !== (await import("other")).Agent, JSON.stringify(new Agent({ model: "test", tools: [registry, now, prefixed("my", now)] }).toJSON().tools));
        console.log(own.ToolwrightError.is(new ToolError({ code: "A", message: "a" }), "A"), own.RunStop.is(new RunStop("budget", "b")), ToolwrightError.is(new own.ToolwrightError("RUN_OPTIONS", "c")));`,
    });
    expect(await app.node(["--no-warnings", "main.mjs"])).toEqual({
      code: 0,
      stdout: 'true ["get_price","fail","show","now","my_now"]\ntrue true true\n',
      stderr: "",
    });
  });
});

describe("P02: a copy whose table this one cannot read is named, never taken for nothing", () => {
  // Another major version keeps its records in another form.
  const otherTable = (text: string): string => text.replaceAll("`${tablePrefix}0`", "`${tablePrefix}1`");

  it("in a package", async () => {
    const { outcomes } = await run((app) => copyPackage(app, "@toolwright/core", at, otherTable));
    expect(outcomes).toHaveLength(3);
    for (const { kind, cause } of outcomes) {
      expect([kind, cause]).toEqual([
        "failed",
        "The tools of tools-shop were registered by a copy of @toolwright/core of another version, which this one cannot read.\n" +
          "Fix: Let the app and the package have one version of @toolwright/core: see `npm ls @toolwright/core`.",
      ]);
    }
  });

  it("in an agent's own list", async () => {
    using app = scratchApp([], shop.at(at));
    copyPackage(app, "@toolwright/core", at, otherTable);
    app.write({
      "main.mjs": `import { Agent } from "@toolwright/core";
        import { ShopTools } from "./node_modules/tools-shop/dist/toolwright.generated.js";
        try { new Agent({ model: "test", tools: [new ShopTools()] }); } catch (error) { console.log(error.message); }`,
    });
    expect((await app.node(["--no-warnings", "main.mjs"])).stdout).toBe(
      "tools[0] is an instance of ShopTools, which was registered by another version of @toolwright/core.\n" +
        "Fix: Install one version of @toolwright/core: see `npm ls @toolwright/core`.\n",
    );
  });

  it("before it is imported, when the package says which release it needs", async () => {
    const manifest = { ...shop.manifest, engines: { "@toolwright/core": "^7.0.0" } };
    using app = scratchApp(["tools-shop"], shop.at(at, { "toolwright.manifest.json": manifest, "dist/index.js": "process.exit(7);" }));
    app.write({ "main.mjs": askOnce({ "tools-shop": {} }, calls) });
    const { code, stderr } = await app.node(["--no-warnings", "main.mjs"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /tools-shop works with @toolwright\/core \^7\.0\.0, and this is [\d.]+\.\nFix: Install a version of tools-shop/,
      ),
    ]);
  });

  it("before it is imported, by the package.json of one whose manifest does not say", async () => {
    const { engines: _, ...manifest } = shop.manifest;
    const packageJson = { ...(shop.files["package.json"] as object), peerDependencies: { "@toolwright/core": "^7.0.0" } };
    using app = scratchApp(
      ["tools-shop"],
      shop.at(at, { "toolwright.manifest.json": manifest, "package.json": packageJson, "dist/index.js": "process.exit(7);" }),
    );
    app.write({ "main.mjs": askOnce({ "tools-shop": {} }, calls) });
    const { code, stdout } = await app.node(["--no-warnings", "main.mjs"]);
    expect(code).toBe(0);
    expect(outcomesIn(stdout)[0]?.cause).toMatch(/^tools-shop works with @toolwright\/core \^7\.0\.0, and this is /);
  });
});
