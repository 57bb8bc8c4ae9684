import { buildProject } from "@toolwright/cli";
import { type Allowances, ToolRegistry, ToolwrightError } from "@toolwright/core";
import { beforeAll, describe, expect, it } from "vitest";
import { scratchProject } from "../support/build-source.js";
import { scratchApp } from "../support/scratch-app.js";
import { type BuiltPackage, wordPackage } from "../support/tool-package.js";

let stock: BuiltPackage;
beforeAll(async () => {
  stock = await wordPackage("tools-stock", "stock");
});

async function errorOf(action: () => unknown): Promise<ToolwrightError> {
  try {
    await action();
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("P18: what comes to no tool at all is an error that says why", () => {
  it.each<readonly [string, Allowances, RegExp]>([
    ["nothing is allowed", {}, /^No tool is offered\. Seen: tools-stock \(installed\)\.\nFix: Name a package in `allow`\.$/],
    [
      "no tool is named",
      { "tools-stock": { tools: [] } },
      /^Nothing of tools-stock is left to offer: get_stock \(it is not among the allowed `tools`\)\.\nFix: Widen `tools` or `effects` of `allow\["tools-stock"\]`/,
    ],
    [
      "no effect fits",
      { "tools-stock": { effects: ["write"] } },
      /^Nothing of tools-stock is left to offer: get_stock \(its effect, read, is not among the allowed `effects`\)/,
    ],
    ["a filter names effects that there are none of", { "tools-stock": { effects: [] } }, /is left to offer/],
  ])("when %s", async (_, allow, message) => {
    using scratch = scratchApp(["tools-stock"], stock.at("node_modules/tools-stock"));
    const error = await errorOf(() => ToolRegistry.discover({ from: scratch.url(), allow }));
    expect([error.code, error.message]).toEqual(["REGISTRY_EMPTY", expect.stringMatching(message)]);
  });

  it("when the app has no tool package", async () => {
    using scratch = scratchApp(["plain"], { "node_modules/plain/package.json": { name: "plain" } });
    const error = await errorOf(() => ToolRegistry.discover({ from: scratch.url(), allow: {} }));
    expect(error.message).toBe(
      "No tool is offered. There is no tool package among the app's dependencies.\nFix: Install one, and name it in `allow`.",
    );
    expect((await errorOf(() => ToolRegistry.from([]))).code).toBe("REGISTRY_EMPTY");
  });

  it("when a package makes none", async () => {
    using scratch = scratchApp(["tools-stock"], {
      ...stock.at("node_modules/tools-stock"),
      "node_modules/tools-stock/dist/index.js":
        'import { defineToolPackage } from "@toolwright/core"; export default defineToolPackage({ create: () => [] });',
    });
    const registry = await ToolRegistry.discover({ from: scratch.url(), allow: { "tools-stock": {} } });
    const error = await errorOf(() => registry.preload());
    expect([error.code, error.message]).toEqual([
      "REGISTRY_MISMATCH",
      expect.stringContaining("tools-stock disagrees with its manifest: it makes no StockTools"),
    ]);
  });

  it("when a manifest lists none", async () => {
    const error = await errorOf(() =>
      ToolRegistry.from([{ manifest: { ...stock.manifest, toolkits: [] }, load: () => Promise.reject(new Error("never")) }]),
    );
    expect([error.code, error.message]).toEqual([
      "REGISTRY_MANIFEST",
      expect.stringContaining("The manifest of tools-stock cannot be used: it has no tools."),
    ]);
  });

  it("when a build finds none", async () => {
    using project = scratchProject({ "src/tools.ts": "export class Tools { look(): string { return ''; } }" });
    const error = await errorOf(() => buildProject({ cwd: project.folder, cache: false }));
    expect([error.code, error.message]).toEqual([
      "BUILD_CONFIG",
      expect.stringMatching(/^No method with @Tool was found in the 1 files? of tsconfig\.json\.\nFix: Put `@Tool\(/),
    ]);
  });
});
