import { Agent, defineTool, prefixed, ToolRegistry, ToolwrightError } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { buildSource } from "../support/build-source.js";
import { scratchApp, type ScratchApp } from "../support/scratch-app.js";
import { serve } from "../support/serve.js";
import { type BuiltPackage, buildToolPackage } from "../support/tool-package.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

/** A package with a tool of this name that answers with the package's. */
function searchPackage(name: string, tool: string, more = ""): Promise<BuiltPackage> {
  return buildToolPackage(name, {
    "tools.ts": `import { Param, Tool } from "@toolwright/core";
      export class SearchTools {
        /** Searches for texts. Use it for questions about what was written. */
        @Tool({ name: "${tool}", effect: "read" })
        find(@Param("Words to search for, e.g. winter") words: string): string { return "${name} found " + words; }
      }
      ${more}`,
    "index.ts": `import { defineToolPackage } from "@toolwright/core";
      import { SearchTools } from "./toolwright.generated.js";
      export default defineToolPackage({ create: () => [new SearchTools()] });`,
  });
}

const own = (name: string) =>
  defineTool({
    name,
    description: "Searches here.",
    effect: "read",
    parameters: { type: "object", properties: {} },
    execute: () => "here",
  });

let packages: readonly BuiltPackage[];
beforeAll(async () => {
  packages = await Promise.all([
    searchPackage("@a/tools-text", "search"),
    searchPackage("@b/tools-web", "search"),
    searchPackage("@c/tools-case", "Search"),
  ]);
});

function app(): ScratchApp {
  const scratch = scratchApp(packages.map(({ name }) => name));
  for (const built of packages) scratch.write(built.at(`node_modules/${built.name}`));
  return scratch;
}

async function clash(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (ToolwrightError.is(error, "TOOL_NAME_CLASH")) return error.message;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("P08: two tools of one name are an error that names both owners", () => {
  it.each([
    [
      "of two packages",
      ["@a/tools-text", "@b/tools-web"],
      "Two tools are named search: @a/tools-text#SearchTools.find and @b/tools-web#SearchTools.find.",
    ],
    [
      "that differ in case",
      ["@a/tools-text", "@c/tools-case"],
      "Two tools are named search and Search, which a model may confuse: @a/tools-text#SearchTools.find and @c/tools-case#SearchTools.find.",
    ],
  ])("%s, at discovery", async (_, names, message) => {
    using scratch = app();
    const from = scratch.url();
    const text = await clash(() => ToolRegistry.discover({ from, allow: Object.fromEntries(names.map((name) => [name, {}])) }));
    const [what, fix] = text.split("\n");
    expect(what).toBe(message);

    // The fix, as it is written.
    const [, prefix = "", owner = ""] = /^Fix: Add `prefix: "(\w+)"` to `allow\["(.+)"\]`\.$/.exec(fix ?? "") ?? [];
    const allow = Object.fromEntries(names.map((name) => [name, name === owner ? { prefix } : {}]));
    expect(
      (await ToolRegistry.discover({ from, allow })).list().flatMap(({ tools }) => tools.flatMap(({ offeredAs = [] }) => offeredAs)),
    ).toHaveLength(2);
  });

  it("of a package and the app, at construction", async () => {
    using scratch = app();
    const registry = await ToolRegistry.discover({ from: scratch.url(), allow: { "@a/tools-text": {} } });
    const text = await clash(() => new Agent({ model: "test", tools: [registry, own("search")] }));
    expect(text).toBe(
      "Two tools are named search: @a/tools-text#SearchTools.find (tools[0]) and app#search.execute (tools[1]).\nFix: Give one of them another `name`.",
    );
  });

  it("of two registries, at construction", async () => {
    using scratch = app();
    const from = scratch.url();
    const registries = await Promise.all(
      [{ "@a/tools-text": {} }, { "@b/tools-web": {} }].map((allow) => ToolRegistry.discover({ from, allow })),
    );
    expect(await clash(() => new Agent({ model: "test", tools: registries }))).toMatch(
      /@a\/tools-text#.*@b\/tools-web#.*\nFix: Add `prefix: "web"` to `allow\["@b\/tools-web"\]`\./,
    );
  });

  it("of one class, at build", async () => {
    const { ok, problems } = await buildSource(`export class Tools {
      /** Searches for texts in here. */ @Tool({ effect: "read" }) search(): string { return ""; }
      /** Searches for texts out there. */ @Tool({ name: "search", effect: "read" }) searchWeb(): string { return ""; }
    }`);
    expect(ok).toBe(false);
    expect(problems).toEqual([
      expect.objectContaining({
        reason: 'Tools.search is named "search" for the model too.',
        fix: expect.stringContaining("@Tool({ name:"),
      }),
    ]);
  });

  it("of two classes of one package, which no agent could take: at build as a warning, at discovery as a broken manifest", async () => {
    const twins = await buildSource(`
      export class A { /** Searches for texts in here. */ @Tool({ effect: "read" }) search(): string { return ""; } }
      export class B { /** Searches for texts out there. */ @Tool({ effect: "read" }) search(): string { return ""; } }`);
    expect(twins.warnings.map(({ reason }) => reason)).toEqual(['A.search is named "search" for the model too.']);

    const [first] = packages;
    if (first === undefined) throw new Error("no package");
    const [toolkit] = first.manifest.toolkits;
    using scratch = app();
    scratch.write({
      "node_modules/@a/tools-text/toolwright.manifest.json": { ...first.manifest, toolkits: [toolkit, { ...toolkit, className: "Twin" }] },
    });
    await expect(ToolRegistry.discover({ from: scratch.url(), allow: { "@a/tools-text": {} } })).rejects.toMatchObject({
      code: "REGISTRY_MANIFEST",
      message: expect.stringContaining("The manifest of @a/tools-text cannot be used: two of its tools are named search."),
    });
  });
});

describe("P08: a prefix tells them apart, and each call reaches its own", () => {
  it("in the allow-list and around an object", async () => {
    using scratch = app();
    const registry = await ToolRegistry.discover({
      from: scratch.url(),
      allow: { "@a/tools-text": {}, "@b/tools-web": { prefix: "web" }, "@c/tools-case": { prefix: "case" } },
    });
    const calls = ["search", "web_search", "case_Search"].map((name, index) => ({
      callId: `call_${index}`,
      name,
      arguments: { words: "snow" },
    }));
    await using stand = await serve([reply.calls(...calls, { callId: "call_3", name: "my_search", arguments: {} }), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [registry, prefixed("my", own("search"))] });
    const result = await agent.run("Search.");
    expect(result.steps[0]?.calls.map(({ outcome }) => (outcome.kind === "ok" ? outcome.output : outcome))).toEqual([
      "@a/tools-text found snow",
      "@b/tools-web found snow",
      "@c/tools-case found snow",
      "here",
    ]);
    const sent = stand.server.request(0).body.tools as readonly { readonly name: string }[];
    expect(new Set(sent.map(({ name }) => name.toLowerCase())).size).toBe(4);
  });
});
