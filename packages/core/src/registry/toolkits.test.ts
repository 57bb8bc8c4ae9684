import { describe, expect, expectTypeOf, it } from "vitest";
import { call, errorOf, manifestOf, packageOf, toolOf } from "../../test-support/package-fixture.js";
import { registerToolkit } from "../generated.js";
import {
  Agent,
  defineToolPackage,
  type ResolveToolkit,
  Tool,
  type ToolContext,
  toolkits,
  ToolRegistry,
  type ToolSource,
} from "../index.js";

class Clock {
  readonly time = "noon";
}
class TimeTools_ {
  constructor(readonly clock: Clock) {}
  @Tool({ effect: "read" })
  look(context: ToolContext<{ zone: string }>): string {
    return `${this.clock.time} ${typeof context}`;
  }
}
const TimeTools = registerToolkit(
  TimeTools_,
  { format: 1, className: "TimeTools", tools: [toolOf("look", { call: [{ context: true }] })] },
  { methods: ["look"] },
);
class Unbuilt {
  readonly tools = [];
}

/** A container as others have them: by class, everything made once. */
class Container {
  readonly asked: string[] = [];
  readonly #made = new Map<unknown, object>();
  get<T extends object>(Class: new (...parameters: never[]) => T): T {
    this.asked.push(Class.name);
    const made = this.#made.get(Class) ?? new Class(...([new Clock()] as never[]));
    this.#made.set(Class, made);
    return made as T;
  }
}

describe("toolkits of a container", () => {
  it("are sent and checked without an instance; a class is asked for once, at the first call", async () => {
    const container = new Container();
    const tools = toolkits([TimeTools], { resolve: (Class) => container.get(Class) });
    expectTypeOf(tools).toEqualTypeOf<ToolSource<{ zone: string }>>();
    expect(new Agent({ model: "test", tools: [tools] }).toJSON()).toMatchObject({ tools: ["look"] });
    expect(container.asked).toEqual([]);
    expect(await Promise.all([call(tools), call(tools)])).toEqual(["noon object", "noon object"]);
    expect(container.asked).toEqual(["TimeTools_"]);
  });

  it("may come later, and are asked for again after a failure", async () => {
    let asked = 0;
    const tools = toolkits([TimeTools], {
      async resolve(Class) {
        asked += 1;
        if (asked === 1) throw new Error("not ready with sk-planted");
        return new Class(new Clock());
      },
    });
    const error = await errorOf(() => call(tools));
    expect([error.code, error.message]).toEqual([
      "REGISTRY_LOAD",
      expect.stringMatching(/^`resolve` could not give a TimeTools: Error\.\nFix: Provide TimeTools in the container/),
    ]);
    expect(error.message).not.toContain("planted");
    expect(await call(tools)).toBe("noon object");
  });

  it.each<readonly [string, unknown, RegExp]>([
    ["nothing", undefined, /`resolve` gave undefined for TimeTools\.\nFix: Let it give an instance of the very class/],
    ["another class", new Unbuilt(), /`resolve` gave an instance of Unbuilt for TimeTools/],
  ])("that are %s are an error of the call", async (_, given, message) => {
    const tools = toolkits([TimeTools], { resolve: (() => given) as ResolveToolkit });
    expect((await errorOf(() => call(tools))).message).toMatch(message);
  });

  it.each<readonly [string, () => unknown, string, RegExp]>([
    [
      "a class that was not built",
      () => toolkits([Unbuilt as never], { resolve: () => ({}) as never }),
      "TOOL_UNREGISTERED",
      /classes\[0\] of `toolkits` is the class Unbuilt, which is not registered\.\nFix: Run `npx toolwright build`, and import Unbuilt/,
    ],
    [
      "an instance",
      () => toolkits([new TimeTools(new Clock()) as never], { resolve: () => ({}) as never }),
      "TOOL_UNREGISTERED",
      /a value of type object.*\n.*not instances/,
    ],
    ["no classes", () => toolkits([], { resolve: () => ({}) as never }), "RUN_OPTIONS", /no list of classes/],
    ["no `resolve`", () => toolkits([TimeTools], undefined as never), "RUN_OPTIONS", /no `resolve` function/],
  ])("refuse %s", async (_, make, code, message) => {
    const error = await errorOf(make);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });
});

describe("toolkits of a package that declares its classes", () => {
  class Config {
    city = "Kazan";
  }
  const manifest = manifestOf("p", [toolOf("look")]);
  class Tools_ {
    constructor(
      readonly config: Config,
      readonly from = "the constructor",
    ) {}
    @Tool({ effect: "read" })
    look(): string {
      return `${this.config.city} by ${this.from}`;
    }
  }
  Object.defineProperty(Tools_, "name", { value: "Tools" });
  const Tools = registerToolkit(Tools_, manifest.toolkits[0] as never, { methods: ["look"] });
  const load = async (): Promise<unknown> => ({ default: defineToolPackage({ config: Config, toolkits: [Tools] }) });

  it("are made by their constructors, or by the app's container with the package's configuration", async () => {
    expect(await call(ToolRegistry.from([{ manifest, load }], { allow: { p: { config: { city: "Oslo" } } } }))).toBe(
      "Oslo by the constructor",
    );
    const owners: unknown[] = [];
    const resolve: ResolveToolkit = (Class, owner) => {
      owners.push(owner);
      return new Class(owner.config, "the container");
    };
    expect(await call(ToolRegistry.from([{ manifest, load }], { resolve }))).toBe("Kazan by the container");
    expect(owners).toEqual([{ package: "p", config: { city: "Kazan" } }]);
  });

  it("one that makes its own is not asked of the container", async () => {
    const resolve: ResolveToolkit = () => {
      throw new Error("asked");
    };
    expect(await call(ToolRegistry.from([packageOf("q", () => "own")], { resolve }))).toBe("own");
  });

  it("what the container gives is held against the manifest", async () => {
    for (const [given, message] of [
      [new Unbuilt(), /entry 0 of what it makes is no instance of a tool class/],
      [undefined, /entry 0 of what it makes/],
    ] as const) {
      const error = await errorOf(() => ToolRegistry.from([{ manifest, load }], { resolve: (() => given) as never }).preload());
      expect([error.code, error.message]).toEqual(["REGISTRY_MISMATCH", expect.stringMatching(message)]);
    }
    const thrown = await errorOf(() =>
      ToolRegistry.from([{ manifest, load }], {
        resolve: () => {
          throw new RangeError("no");
        },
      }).preload(),
    );
    expect(thrown.message).toContain("The package p could not be created: RangeError.");
    expect((await errorOf(() => ToolRegistry.from([{ manifest, load }], { resolve: {} as never }))).message).toContain(
      "`resolve` is no function.",
    );
  });
});

describe("defineToolPackage refuses", () => {
  class Config {
    key = "";
  }
  it.each<readonly [unknown, RegExp]>([
    [{ toolkits: [] }, /`toolkits` that are no list of classes/],
    [{ toolkits: [new Config()] }, /`toolkits` that are no list of classes.*\n.*without `new`/],
    [{ toolkits: [Config], create: () => [] }, /both `create` and `toolkits`/],
    [{ create: () => [], config: new Config() }, /a `config` that is no class/],
    [{ create: () => [], secrets: ["a"] }, /`secrets` without a `config`/],
    [{ create: () => [], config: Config, secrets: "a" }, /`secrets` that are no list of keys/],
    [{ create: () => [], config: Config, environment: { a: "A-B" } }, /an `environment` that is no list of names by key/],
    [{ create: () => [], needs: { hosts: "*" } }, /`needs` that it cannot show/],
    [{ create: () => [], needs: { sockets: [] } }, /`needs` that it cannot show/],
    [{ create: () => [], tools: [] }, /has no option "tools".*\n.*config, environment, secrets, needs, toolkits, create/],
  ])("%j", async (definition, message) => {
    const error = await errorOf(() => defineToolPackage(definition as never));
    expect([error.code, error.message]).toEqual(["REGISTRY_LOAD", expect.stringMatching(message)]);
  });
});
