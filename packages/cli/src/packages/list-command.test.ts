import { describe, expect, it } from "vitest";
import { command, packageApp, packageManifest, packageTool } from "../../test-support/package-app.js";
import { findAllowances } from "./find-allowances.js";

const stock = packageManifest(
  "@acme/tools-stock",
  [packageTool("get_stock"), packageTool("set_stock", { effect: "write" }), packageTool("drop", { effect: "destructive" })],
  {
    needs: { hosts: ["api.acme.com"], environment: ["TZ"] },
    config: {
      schema: { type: "object", properties: { apiKey: { type: "string" }, region: { type: "string" } }, required: ["apiKey"] },
      environment: { apiKey: "LIST_TEST_API_KEY" },
      secrets: ["apiKey"],
    },
  },
);
const plain = packageManifest("plain", [packageTool("look")]);
const source = (allow: string, above = ""): string =>
  `import { ToolRegistry } from "@toolwright/core";\n${above}\nexport const registry = await ToolRegistry.discover({ from: import.meta.url, allow: ${allow} });`;

describe("toolwright list", () => {
  it("tells what is installed, allowed and offered, with reasons, needs and configuration, and runs no code", async () => {
    using project = packageApp([stock, plain], {
      "src/agent.ts": source('{ "@acme/tools-stock": { prefix: "acme", tools: ["get_stock", "set_stock"], effects: ["read"] } }'),
      "node_modules/@acme/tools-stock/index.js": "process.exit(7);",
    });
    process.env["LIST_TEST_API_KEY"] = "sk-planted-123456";
    try {
      const { code, out, error } = await command("list", project.directory);
      expect([code, error]).toEqual([0, ""]);
      expect(out).toBe(`src/agent.ts:3
package                  state      tool       effect       offered as      why not
@acme/tools-stock 1.0.0  offered    get_stock  read         acme_get_stock
                                    set_stock  write        -               its effect, write, is not among the allowed \`effects\`
                                    drop       destructive  -               it is not among the allowed \`tools\`
plain 1.0.0              installed  look       read         -               the package is not allowed

@acme/tools-stock 1.0.0
  needs hosts: api.acme.com
  needs environment: TZ
  config apiKey (required, secret, LIST_TEST_API_KEY: set)
  config region
plain 1.0.0
  declares no needs of hosts, files or environment`);
      const json = await command("list", project.directory, "--json");
      expect(json.out).not.toContain("planted");
      expect(JSON.parse(json.out)).toMatchObject({
        version: 1,
        ok: true,
        problems: [],
        lock: null,
        registries: [
          {
            place: "src/agent.ts:3",
            unread: [],
            packages: [
              { package: "@acme/tools-stock", state: "offered" },
              { package: "plain", state: "installed" },
            ],
          },
        ],
      });
    } finally {
      delete process.env["LIST_TEST_API_KEY"];
    }
  });

  it("says why a registry would not start, and exits with 1", async () => {
    using project = packageApp([stock, packageManifest("other", [packageTool("get_stock")])], {
      "src/agent.ts": source('{ "@acme/tools-stock": {}, other: {}, missing: {} }'),
    });
    const { code, error } = await command("list", project.directory);
    expect(code).toBe(1);
    expect(error.split("\n")).toEqual([
      "src/agent.ts:3: missing: it is allowed, but it is not an installed tool package",
      "src/agent.ts:3: Two tools are named get_stock: @acme/tools-stock#Tools.get_stock and other#Tools.get_stock.",
    ]);
    project.write({ "node_modules/@acme/tools-stock/toolwright.manifest.json": JSON.stringify({ ...stock, engines: { node: ">=99" } }) });
    expect((await command("list", project.directory)).error).toMatch(
      /@acme\/tools-stock: @acme\/tools-stock works with Node >=99, and this is \d/,
    );
  });

  it("shows hostile texts as what they are", async () => {
    const hostile = packageManifest("hostile", [packageTool("look")], { needs: { files: ["/etc/\u001b[2Kpasswd\u202e"] } });
    using project = packageApp([hostile], { "src/agent.ts": source("{ hostile: {} }") });
    const { out } = await command("list", project.directory);
    expect(out).toContain(String.raw`needs files: /etc/\u{1b}[2Kpasswd\u{202e}`);
    expect(out).not.toMatch(/[\u001b\u202e]/);
  });

  it("of an app that has none, and of a folder without an app", async () => {
    using project = packageApp([]);
    expect(await command("list", project.directory)).toEqual({
      code: 0,
      out: "There is no tool package among the dependencies of this app.",
      error: "",
    });
    expect((await command("list", "/")).code).toBe(2);
  });

  it("of a tool package in its own folder", async () => {
    using project = packageApp([], {
      "package.json": JSON.stringify({
        name: "own",
        version: "1.0.0",
        exports: { "./toolwright.manifest.json": "./toolwright.manifest.json" },
      }),
      "toolwright.manifest.json": JSON.stringify(packageManifest("own", [packageTool("look")])),
    });
    expect((await command("list", project.directory)).out).toMatch(/nothing is known to be allowed[^]*own 1\.0\.0 +installed +look/);
  });
});

describe("allow-lists are read from sources that do not run", () => {
  const read = (files: Readonly<Record<string, string>>) => {
    using project = packageApp([], files);
    return findAllowances(project.directory);
  };

  it.each([
    [
      "a literal",
      source('{ p: { tools: ["a"], prefix: `x`, descriptions: { a: "A." } } }'),
      { p: { tools: ["a"], prefix: "x", descriptions: { a: "A." } } },
    ],
    [
      "a const above",
      source(
        "allow",
        'const weather = "@toolwright/tools-weather"; const allow = { [weather]: {}, p: { effects: reads } } as const; const reads = ["read"] as const;',
      ),
      { "@toolwright/tools-weather": {}, p: { effects: ["read"] } },
    ],
    ["one that satisfies a type", source("({ p: {} }) satisfies Allowances"), { p: {} }],
    ["a configuration, which is left alone", source("{ p: { config: { apiKey: process.env.KEY } } }"), { p: {} }],
    ["packages of a bundle", "ToolRegistry.from([{ manifest, load }], { allow: { p: {} } });", { p: {} }],
  ])("%s", (_, text, allow) => {
    expect(read({ "src/a.ts": text })).toEqual([expect.objectContaining({ allow, unread: [] })]);
  });

  it.each([
    ["a call", source("allowances()"), ["allow"]],
    ["an entry that is spread", source("{ p: {}, ...more }"), ["allow: ...more"]],
    ["tools that are computed", source("{ p: { tools: names() } }"), ['allow["p"].tools']],
    ["options from elsewhere", "ToolRegistry.discover(options);", ["allow"]],
  ])("what cannot be read is said: %s", (_, text, unread) => {
    expect(read({ "src/a.ts": text }).map((each) => each.unread)).toEqual([unread]);
  });

  it("of the app's own sources only", () => {
    const found = read({
      "src/b.mts": source("{ b: {} }"),
      "a.js": source("{ a: {} }"),
      "src/c.test.ts": source("{ c: {} }"),
      "dist/d.js": source("{ d: {} }"),
      "node_modules/e/index.js": source("{ e: {} }"),
      "packages/other/package.json": '{ "name": "other" }',
      "packages/other/src/f.ts": source("{ f: {} }"),
      "src/g.ts": 'Array.from(list); const text = "ToolRegistry.discover";',
    });
    expect(found.map(({ place, allow }) => [place, Object.keys(allow)])).toEqual([
      ["a.js:3", ["a"]],
      ["src/b.mts:3", ["b"]],
    ]);
  });
});
