import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { registerToolkit } from "../generated.js";
import {
  type Allowances,
  defineToolPackage,
  type PackageManifest,
  Tool,
  type ToolContext,
  type ToolManifest,
  ToolRegistry,
  ToolwrightError,
  type RunnableTool,
} from "../index.js";

const noParameters = { type: "object", properties: {}, required: [], additionalProperties: false } as const;

function tool(name: string, more: Partial<ToolManifest> = {}): ToolManifest {
  return { name, method: name, description: `Does ${name}.`, effect: "read", parameters: noParameters, call: [], ...more };
}

function manifestOf(name: string, tools: readonly ToolManifest[], className = "Tools"): PackageManifest {
  return { format: 1, package: name, version: "1.2.3", toolkits: [{ format: 1, className, package: name, tools }] };
}

/** A package with a class `Tools` that has one tool, `look`, and answers with what `say` gives. */
function samplePackage(name: string, say: () => unknown = () => name) {
  const manifest = manifestOf(name, [tool("look")]);
  class Tools {
    @Tool({ effect: "read" })
    look(): unknown {
      return say();
    }
  }
  const Registered = registerToolkit(Tools, manifest.toolkits[0] as PackageManifest["toolkits"][number], { methods: ["look"] });
  let loads = 0;
  const load = async (): Promise<unknown> => {
    loads += 1;
    return { default: defineToolPackage({ create: () => [new Registered()] }) };
  };
  return { manifest, load, Registered, loads: () => loads };
}

const toolsOf = (registry: ToolRegistry): readonly RunnableTool[] => registry["~toolwright.tools"].tools();
// The sample tools look at nothing of it.
const context = {} as ToolContext;

async function call(registry: ToolRegistry, name: string): Promise<unknown> {
  const found = toolsOf(registry).find(({ info }) => info.name === name);
  const prepared = await found?.prepare({});
  if (prepared?.ok !== true) throw new Error("not prepared");
  return prepared.invoke(context);
}

/** The error of something that must fail. */
async function errorOf(action: () => unknown): Promise<ToolwrightError> {
  try {
    await action();
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

const unused = () => Promise.reject(new Error("must not be loaded"));

describe("what is listed and offered", () => {
  const manifest = manifestOf("@acme/tools-stock", [
    tool("get_stock"),
    tool("set_stock", { effect: "destructive" }),
    tool("count", { effect: undefined }),
  ]);
  const offered = (allowance: Allowances[string]) =>
    ToolRegistry.from([{ manifest, load: unused }], { allow: { "@acme/tools-stock": allowance } });

  it("is all of an allowed package, with its version", () => {
    const [listing, ...others] = offered({}).list();
    expect(others).toEqual([]);
    expect(listing).toMatchObject({ package: "@acme/tools-stock", version: "1.2.3", state: "offered", problem: undefined });
    expect(listing?.tools).toEqual([
      {
        name: "get_stock",
        state: "offered",
        offeredAs: "get_stock",
        effect: "read",
        description: "Does get_stock.",
        reason: undefined,
      },
      expect.objectContaining({ name: "set_stock", effect: "destructive", state: "offered" }),
      expect.objectContaining({ name: "count", effect: "write", state: "offered" }),
    ]);
  });

  it("is what `tools` and `effects` leave, each with its reason", () => {
    const registry = offered({ tools: ["get_stock", "set_stock"], effects: ["read"] });
    expect(registry.list()[0]?.tools.map(({ name, state, offeredAs, reason }) => [name, state, offeredAs, reason])).toEqual([
      ["get_stock", "offered", "get_stock", undefined],
      ["set_stock", "allowed", undefined, "its effect, destructive, is not among the allowed `effects`"],
      ["count", "installed", undefined, "it is not among the allowed `tools`"],
    ]);
    expect(toolsOf(registry).map(({ info }) => info.name)).toEqual(["get_stock"]);
  });

  it("has a prefix and the app's own descriptions, and keeps its identity", () => {
    const registry = offered({ prefix: "acme", tools: ["get_stock"], descriptions: { get_stock: "How many there are." } });
    expect(toolsOf(registry).map(({ info }) => [info.name, info.description, info.identity])).toEqual([
      ["acme_get_stock", "How many there are.", "@acme/tools-stock#Tools.get_stock"],
    ]);
    expect(registry.list()[0]?.tools[0]).toMatchObject({
      name: "get_stock",
      offeredAs: "acme_get_stock",
      description: "How many there are.",
    });
  });

  it("takes a tool without a declared effect for a write", () => {
    expect(toolsOf(offered({ effects: ["write"] })).map(({ info }) => [info.name, info.effectDeclared])).toEqual([["count", false]]);
  });

  it("cuts descriptions of packages at 1,024 characters, those of parameters too", () => {
    const long = `${"x".repeat(1_022)}😀 and more`;
    const schema = {
      type: "object",
      properties: { a: { type: "string", description: long }, b: { type: "array", items: { type: "string", description: long } } },
      required: ["a", "b"],
      additionalProperties: false,
    } as const;
    const registry = ToolRegistry.from([
      { manifest: manifestOf("p", [tool("long", { description: long, parameters: schema }), tool("short")]), load: unused },
    ]);
    const [cut, whole] = toolsOf(registry);
    expect(cut?.info.description).toBe(`${"x".repeat(1_022)}…`);
    expect(cut?.info.parameters.properties["a"]?.description).toBe(`${"x".repeat(1_022)}…`);
    expect(cut?.info.parameters.properties["b"]?.items?.description).toHaveLength(1_023);
    expect(cut?.check({ a: "1", b: ["2"] })).toEqual({ ok: true, arguments: { a: "1", b: ["2"] } });
    expect(whole?.info.parameters).toBe(noParameters);
    expect(registry.list()[0]?.tools[0]?.description).toBe(cut?.info.description);
  });

  it("cannot be changed from outside", () => {
    const list = offered({}).list();
    expect([list, list[0], list[0]?.tools, list[0]?.tools[0]].every(Object.isFrozen)).toBe(true);
  });
});

describe("names are kept in a map, and never taken apart", () => {
  const two = [
    { manifest: manifestOf("p", [tool("a_b")]), load: unused },
    { manifest: manifestOf("q", [tool("b"), tool("a_b_c")]), load: unused },
  ];

  it("two ways to one name are a clash that names both owners", async () => {
    const error = await errorOf(() => ToolRegistry.from(two, { allow: { p: { prefix: "x" }, q: { prefix: "x_a", tools: ["b"] } } }));
    expect([error.code, error.message]).toEqual([
      "TOOL_NAME_CLASH",
      expect.stringMatching(/^Two tools are named x_a_b: p#Tools\.a_b and q#Tools\.b\.\nFix: Add `prefix: "q"` to `allow\["q"\]`\.$/),
    ]);
  });

  it("names that look like a prefix and a name of others reach their own tool", () => {
    const registry = ToolRegistry.from(two, { allow: { p: { prefix: "q" }, q: { prefix: "q_a", tools: ["a_b_c"] } } });
    expect(toolsOf(registry).map(({ info }) => [info.name, info.identity])).toEqual([
      ["q_a_b", "p#Tools.a_b"],
      ["q_a_a_b_c", "q#Tools.a_b_c"],
    ]);
  });
});

describe("a wrong allow-list is answered by name", () => {
  const manifest = manifestOf("p", [tool("look"), tool("touch", { effect: "write" })]);
  const allowed = (allow: unknown) => errorOf(() => ToolRegistry.from([{ manifest, load: unused }], { allow: allow as Allowances }));

  it.each<readonly [unknown, string, RegExp]>([
    [[], "RUN_OPTIONS", /`allow` is a list/],
    [{ p: undefined }, "RUN_OPTIONS", /`allow\["p"\]` is undefined.*\n.*`\{\}`/],
    [{ p: null }, "RUN_OPTIONS", /`allow\["p"\]` is null/],
    [{ p: true }, "RUN_OPTIONS", /`allow\["p"\]` is a boolean/],
    [{ p: { tool: ["look"] } }, "RUN_OPTIONS", /has no option "tool".*\n.*prefix, tools, effects, descriptions, config/],
    [{ p: { tools: "look" } }, "RUN_OPTIONS", /`tools` that are a string/],
    [{ p: { tools: ["lok"] } }, "RUN_OPTIONS", /"lok", which the package does not have.*\n.*look, touch/],
    [{ p: { effects: ["reads"] } }, "RUN_OPTIONS", /the effect "reads".*\n.*"read", "write" or "destructive"/],
    [{ p: { prefix: "a b" } }, "RUN_OPTIONS", /the prefix "a b"/],
    [{ p: { prefix: "" } }, "RUN_OPTIONS", /the prefix ""/],
    [{ p: { prefix: "x".repeat(61) } }, "RUN_OPTIONS", /x_look of 66 characters|of 66 characters/],
    [{ p: { config: "path" } }, "RUN_OPTIONS", /`config` that is a string/],
    [{ p: { descriptions: { lok: "Text." } } }, "RUN_OPTIONS", /describes the tool "lok"/],
    [{ p: { descriptions: { look: "x".repeat(1_025) } } }, "RUN_OPTIONS", /1025 characters.*\n.*1024/],
    [{ p: {}, "../evil": {} }, "RUN_OPTIONS", /"\.\.\/evil", which is no name of a package/],
    [{ p: {}, q: {} }, "REGISTRY_NOT_INSTALLED", /q is allowed, but it is not among the packages/],
    [{ p: { tools: [] } }, "REGISTRY_EMPTY", /Nothing of p is left to offer: look \(it is not among/],
    [{ p: { effects: ["destructive"] } }, "REGISTRY_EMPTY", /touch \(its effect, write, is not among/],
    [{}, "REGISTRY_EMPTY", /No tool is offered\. Seen: p \(installed\)/],
  ])("%j", async (allow, code, message) => {
    const error = await allowed(allow);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message).toContain("\nFix: ");
  });
});

describe("a broken manifest names the package and the place", () => {
  const good = manifestOf("p", [tool("look")]);
  const withTool = (broken: object): object => manifestOf("p", [{ ...tool("look"), ...broken }]);
  const schema = (properties: object, more: object = {}): object =>
    withTool({ parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more } });

  it.each<readonly [string, unknown, RegExp]>([
    ["no object", null, /packages\[0\] cannot be used: its format is missing/],
    ["no form", {}, /its format is missing/],
    ["a later form", { ...good, format: 2 }, /its format is 2, .* reads 1\.\nFix: Update @toolwright\/core/],
    ["no package", { ...good, package: undefined }, /packages\[0\] cannot be used: it belongs to no package/],
    ["no version", { ...good, version: 1 }, /it has no version/],
    ["no toolkits", { ...good, toolkits: {} }, /it has no toolkits/],
    ["no tools at all", { ...good, toolkits: [] }, /it has no tools/],
    ["an empty toolkit", manifestOf("p", []), /it has no tools/],
    ["a toolkit that is none", { ...good, toolkits: [null] }, /toolkits\[0\] has no className/],
    ["two toolkits of one name", { ...good, toolkits: [...good.toolkits, ...good.toolkits] }, /two toolkits are named Tools/],
    ["two tools of one name", manifestOf("p", [tool("look"), tool("look")]), /two of its tools are named look/],
    ["two tools of one method", manifestOf("p", [tool("look"), tool("see", { method: "look" })]), /two of its tools are Tools\.look/],
    ["a name with a dot", withTool({ name: "math.add" }), /toolkits\[0\]\.tools\[0\] has no name/],
    ["no description", withTool({ description: " " }), /\(look\) has no description/],
    ["no method", withTool({ method: undefined }), /\(look\) names no method/],
    ["no schema", withTool({ parameters: undefined }), /\(look\) has no strict schema/],
    ["an open schema", withTool({ parameters: { type: "object", properties: {}, required: [] } }), /\(look\) has no strict schema/],
    ["an effect that does not exist", withTool({ effect: "reads" }), /the tool look: its effect is "reads"/],
    ["a time that is none", withTool({ timeoutMs: "1s" }), /the tool look: its timeoutMs is "1s"/],
    ["a resource of something else", withTool({ resource: "order:{id}" }), /the tool look: its resource names "id"/],
    ["a resource that is a number", withTool({ resource: [5] }), /the tool look: its resource is a list of other things/],
    ["an echo of something else", withTool({ echo: ["id"] }), /the tool look: its echo names "id"/],
    ["oneOf", schema({ a: { oneOf: [{ type: "string" }] } }), /the tool look: at "a", the keyword "oneOf"/],
    ["a type that does not exist", schema({ a: { type: "text" } }), /the tool look: at "a", the type "text"/],
    [
      "a property that is not required",
      schema({ a: { type: "string" } }, { required: [] }),
      /at "", the property "a" is not in "required"/,
    ],
    ["an open object inside", schema({ a: { type: "object", properties: {}, required: [] } }), /at "a", the object is open/],
    ["a choice at the root", schema({}, { anyOf: [{ type: "object" }] }), /a choice or a reference at the root/],
    ["a bad pattern", schema({ a: { type: "string", pattern: "(" } }), /the tool look: at "a"/],
    ["a reference to nothing", schema({ a: { $ref: "#/$defs/A" } }), /"#\/\$defs\/A" is not defined/],
    [
      "a bad definition that nothing refers to yet",
      schema({ a: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] } }, { $defs: { A: { type: "array" } } }),
      /the tool look: at .*an array without "items"/,
    ],
    ["too many levels", schema({ a: nested(11) }), /the tool look: its schema nests 12 levels/],
    ["a decode plan for nothing", { ...withTool({ decode: { optional: ["b"] } }) }, /"b" is named but is no property/],
    ["values of the wrong kind", schema({ a: 5 }), /the tool look: /],
    [
      "a list in place of properties",
      withTool({ parameters: { ...noParameters, required: 5 } }),
      /the tool look: its schema or decode plan/,
    ],
  ])("%s", async (_, manifest, message) => {
    const error = await errorOf(() => ToolRegistry.from([{ manifest, load: unused }]));
    expect([error.code, error.message]).toEqual(["REGISTRY_MANIFEST", expect.stringMatching(message)]);
    expect(error.message).toContain("\nFix: ");
  });

  it("is left alone when the package is not allowed", () => {
    const broken = manifestOf("q", [tool("look", { timeoutMs: 0 })]);
    const { manifest, load } = samplePackage("p");
    const registry = ToolRegistry.from(
      [
        { manifest, load },
        { manifest: broken, load: unused },
      ],
      { allow: { p: {} } },
    );
    expect(registry.list().map(({ package: name, state }) => [name, state])).toEqual([
      ["p", "offered"],
      ["q", "installed"],
    ]);
  });

  it.each<readonly [unknown, RegExp]>([
    [undefined, /was given no list/],
    [[{ manifest: good }], /packages\[0\] has no `load` function/],
    [[null], /packages\[0\] has no `load` function/],
    [
      [
        { manifest: good, load: unused },
        { manifest: good, load: unused },
      ],
      /packages\[0\] and packages\[1\] are both p/,
    ],
  ])("as is a wrong list: %j", async (packages, message) => {
    const error = await errorOf(() => ToolRegistry.from(packages as never));
    expect([error.code, error.message]).toEqual(["RUN_OPTIONS", expect.stringMatching(message)]);
  });
});

function nested(levels: number): object {
  return levels === 0 ? { type: "string" } : { type: "array", items: nested(levels - 1) };
}

describe("the code of a package", () => {
  it("is loaded once, at the first call, for calls side by side", async () => {
    const sample = samplePackage("p");
    const registry = ToolRegistry.from([sample]);
    expect([registry.list().length, toolsOf(registry)[0]?.check({}), sample.loads()]).toEqual([1, { ok: true, arguments: {} }, 0]);
    expect(await Promise.all([call(registry, "look"), call(registry, "look")])).toEqual(["p", "p"]);
    expect(sample.loads()).toBe(1);
  });

  it("is loaded by `preload`, once", async () => {
    const sample = samplePackage("p");
    const registry = ToolRegistry.from([sample]);
    await registry.preload();
    await registry.preload();
    expect(sample.loads()).toBe(1);
  });

  it("may come as CommonJS, with its default one level further down", async () => {
    const { manifest, load } = samplePackage("p");
    const registry = ToolRegistry.from([{ manifest, load: async () => ({ default: await load() }) }]);
    expect(await call(registry, "look")).toBe("p");
  });

  it("is tried again after a failure", async () => {
    const { manifest, load } = samplePackage("p");
    let tries = 0;
    const registry = ToolRegistry.from([{ manifest, load: () => ((tries += 1) === 1 ? Promise.reject(new Error("offline")) : load()) }]);
    await expect(registry.preload()).rejects.toThrow("could not be imported");
    await registry.preload();
    expect(await call(registry, "look")).toBe("p");
  });

  it("that hangs fails the call when its time is over", async () => {
    const { Registered } = samplePackage("p");
    const manifest = manifestOf("p", [tool("look", { timeoutMs: 20 })]);
    const registry = ToolRegistry.from([{ manifest, load: () => new Promise(() => {}) }]);
    const error = await errorOf(() => call(registry, "look"));
    expect([error.code, error.message]).toEqual([
      "REGISTRY_LOAD",
      expect.stringMatching(/p was not imported and created within 20 ms\.\nFix: .*preload/),
    ]);
    expect(Registered.name).toBe("Tools");
  });

  const failures: readonly (readonly [string, () => unknown, string, RegExp])[] = [
    ["a module without a default", () => ({}), "REGISTRY_LOAD", /no tool package as its default export/],
    ["a default that is something else", () => ({ default: Map }), "REGISTRY_LOAD", /no tool package as its default export/],
    [
      "an import that throws",
      () => {
        throw new TypeError("key sk-secret-1 is bad");
      },
      "REGISTRY_LOAD",
      /The package p could not be imported: TypeError\./,
    ],
    [
      "an import that throws no error",
      () => {
        throw "sk-secret-1";
      },
      "REGISTRY_LOAD",
      /could not be imported: it threw string/,
    ],
    [
      "no create",
      () => ({ default: defineToolPackage({} as never) }),
      "REGISTRY_LOAD",
      /could not be imported: `defineToolPackage` was given no `create` function\./,
    ],
    [
      "a create that throws",
      () => ({
        default: defineToolPackage({
          create: () => {
            throw Object.assign(new Error("postgres://u:sk-secret-1@host"), { code: "ECONNREFUSED" });
          },
        }),
      }),
      "REGISTRY_LOAD",
      /could not be created: Error ECONNREFUSED\./,
    ],
    [
      "a create that gives one toolkit",
      () => ({ default: defineToolPackage({ create: () => ({}) as never }) }),
      "REGISTRY_LOAD",
      /gave object, not a list/,
    ],
    [
      "a create that gives nothing",
      () => ({ default: defineToolPackage({ create: () => undefined as never }) }),
      "REGISTRY_LOAD",
      /gave undefined/,
    ],
    ["no toolkit", () => ({ default: defineToolPackage({ create: () => [] }) }), "REGISTRY_MISMATCH", /it makes no Tools/],
    [
      "something else",
      () => ({ default: defineToolPackage({ create: () => [new Map() as never] }) }),
      "REGISTRY_MISMATCH",
      /entry 0 of what it makes is no instance/,
    ],
  ];

  it.each(failures)("that does not work is a named error: %s", async (_, module, code, message) => {
    const registry = ToolRegistry.from([{ manifest: manifestOf("p", [tool("look")]), load: async () => module() }]);
    for (const action of [() => registry.preload(), () => call(registry, "look")]) {
      const error = await errorOf(action);
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
      expect(error.message).toContain("\nFix: ");
      expect(error.details).toEqual({ package: "p" });
      expect(inspect(error, { depth: 10 }) + JSON.stringify(error)).not.toContain("sk-secret-1");
    }
  });
});

describe("code that disagrees with its manifest is refused", () => {
  async function refusal(listed: PackageManifest, built: PackageManifest["toolkits"][number], count = 1): Promise<string> {
    class Tools {
      @Tool({ effect: "read" })
      look(): string {
        return "seen";
      }
    }
    const Registered = registerToolkit(Tools, built, { methods: ["look"] });
    const instances = Array.from({ length: count }, () => new Registered());
    const registry = ToolRegistry.from([
      { manifest: listed, load: async () => ({ default: defineToolPackage({ create: () => instances }) }) },
    ]);
    const error = await errorOf(() => registry.preload());
    expect(error.code).toBe("REGISTRY_MISMATCH");
    return error.message.split("\n")[0] as string;
  }
  const [built] = manifestOf("p", [tool("look")]).toolkits as [PackageManifest["toolkits"][number]];

  it.each<readonly [string, PackageManifest, typeof built, string]>([
    [
      "another description",
      manifestOf("p", [tool("look", { description: "Deletes." })]),
      built,
      "`description` of the tool look is another one in the code",
    ],
    ["another effect", manifestOf("p", [tool("look", { effect: "write" })]), built, "`effect` of the tool look is another one in the code"],
    [
      "another schema",
      manifestOf("p", [tool("look", { parameters: { ...noParameters, properties: { a: { type: "string" } }, required: ["a"] } })]),
      built,
      "`parameters` of",
    ],
    ["an approval that the code lacks", manifestOf("p", [tool("look", { approval: true })]), built, "`approval` of the tool look"],
    ["a tool more in the manifest", manifestOf("p", [tool("look"), tool("touch")]), built, "there is no tool touch in the code"],
    ["another class", manifestOf("p", [tool("look")], "Others"), built, "it makes a Tools, which the manifest does not have"],
    [
      "a class built for an app",
      manifestOf("p", [tool("look")]),
      { ...built, package: undefined },
      "its Tools was built for an app, not for a tool package",
    ],
    ["a class built for another package", manifestOf("p", [tool("look")]), { ...built, package: "q" }, "its Tools was built for q"],
  ])("%s", async (_, listed, code, message) => {
    expect(await refusal(listed, code)).toContain(`The code of p disagrees with its manifest: ${message}`);
  });

  it("two instances of one class", async () => {
    expect(await refusal(manifestOf("p", [tool("look")]), built, 2)).toContain("it makes two instances of Tools");
  });

  it("unless the difference is one that JSON does not have", async () => {
    const listed = JSON.parse(JSON.stringify(manifestOf("p", [tool("look", { approval: undefined, tags: undefined })]))) as PackageManifest;
    const { load } = samplePackage("p");
    await expect(ToolRegistry.from([{ manifest: listed, load }]).preload()).resolves.toBeUndefined();
  });
});

function refuse(text: string): never {
  throw new Error(text);
}

describe("a configuration", () => {
  const manifest = manifestOf("p", [tool("look")]);
  class Config {
    path = "default";
    readonly fixed: string = "fixed";
    #port = 0;
    get only(): number {
      return this.#port;
    }
    set port(value: number) {
      if (typeof value !== "number") throw new TypeError(`not a port: ${String(value)}`);
      this.#port = value;
    }
  }
  function configured(given: object | undefined, ConfigClass: (new () => object) | null = Config) {
    const { Registered } = samplePackage("p");
    let seen: unknown;
    const create = (config: object) => {
      seen = config;
      return [new Registered()];
    };
    const registry = ToolRegistry.from(
      [{ manifest, load: async () => ({ default: defineToolPackage({ config: ConfigClass ?? undefined, create }) }) }],
      {
        allow: { p: { config: given } },
      },
    );
    return { registry, seen: () => seen };
  }

  it("has the class's defaults where nothing, or undefined, is given", async () => {
    const { registry, seen } = configured({ path: undefined, port: 5 });
    await registry.preload();
    expect(seen()).toBeInstanceOf(Config);
    expect(seen()).toMatchObject({ path: "default", only: 5 });
  });

  it("is an empty object for a package without one", async () => {
    const { registry, seen } = configured(undefined, null);
    await registry.preload();
    expect(seen()).toEqual({});
  });

  it.each<readonly [string, object, (new () => object) | null, RegExp]>([
    ["for a package that takes none", { path: "secret-path" }, null, /it takes no configuration.*\n.*Remove `config`/],
    ["with a value that a setter refuses", { port: "secret-path" }, Config, /port does not take the value/],
    ["with a key that has no setter", { only: "secret-path" }, Config, /only does not take the value/],
    ["with a prototype", JSON.parse('{"__proto__":{"path":"secret-path"}}') as object, Config, /it has the key __proto__/],
    [
      "whose class throws",
      {},
      class Throwing {
        readonly path = refuse("secret-path");
      },
      /Throwing threw/,
    ],
  ])("%s is a named error without its values", async (_, given, ConfigClass, message) => {
    const { registry } = configured(given, ConfigClass);
    const error = await errorOf(() => registry.preload());
    expect([error.code, error.message, error.details]).toEqual(["REGISTRY_CONFIG", expect.stringMatching(message), { package: "p" }]);
    expect(inspect(error, { depth: 10 }) + JSON.stringify(error)).not.toContain("secret-path");
  });

  it("is shown by no way of printing the registry", async () => {
    const { registry } = configured({ path: "secret-path" });
    const printed = () =>
      [inspect(registry, { depth: 10, showHidden: true }), JSON.stringify(registry), JSON.stringify(registry.list())].join();
    expect(printed()).toContain('"p"');
    expect(printed()).not.toContain("secret-path");
    await registry.preload();
    expect(printed()).not.toContain("secret-path");
  });
});

describe("disposing", () => {
  /** A package whose toolkit notes what happens to it. */
  function noting(
    name: string,
    events: string[],
    more: { readonly fails?: boolean; readonly async?: boolean; readonly mismatch?: boolean } = {},
  ) {
    const manifest = manifestOf(name, [tool("look")]);
    class Tools {
      constructor() {
        events.push(`made ${name}`);
        const key = more.async === true ? Symbol.asyncDispose : Symbol.dispose;
        Object.defineProperty(this, key, {
          value: () => {
            events.push(`closed ${name}`);
            if (more.fails === true) throw new Error(`${name} fails`);
          },
        });
      }
      @Tool({ effect: "read" })
      look(): string {
        return name;
      }
    }
    const Registered = registerToolkit(Tools, manifest.toolkits[0] as never, { methods: ["look"] });
    const listed = more.mismatch === true ? manifestOf(name, [tool("look"), tool("more")]) : manifest;
    return { manifest: listed, load: async () => ({ default: defineToolPackage({ create: () => [new Registered()] }) }) };
  }
  const all = { a: { prefix: "a" }, b: { prefix: "b" }, c: { prefix: "c" } };

  it("closes what was made, last made first, and nothing else", async () => {
    const events: string[] = [];
    {
      await using registry = ToolRegistry.from([noting("a", events), noting("b", events, { async: true }), noting("c", events)], {
        allow: all,
      });
      await call(registry, "a_look");
      await call(registry, "b_look");
    }
    expect(events).toEqual(["made a", "made b", "closed b", "closed a"]);
  });

  it("closes once, and not again by a second call", async () => {
    const events: string[] = [];
    const registry = ToolRegistry.from([noting("a", events)]);
    await registry.preload();
    await Promise.all([registry[Symbol.asyncDispose](), registry[Symbol.asyncDispose]()]);
    await registry[Symbol.asyncDispose]();
    expect(events).toEqual(["made a", "closed a"]);
  });

  it("closes all even if one fails, and tells of that", async () => {
    const events: string[] = [];
    const registry = ToolRegistry.from([noting("a", events), noting("b", events, { fails: true }), noting("c", events)], { allow: all });
    await registry.preload();
    await expect(registry[Symbol.asyncDispose]()).rejects.toThrow("b fails");
    expect(events.filter((event) => event.startsWith("closed")).sort()).toEqual(["closed a", "closed b", "closed c"]);
  });

  it("lets no later call make it again", async () => {
    const events: string[] = [];
    const registry = ToolRegistry.from([noting("a", events)]);
    await registry.preload();
    await registry[Symbol.asyncDispose]();
    const error = await errorOf(() => call(registry, "look"));
    expect([error.code, error.message]).toEqual(["REGISTRY_LOAD", expect.stringMatching(/The registry was disposed/)]);
    expect(events).toEqual(["made a", "closed a"]);
  });

  it("also closes what a refused package had made", async () => {
    const events: string[] = [];
    const registry = ToolRegistry.from([noting("a", events, { mismatch: true })]);
    expect((await errorOf(() => registry.preload())).code).toBe("REGISTRY_MISMATCH");
    expect(events).toEqual(["made a", "closed a"]);
  });
});

describe("names", () => {
  const two = (one: string, other: string, allow?: Allowances) => () =>
    ToolRegistry.from(
      [
        { manifest: manifestOf("@acme/tools-a", [tool(one)]), load: unused },
        { manifest: manifestOf("@zeta/tools-b", [tool(other)]), load: unused },
      ],
      { allow },
    );

  it.each([
    [
      "search",
      "search",
      /Two tools are named search: @acme\/tools-a#Tools\.search and @zeta\/tools-b#Tools\.search\.\nFix: Add `prefix: "b"` to `allow\["@zeta\/tools-b"\]`\./,
    ],
    ["search", "Search", /are named search and Search, which a model may confuse/],
  ])("%s and %s clash, naming both owners and the fix", async (one, other, message) => {
    const error = await errorOf(two(one, other));
    expect([error.code, error.message]).toEqual(["TOOL_NAME_CLASH", expect.stringMatching(message)]);
  });

  it("the fix works", () => {
    const registry = two("search", "search", { "@acme/tools-a": {}, "@zeta/tools-b": { prefix: "b" } })();
    expect(toolsOf(registry).map(({ info }) => info.name)).toEqual(["search", "b_search"]);
  });

  it("the fix is a prefix that is free", async () => {
    const error = await errorOf(two("b_search", "search", { "@acme/tools-a": {}, "@zeta/tools-b": { prefix: "b" } }));
    expect(error.fix).toBe('Add `prefix: "b2"` to `allow["@zeta/tools-b"]`.');
  });
});
