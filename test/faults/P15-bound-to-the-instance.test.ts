import { Agent, defineToolPackage, prefixed, type RunResult, Tool, type ToolContext, ToolRegistry } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
import { reply } from "@toolwright/testing";
import { describe, expect, it, vi } from "vitest";
import { buildSource } from "../support/build-source.js";
import { object } from "../support/call-tool.js";
import { serve } from "../support/serve.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

class StoreTools_ {
  readonly #store: ReadonlyMap<string, number>;
  calls = 0;

  constructor(store: Readonly<Record<string, number>>) {
    this.#store = new Map(Object.entries(store));
  }

  @Tool({ effect: "write", approval: "isLarge", query: "wasCounted" })
  countOf(sku: string): string {
    this.calls += 1;
    if (sku === "broken") throw new Error("no");
    return `${this.#store.get(sku) ?? "none"}`;
  }

  isLarge(sku: string): boolean {
    return (this.#store.get(sku) ?? 0) > 1_000;
  }

  wasCounted(_sku: string, context: ToolContext): { done: true; result: string } {
    return { done: true, result: `asked of ${this.#store.size} for ${context.callId}` };
  }
}
const call = [{ argument: "sku" }] as const;
const StoreTools = registerToolkit(
  StoreTools_,
  {
    format: 1,
    className: "StoreTools",
    tools: [
      {
        name: "count_of",
        method: "countOf",
        description: "Counts.",
        effect: "write",
        approval: { method: "isLarge", call },
        query: { method: "wasCounted", call: [...call, { context: true }] },
        parameters: object({ sku: { type: "string" } }),
        call,
      },
    ],
  },
  { methods: ["countOf"] },
);

const outputs = (result: RunResult): readonly unknown[] =>
  result.steps.flatMap(({ calls }) => calls.map(({ outcome }) => (outcome.kind === "ok" ? outcome.output : outcome.kind)));

describe("P15: a method and its hooks run on the instance that the agent was given", () => {
  it("with its private fields", async () => {
    const tools = new StoreTools({ a: 3, b: 2_000 });
    await using stand = await serve([
      reply.calls(
        { callId: "call_1", name: "count_of", arguments: { sku: "a" } },
        { callId: "call_2", name: "count_of", arguments: { sku: "b" } },
      ),
    ]);
    const result = await new Agent({ model: "test", client: stand.client, tools: [tools] }).run("Count.");
    // `isLarge` knows the store too: 2,000 are large.
    expect(result.interruptions).toEqual([{ callId: "call_2", tool: "count_of", arguments: { sku: "b" }, reason: "approval" }]);
    expect(result.state?.calls.map(({ outcome }) => outcome)).toEqual([{ kind: "ok", output: "3" }, expect.anything()]);
    expect(tools.calls).toBe(1);
  });

  it("as its query does", async () => {
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "count_of", arguments: { sku: "broken" } }),
      reply.calls({ callId: "call_2", name: "count_of", arguments: { sku: "broken" } }),
      reply.text("Done."),
    ]);
    const result = await new Agent({ model: "test", client: stand.client, tools: [new StoreTools({ a: 1, b: 2 })] }).run("Count.");
    expect(outputs(result)).toEqual(["unknown", "asked of 2 for call_2"]);
  });

  it("each of two instances with its own store, under its own name", async () => {
    const [eu, us] = [new StoreTools({ a: 1 }), new StoreTools({ a: 2 })];
    await using stand = await serve([
      reply.calls(
        { callId: "call_1", name: "us_count_of", arguments: { sku: "a" } },
        { callId: "call_2", name: "eu_count_of", arguments: { sku: "a" } },
      ),
      reply.text("Done."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [prefixed("eu", eu), prefixed("us", us)] });
    expect(outputs(await agent.run("Count."))).toEqual(["2", "1"]);
    expect([eu.calls, us.calls]).toEqual([1, 1]);
    expect(stand.server.request(0).body.tools).toMatchObject([{ name: "eu_count_of" }, { name: "us_count_of" }]);
  });

  it("two instances without a rule for their names are an error that gives one", () => {
    expect(() => new Agent({ model: "test", tools: [new StoreTools({}), new StoreTools({})] })).toThrow(
      'Two tools are named count_of: app#StoreTools.countOf (tools[0]) and app#StoreTools.countOf (tools[1]).\nFix: Write `prefixed("store", new StoreTools(…))` in `tools`',
    );
  });

  it("a class in place of an instance is refused", () => {
    expect(() => new Agent({ model: "test", tools: [StoreTools as never] })).toThrow(
      /tools\[0\] is the class or function \w+, not an instance\.\nFix: Write `new /,
    );
  });

  it("an instance that a package makes is the one that is called, and each registry has its own", async () => {
    const manifest = {
      format: 1,
      package: "p",
      version: "1.0.0",
      toolkits: [{ format: 1, className: "Counter", package: "p", tools: [counterTool] }],
    } as const;
    class Counter_ {
      #count = 0;
      @Tool({ effect: "write" })
      countUp(by: number): number {
        return (this.#count += by);
      }
    }
    const Counter = registerToolkit(Counter_, manifest.toolkits[0], { methods: ["countUp"] });
    const load = async () => ({ default: defineToolPackage({ create: () => [new Counter()] }) });
    const [one, other] = [ToolRegistry.from([{ manifest, load }]), ToolRegistry.from([{ manifest, load }])];
    const count = async (registry: ToolRegistry): Promise<readonly unknown[]> => {
      await using stand = await serve([reply.calls({ callId: "call_1", name: "count_up", arguments: { by: 1 } }), reply.text("Done.")]);
      return outputs(await new Agent({ model: "test", client: stand.client, tools: [registry] }).run("Count."));
    };
    expect([await count(one), await count(one), await count(other)]).toEqual([["1"], ["2"], ["1"]]);
  });
});

const counterTool = {
  name: "count_up",
  method: "countUp",
  description: "Counts.",
  effect: "write",
  parameters: object({ by: { type: "number" } }),
  call: [{ argument: "by" }],
} as const;

describe("P15: members that have no instance, or no one result, are refused at build", () => {
  const doc = "/** Does what this test is about, no more. */";
  it.each([
    [
      "a static method",
      `${doc} @Tool({ effect: "read" }) static look(): string { return ""; }`,
      /static method cannot be a tool/,
      /Take `static` away/,
    ],
    ["a generator", `${doc} @Tool({ effect: "read" }) *look() { yield 1; }`, /generator cannot be a tool/, /Return an array/],
    [
      "an async generator",
      `${doc} @Tool({ effect: "read" }) async *look() { yield 1; }`,
      /generator cannot be a tool/,
      /`context\.progress\(\)`/,
    ],
    [
      "a getter that gives a method",
      `${doc} @Tool({ effect: "read" }) get look() { return (): string => ""; }`,
      /this is an accessor/,
      /Write it as a method/,
    ],
    [
      "a field that holds a function",
      `${doc} @Tool({ effect: "read" }) look = (): string => "";`,
      /this is a property/,
      /Write it as a method/,
    ],
    [
      "a method with a `this` of its own",
      `${doc} @Tool({ effect: "read" }) look(this: Window): string { return ""; }`,
      /the kernel calls it on the instance/,
      /Take the `this` parameter away/,
    ],
    [
      "a private method",
      `${doc} @Tool({ effect: "read" }) private look(): string { return ""; }`,
      /private method cannot be a tool/,
      /Make it public/,
    ],
  ])("%s", async (_, member, reason, fix) => {
    const { ok, problems } = await buildSource(`export class Tools { ${member} }`);
    expect(ok).toBe(false);
    expect(problems.map((problem) => [problem.file, problem.reason, problem.fix])).toEqual([
      ["src/tools.ts", expect.stringMatching(reason), expect.stringMatching(fix)],
    ]);
  });
});
