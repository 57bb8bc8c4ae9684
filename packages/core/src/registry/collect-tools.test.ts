import { describe, expect, expectTypeOf, it } from "vitest";
import { registerToolkit } from "../generated.js";
import {
  Agent,
  defineTool,
  defineToolPackage,
  prefixed,
  Tool,
  type ToolContext,
  toolDefinitions,
  type ToolkitManifest,
  ToolRegistry,
  ToolwrightError,
} from "../index.js";

const noParameters = { type: "object", properties: {}, required: [], additionalProperties: false } as const;

function manifestOf(className: string, name: string, packageName?: string): ToolkitManifest {
  const tools = [{ name, method: "look", description: "Looks.", effect: "read", parameters: noParameters, call: [] }] as const;
  return { format: 1, className, package: packageName, tools };
}

class StoreTools_ {
  readonly #store: string;
  constructor(store: string) {
    this.#store = store;
  }
  @Tool({ effect: "read" })
  look(): string {
    return this.#store;
  }
}
const StoreTools = registerToolkit(StoreTools_, manifestOf("StoreTools", "get_stock"), { methods: ["look"] });

class OtherTools_ {
  @Tool({ effect: "read" })
  look(): string {
    return "other";
  }
}
const OtherTools = registerToolkit(OtherTools_, manifestOf("OtherTools", "get_stock"), { methods: ["look"] });

class PackagedTools_ {
  @Tool({ effect: "read" })
  look(): string {
    return "packaged";
  }
}
const PackagedTools = registerToolkit(PackagedTools_, manifestOf("PackagedTools", "get_stock", "@acme/tools-stock"), { methods: ["look"] });

class SourceTools {
  look(): string {
    return "from its source";
  }
}

const now = (name = "now") =>
  defineTool({ name, description: "Tells the time.", parameters: { type: "object", properties: {} }, execute: () => 0 });
const registry = () =>
  ToolRegistry.from([
    {
      manifest: { format: 1, package: "p", version: "1.0.0", toolkits: [manifestOf("T", "get_stock", "p")] },
      load: () => Promise.reject(new Error("never")),
    },
  ]);

function errorOf(...tools: readonly unknown[]): ToolwrightError {
  try {
    new Agent({ model: "test", tools: tools as never });
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("what is no tool is answered by what to write instead", () => {
  it.each<readonly [string, unknown, string, RegExp]>([
    [
      "a class",
      StoreTools,
      "RUN_OPTIONS",
      /tools\[0\] is the class or function StoreTools_, not an instance\.\nFix: Write `new StoreTools_\(…\)`/,
    ],
    ["a function", () => 0, "RUN_OPTIONS", /not an instance.*\n.*`defineTool\(\{ … \}\)` for a function/],
    ["nothing", undefined, "RUN_OPTIONS", /tools\[0\] is a value of type undefined/],
    ["null", null, "RUN_OPTIONS", /tools\[0\] is null/],
    ["a name", "get_weather", "RUN_OPTIONS", /tools\[0\] is a value of type string/],
    ["a list", [new StoreTools("a")], "RUN_OPTIONS", /tools\[0\] is a list\.\nFix: Spread it/],
    ["a promise", Promise.resolve(), "RUN_OPTIONS", /tools\[0\] is a promise\.\nFix: Await it first/],
    ["a plain object", { name: "x" }, "RUN_OPTIONS", /tools\[0\] is a plain object, not a tool\.\nFix: Make it with `defineTool/],
    ["an object without a prototype", Object.create(null), "RUN_OPTIONS", /a plain object/],
    [
      "a function tool of the API",
      { type: "function", name: "x", parameters: {} },
      "RUN_OPTIONS",
      /a function tool in the form of the API.*\nFix: Make it with `defineTool/,
    ],
    ["a tool package's default export", defineToolPackage({ create: () => [] }), "RUN_OPTIONS", /the default export of a tool package/],
    [
      "a class that was not built",
      new SourceTools(),
      "TOOL_UNREGISTERED",
      /tools\[0\] is an instance of SourceTools, which is not registered: it was not built, or it was imported from its own source file\.\nFix: Export SourceTools, run `npx toolwright build`, and write `import \{ SourceTools \} from "\.\/toolwright\.generated\.js"`/,
    ],
    [
      "a subclass that was not built",
      new (class Mine extends StoreTools {})("a"),
      "TOOL_UNREGISTERED",
      /an instance of Mine, which is not registered; only its base class StoreTools is\.\nFix: Export Mine/,
    ],
  ])("%s", (_, entry, code, message) => {
    const error = errorOf(entry);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });

  it("names the place in the list", () => {
    expect(errorOf(now(), { type: "web_search" }, 5).message).toMatch(/^tools\[2\] is/);
  });

  it("knows a class that another version of this package registered", () => {
    const key = Symbol.for("toolwright.toolkits.99");
    const holder = globalThis as { [name: symbol]: unknown };
    holder[key] = new WeakMap([[SourceTools, {}]]);
    try {
      expect(errorOf(new SourceTools()).message).toMatch(
        /registered by another version of @toolwright\/core\.\nFix: .*npm ls @toolwright\/core/,
      );
    } finally {
      delete holder[key];
    }
  });
});

describe("two tools of one name", () => {
  it.each<readonly [string, readonly unknown[], RegExp]>([
    [
      "two instances of one class",
      [new StoreTools("eu"), new StoreTools("us")],
      /^Two tools are named get_stock: app#StoreTools\.look \(tools\[0\]\) and app#StoreTools\.look \(tools\[1\]\)\.\nFix: Write `prefixed\("store", new StoreTools\(…\)\)` in `tools`, or `@Toolkit/,
    ],
    [
      "two classes",
      [new StoreTools("eu"), new OtherTools()],
      /app#StoreTools\.look .*app#OtherTools\.look .*\nFix: .*`@Toolkit\(\{ prefix: "other" \}\)`/,
    ],
    [
      "a class of a package",
      [new StoreTools("eu"), new PackagedTools()],
      /@acme\/tools-stock#PackagedTools\.look .*\nFix: Write `prefixed\("stock", new PackagedTools\(…\)\)` in `tools`\./,
    ],
    ["a registry", [new StoreTools("eu"), registry()], /p#T\.look \(tools\[1\]\)\.\nFix: Add `prefix: "p"` to `allow\["p"\]`\./],
    ["a tool without a class", [new StoreTools("eu"), now("get_stock")], /\nFix: Give one of them another `name`\./],
    ["a prefixed one", [new StoreTools("eu"), prefixed("get", now("stock")), prefixed("x", new StoreTools("us"))], /\nFix: /],
    ["a case variant", [now("Now"), now("now")], /^Two tools are named Now and now, which a model may confuse/],
  ])("are refused: %s", (_, tools, message) => {
    const error = errorOf(...tools);
    expect([error.code, error.message]).toEqual(["TOOL_NAME_CLASH", expect.stringMatching(message)]);
    expect(error.details["owners"]).toHaveLength(2);
  });
});

describe("prefixed", () => {
  const names = (...tools: Parameters<typeof toolDefinitions>[0]) => toolDefinitions(tools).map(({ name }) => name);

  it("lets two instances of one class stand side by side", () => {
    expect(names(prefixed("eu", new StoreTools("eu")), prefixed("us", new StoreTools("us")), new StoreTools("here"))).toEqual([
      "eu_get_stock",
      "us_get_stock",
      "get_stock",
    ]);
  });

  it("goes before the tools of any source, itself included", () => {
    expect(names(prefixed("a", now()), prefixed("b", registry()), prefixed("c", prefixed("d", now())))).toEqual([
      "a_now",
      "b_get_stock",
      "c_d_now",
    ]);
  });

  it.each<readonly [unknown, unknown, RegExp]>([
    ["", now(), /The prefix "" cannot begin a tool's name/],
    ["a b", now(), /The prefix "a b"/],
    [5, now(), /The prefix number/],
    ["x".repeat(61), now(), /x_now has 65 characters/],
    ["x", new SourceTools(), /What `prefixed` was given is an instance of SourceTools, which is not registered/],
    ["x", StoreTools, /What `prefixed` was given is the class/],
  ])("refuses what the API would: %j", (prefix, tools, message) => {
    expect(() => prefixed(prefix as string, tools as never)).toThrow(message);
  });

  it("a tool package makes instances of its generated module's classes", () => {
    class Config {
      path = "";
    }
    const made = defineToolPackage({ config: Config, create: (config) => [new StoreTools(config.path)] });
    expectTypeOf(made.create).parameter(0).toEqualTypeOf<Config>();
    // @ts-expect-error the class comes from its own source file
    const wrong = defineToolPackage({ create: () => [new SourceTools()] });
    expect([typeof made.create, typeof wrong.create]).toEqual(["function", "function"]);
  });

  it("needs the app that its tools need", () => {
    class AppTools_ {
      @Tool({ effect: "read" })
      look(context: ToolContext<{ readonly user: string }>): string {
        return context.app.user;
      }
    }
    const AppTools = registerToolkit(
      AppTools_,
      { ...manifestOf("AppTools", "look"), tools: [{ ...manifestOf("AppTools", "look").tools[0]!, call: [{ context: true }] }] },
      { methods: ["look"] },
    );
    const agent = new Agent({ model: "test", tools: [prefixed("x", new AppTools())] });
    expectTypeOf(agent).toEqualTypeOf<Agent<{ readonly user: string }>>();
    const both = new Agent({ model: "test", tools: [prefixed("x", new AppTools()), new StoreTools("a"), prefixed("y", now())] });
    expectTypeOf(both).toEqualTypeOf<Agent<{ readonly user: string }>>();
    expectTypeOf(prefixed("x", now())).toExtend<Parameters<typeof toolDefinitions>[0][number]>();
    // @ts-expect-error the class comes from its own source file
    expect(() => prefixed("x", new SourceTools())).toThrow("not registered");
    // @ts-expect-error a run of this agent needs an app
    const withoutApp = () => agent.run("Look.");
    expectTypeOf(withoutApp).toBeFunction();
  });
});
