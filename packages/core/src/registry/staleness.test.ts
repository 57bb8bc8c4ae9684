import { describe, expect, it } from "vitest";
import { registerToolkit } from "../generated.js";
import { Tool, type ToolkitManifest, type ToolManifest, type ToolOptions } from "../index.js";

const parameters = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false } as const;
const built: ToolManifest = { name: "look", method: "look", description: "Looks.", parameters, call: [{ argument: "id" }] };

/** Registers a class whose tool `look` has these options in the code, with a manifest in which it was built otherwise. */
function register(options: string | ToolOptions, manifest: Partial<ToolManifest>) {
  class Tools {
    @Tool(options)
    look(id: string): string {
      return id;
    }
  }
  const whole: ToolkitManifest = { format: 1, className: "Tools", tools: [{ ...built, ...manifest }] };
  return () => registerToolkit(Tools, whole, { methods: ["look"] });
}

describe("a class that no longer fits its generated module is refused at import", () => {
  it.each<readonly [string | ToolOptions, Partial<ToolManifest>, string]>([
    ["Looks at it.", {}, "description"],
    [{ description: "Looks at it." }, {}, "description"],
    [{ name: "see" }, {}, "name"],
    [{ effect: "read" }, {}, "effect"],
    [{ effect: "read" }, { effect: "write" }, "effect"],
    [{}, { effect: "read" }, "effect"],
    [{ timeoutMs: 5 }, { timeoutMs: 6 }, "timeoutMs"],
    [{}, { idempotent: true }, "idempotent"],
    [{ idempotent: true }, {}, "idempotent"],
    [{ maxCalls: 2 }, {}, "maxCalls"],
    [{ resource: "a:{id}" }, { resource: ["b:{id}"] }, "resource"],
    [{ resource: ["a:{id}", "b:{id}"] }, { resource: ["a:{id}"] }, "resource"],
    [{ approval: true }, {}, "approval"],
    [{ approval: "decide" }, { approval: true }, "approval"],
    [{ approval: "decide" }, { approval: { method: "other", call: [] } }, "approval"],
    [{ query: "ask" }, {}, "query"],
    [{ compensate: "undo" }, {}, "compensate"],
    [{ echo: ["id"] }, {}, "echo"],
    [{ tags: ["a"] }, { tags: ["b"] }, "tags"],
  ])("%j in the code, built with %j", (options, manifest, option) => {
    expect(register(options, manifest)).toThrow(
      `The generated module does not fit the class Tools: the option \`${option}\` of look has changed.\nFix: Run \`npx toolwright build\`.`,
    );
  });

  it.each<readonly [string | ToolOptions, Partial<ToolManifest>]>([
    [{}, {}],
    [" Looks. ", {}],
    [{ name: "look" }, { name: "wx_look" }],
    [{ resource: "a:{id}" }, { resource: ["a:{id}"] }],
    [{ resource: ["a:{id}", "b"] }, { resource: ["a:{id}", "b"] }],
    [{ approval: "decide" }, { approval: { method: "decide", call: [] } }],
    [{ approval: true, query: undefined }, { approval: true }],
  ])("but not for what says the same: %j and %j", (options, manifest) => {
    expect(register(options, manifest)).not.toThrow();
  });

  it("when a parameter was added", () => {
    expect(register({}, { call: [] })).toThrow("the method look takes 1 parameters, and was built with 0");
  });

  it("when a tool was added or taken away", () => {
    class Two {
      @Tool()
      look(): void {}
      @Tool()
      touch(): void {}
    }
    const manifest = (...methods: readonly string[]): ToolkitManifest => ({
      format: 1,
      className: "Two",
      tools: methods.map((method) => ({ ...built, name: method, method, call: [] })),
    });
    expect(() => registerToolkit(Two, manifest("look"), { methods: ["look"] })).toThrow("the method touch has @Tool but was not built");
    expect(() => registerToolkit(Two, manifest("look", "touch", "gone"), { methods: [] })).toThrow(
      "the method gone was built but has no @Tool any more",
    );
  });
});
