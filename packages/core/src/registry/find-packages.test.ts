import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type DiscoverOptions, ToolRegistry, type ToolContext, ToolwrightError } from "../index.js";

type Files = Readonly<Record<string, string | object>>;

/** A folder with these files; the values of `links` are places in it, or absolute. */
function tree(files: Files, links: Readonly<Record<string, string>> = {}): Disposable & { readonly path: (...parts: string[]) => string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolwright tree ")));
  const place = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  for (const [path, content] of Object.entries(files))
    writeFileSync(place(path), typeof content === "string" ? content : JSON.stringify(content));
  for (const [path, target] of Object.entries(links)) symlinkSync(target.startsWith("/") ? target : join(root, target), place(path), "dir");
  return { path: (...parts) => join(root, ...parts), [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

// The built copy of this package: what is installed uses another copy than these tests.
const core = fileURLToPath(new URL("../../", import.meta.url));

const manifestOf = (name: string, version = "1.0.0") => ({
  format: 1,
  package: name,
  version,
  toolkits: [
    {
      format: 1,
      className: "Tools",
      package: name,
      tools: [
        {
          name: "look",
          method: "look",
          description: "Looks.",
          effect: "read",
          parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
          call: [],
        },
      ],
    },
  ],
});

/** An entry whose tool answers with `answer`. */
const entryOf = (answer: string, manifest = "./toolwright.manifest.json"): string => `
import { defineToolPackage, Tool } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
import manifest from "${manifest}" with { type: "json" };
class Tools { look() { return ${JSON.stringify(answer)}; } }
Tool({ effect: "read" })(Tools.prototype, "look", {});
const Registered = registerToolkit(Tools, manifest.toolkits[0], { methods: ["look"] });
export default defineToolPackage({ create: () => [new Registered()] });
`;

const exportsOf = (entry: unknown) => ({ ".": entry, "./toolwright.manifest.json": "./toolwright.manifest.json" });

/** A package at a folder, with an ES module entry. */
function packageAt(
  folder: string,
  name: string,
  more: { readonly version?: string; readonly answer?: string; readonly json?: object; readonly files?: Files } = {},
): Files {
  const { version = "1.0.0", answer = name, json = {}, files = {} } = more;
  return {
    [`${folder}/package.json`]: { name, version, type: "module", exports: exportsOf("./index.js"), ...json },
    [`${folder}/toolwright.manifest.json`]: manifestOf(name, version),
    [`${folder}/index.js`]: entryOf(answer),
    ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content])),
  };
}

const app = (...dependencies: readonly string[]) => ({
  name: "app",
  dependencies: Object.fromEntries(dependencies.map((name) => [name, "*"])),
});

/** What the tool `look` of a registry answers. */
async function answerOf(registry: ToolRegistry): Promise<unknown> {
  const prepared = await registry["~toolwright.tools"].tools()[0]?.prepare({});
  // The sample tools look at nothing of a context.
  return prepared?.ok === true ? prepared.invoke({} as ToolContext) : prepared;
}

async function errorOf(options: DiscoverOptions, preload = false): Promise<ToolwrightError> {
  try {
    const registry = await ToolRegistry.discover(options);
    if (preload) await registry.preload();
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("a tool package is found and imported, whatever put it there", () => {
  const layouts: readonly (readonly [string, Files, Readonly<Record<string, string>>, string])[] = [
    ["npm", { "package.json": app("p"), ...packageAt("node_modules/p", "p") }, { "node_modules/@toolwright/core": core }, "src/main.js"],
    [
      "pnpm, by links into its store",
      { "package.json": app("@acme/p"), ...packageAt("node_modules/.pnpm/@acme+p@1.0.0/node_modules/@acme/p", "@acme/p", { answer: "p" }) },
      {
        "node_modules/@acme/p": "node_modules/.pnpm/@acme+p@1.0.0/node_modules/@acme/p",
        "node_modules/.pnpm/@acme+p@1.0.0/node_modules/@toolwright/core": core,
      },
      "src/main.js",
    ],
    [
      "a workspace, by a link to its folder",
      { "package.json": { name: "root" }, "apps/web/package.json": app("p"), ...packageAt("packages/p", "p") },
      { "apps/web/node_modules/p": "packages/p", "packages/p/node_modules/@toolwright/core": core },
      "apps/web/src/main.js",
    ],
    [
      "a workspace that hoists",
      { "package.json": { name: "root" }, "apps/web/package.json": app("p"), ...packageAt("node_modules/p", "p") },
      { "node_modules/@toolwright/core": core },
      "apps/web/src/main.js",
    ],
    [
      "two versions, of which the app has the upper one",
      {
        "package.json": app("p", "q"),
        ...packageAt("node_modules/p", "p", { version: "2.0.0", answer: "p" }),
        "node_modules/q/package.json": { name: "q" },
        ...packageAt("node_modules/q/node_modules/p", "p", { version: "1.0.0", answer: "the nested one" }),
      },
      { "node_modules/@toolwright/core": core },
      "src/main.js",
    ],
    [
      "a package.json of the build beside the app's code",
      { "package.json": app("p"), "dist/package.json": { type: "module" }, ...packageAt("node_modules/p", "p") },
      { "node_modules/@toolwright/core": core },
      "dist/main.js",
    ],
    ["the app itself, when it is a tool package", packageAt(".", "p"), { "node_modules/@toolwright/core": core }, "index.js"],
  ];

  it.each(layouts)("%s", async (_, files, links, main) => {
    using folder = tree(files, links);
    const name = Object.values(files).some((content) => JSON.stringify(content).includes("@acme/p")) ? "@acme/p" : "p";
    const registry = await ToolRegistry.discover({ from: pathToFileURL(folder.path(main)).href, allow: { [name]: {} } });
    expect(registry.list().map(({ package: found, state }) => [found, state])).toEqual([[name, "offered"]]);
    expect(await answerOf(registry)).toBe("p");
  });

  it("by every form of `from`", async () => {
    using folder = tree(
      { "package.json": app("p"), "src/main.js": "", ...packageAt("node_modules/p", "p") },
      { "node_modules/@toolwright/core": core },
    );
    const path = folder.path("src/main.js");
    for (const from of [
      path,
      folder.path("src"),
      folder.path(),
      pathToFileURL(path),
      `${pathToFileURL(path).href}?v=1`,
      folder.path("not-there.js"),
    ]) {
      expect((await ToolRegistry.discover({ from, allow: { p: {} } })).list()).toHaveLength(1);
    }
  });

  it("among optional and development dependencies too, and by its name alone when it is allowed", async () => {
    using folder = tree({
      "package.json": { name: "app", devDependencies: { p: "*" }, optionalDependencies: { q: "*", missing: "*" } },
      ...packageAt("node_modules/p", "p"),
      ...packageAt("node_modules/q", "q"),
      ...packageAt("node_modules/r", "r"),
      ...packageAt("node_modules/s", "s"),
    });
    const registry = await ToolRegistry.discover({ from: folder.path(), allow: { r: {} } });
    expect(registry.list().map(({ package: name, state }) => [name, state])).toEqual([
      ["p", "installed"],
      ["q", "installed"],
      ["r", "offered"],
    ]);
  });
});

describe("the entry is the one that an import finds", () => {
  const wrong = "throw new Error('the wrong entry');";
  const cases: readonly (readonly [string, object, Files])[] = [
    ["a string for all", { exports: exportsOf("./index.js") }, {}],
    ["`import` beside `require`", { exports: exportsOf({ require: "./wrong.cjs", import: "./index.js" }) }, {}],
    [
      "the first that holds, in their order",
      {
        exports: exportsOf({
          browser: "./wrong.js",
          node: { import: { types: "./index.d.ts", default: "./index.js" } },
          import: "./wrong.js",
        }),
      },
      {},
    ],
    ["`default` before `import`", { exports: exportsOf({ default: "./index.js", import: "./wrong.js" }) }, {}],
    ["a list of alternatives", { exports: exportsOf([{ browser: "./wrong.js" }, "./index.js"]) }, {}],
    ["an entry without subpaths, and the manifest beside it", { exports: undefined, main: "./index.js" }, {}],
    ["an entry by custom, without exports and main", { exports: undefined }, {}],
    [
      "a manifest deeper in the package",
      { exports: { ".": "./dist/index.js", "./toolwright.manifest.json": "./dist/toolwright.manifest.json" } },
      { "dist/index.js": entryOf("p"), "dist/toolwright.manifest.json": manifestOf("p") },
    ],
  ];

  it.each(cases)("%s", async (_, json, files) => {
    using folder = tree(
      {
        "package.json": app("p"),
        ...packageAt("node_modules/p", "p", { json, files: { "wrong.js": wrong, "wrong.cjs": wrong, ...files } }),
      },
      { "node_modules/@toolwright/core": core },
    );
    expect(await answerOf(await ToolRegistry.discover({ from: folder.path(), allow: { p: {} } }))).toBe("p");
  });

  it.each<readonly [string, object, RegExp]>([
    [
      "no main entry",
      { exports: { "./toolwright.manifest.json": "./toolwright.manifest.json" } },
      /p has no entry that can be imported\.\nFix: .*"exports"/,
    ],
    ["one that is blocked", { exports: exportsOf(null) }, /p has no entry that can be imported/],
    [
      "conditions that do not hold",
      { exports: exportsOf({ browser: "./index.js", require: "./index.js" }) },
      /p has no entry that can be imported/,
    ],
    [
      "a file that was not built",
      { exports: exportsOf("./dist/index.js") },
      /p has no file \.\/dist\/index\.js, which its package\.json names as its entry\.\nFix: Build it/,
    ],
    [
      "a main that is not there",
      { exports: undefined, main: "./dist/main.js", type: "commonjs" },
      /neither `exports` nor a file that `main` names/,
    ],
  ])("%s is an error of that package", async (what, json, message) => {
    const files = what.startsWith("a main") ? { "other.js": "" } : {};
    using folder = tree({ "package.json": app("p"), ...packageAt("node_modules/p", "p", { json, files }) });
    if (what.startsWith("a main")) rmSync(folder.path("node_modules/p/index.js"));
    const error = await errorOf({ from: folder.path(), allow: { p: {} } }, true);
    expect([error.code, error.message]).toEqual(["REGISTRY_LOAD", expect.stringMatching(message)]);
  });

  it("a package that it needs and does not find is named", async () => {
    using folder = tree({
      "package.json": app("p"),
      ...packageAt("node_modules/p", "p", { files: { "index.js": 'import "@acme/not-there/deep";' } }),
    });
    const error = await errorOf({ from: folder.path(), allow: { p: {} } }, true);
    expect(error.message).toMatch(
      /^The package p could not be imported: it needs the package @acme\/not-there, which is not installed\.\nFix: /,
    );
  });

  it("one whose own generated module is stale says so", async () => {
    const stale = entryOf("p").replace('effect: "read"', 'effect: "write"');
    using folder = tree(
      { "package.json": app("p"), ...packageAt("node_modules/p", "p", { files: { "index.js": stale } }) },
      { "node_modules/@toolwright/core": core },
    );
    const error = await errorOf({ from: folder.path(), allow: { p: {} } }, true);
    expect(error.message).toMatch(
      /^The package p could not be imported: The generated module does not fit the class Tools: the option `effect` of look has changed\.\nFix: Its author should run `npx toolwright build`/,
    );
  });
});

describe("a package that cannot be used", () => {
  it.each<readonly [string, Files, string, RegExp]>([
    [
      "has no manifest",
      { "node_modules/p/package.json": { name: "p" } },
      "REGISTRY_MANIFEST",
      /^p is installed, but it has no toolwright\.manifest\.json\.\nFix: Take it off `allow`\..*`npx toolwright build`/,
    ],
    [
      "does not export it",
      packageAt("node_modules/p", "p", { json: { exports: "./index.js" } }),
      "REGISTRY_MANIFEST",
      /^p does not export its manifest\.\nFix: .*"\.\/toolwright\.manifest\.json"/,
    ],
    [
      "exports one that was not published",
      { "node_modules/p/package.json": { name: "p", exports: exportsOf("./index.js") } },
      "REGISTRY_MANIFEST",
      /it has no toolwright\.manifest\.json/,
    ],
    [
      "has one that is no JSON",
      packageAt("node_modules/p", "p", { files: { "toolwright.manifest.json": "{" } }),
      "REGISTRY_MANIFEST",
      /^The manifest of p cannot be read/,
    ],
    [
      "has another package's",
      packageAt("node_modules/p", "@acme/p"),
      "REGISTRY_MANIFEST",
      /it belongs to "@acme\/p"\.\nFix: Depend on the package, and allow it, by its own name/,
    ],
    [
      "has a schema that cannot be checked",
      packageAt("node_modules/p", "p", {
        files: {
          "toolwright.manifest.json": JSON.stringify(manifestOf("p")).replace(
            '"additionalProperties":false}',
            '"additionalProperties":false,"oneOf":[]}',
          ),
        },
      }),
      "REGISTRY_MANIFEST",
      /the tool look: at "", the keyword "oneOf"/,
    ],
    ["is not there", {}, "REGISTRY_NOT_INSTALLED", /^p is allowed, but it is not installed\.\nFix: Run `npm install p`/],
  ])("because it %s is an error that names it; one that is not allowed is only reported", async (what, files, code, message) => {
    using folder = tree({ "package.json": app("p", "good"), ...files, ...packageAt("node_modules/good", "good") });
    const from = folder.path();
    const error = await errorOf({ from, allow: { good: {}, p: {} } });
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(error.details).toEqual({ package: "p" });

    const skipping = ToolRegistry.discover({ from, allow: { good: {}, p: {} }, onBroken: "skip" });
    if (code === "REGISTRY_NOT_INSTALLED") await expect(skipping).rejects.toMatchObject({ code });
    else {
      expect((await skipping).list()).toEqual([
        expect.objectContaining({ package: "good", state: "offered" }),
        {
          package: "p",
          version: what.startsWith("has a schema") ? "1.0.0" : undefined,
          state: "broken",
          tools: [],
          problem: expect.stringMatching(/^(?!.*Fix:).+$/s),
        },
      ]);
    }
    const states = (await ToolRegistry.discover({ from, allow: { good: {} } }))
      .list()
      .map(({ package: name, state }) => `${name} ${state}`);
    expect(states).toContain("good offered");
    expect(states).not.toContain("p offered");
    expect(what.includes("no JSON") || what.includes("another")).toBe(states.includes("p broken"));
  });

  it("is named when nothing else is left", async () => {
    using folder = tree({ "package.json": app("p"), ...packageAt("node_modules/p", "p", { files: { "toolwright.manifest.json": "{" } }) });
    const error = await errorOf({ from: folder.path(), allow: { p: {} }, onBroken: "skip" });
    expect([error.code, error.message]).toEqual([
      "REGISTRY_EMPTY",
      expect.stringMatching(/Seen: p \(broken: The manifest of p cannot be read\.\)/),
    ]);
  });

  it.each<readonly [string, Files, string, RegExp]>([
    ["no package.json", {}, "REGISTRY_NOT_INSTALLED", /There is no package\.json/],
    ["a package.json that is no JSON", { "package.json": "{" }, "RUN_OPTIONS", /package\.json is not JSON\.\nFix: Correct/],
  ])("an app with %s is told so", async (_, files, code, message) => {
    using folder = tree(files);
    const error = await errorOf({ from: folder.path("src/main.js"), allow: { p: {} } });
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });
});
