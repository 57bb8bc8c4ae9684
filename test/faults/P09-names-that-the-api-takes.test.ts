import { Agent, defineTool, prefixed, ToolRegistry, ToolwrightError } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it, vi } from "vitest";
import { buildSource } from "../support/build-source.js";
import { serve } from "../support/serve.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const parameters = { type: "object", properties: {} } as const;
const define = (name: string) => defineTool({ name, description: "Does a thing.", effect: "read", parameters, execute: () => "done" });

const taken = ["add", "math_add", "math-add", "MathAdd", "_", "1st", "x".repeat(64), "constructor", "__proto__"];
const refused = ["math.add", "add numbers", "@acme/add", "сложить", "add:1", "", " add", "add\n", "x".repeat(65), "🧮"];

describe("P09: a name that the API would refuse never gets to a request", () => {
  it.each(refused)("%j is refused by `defineTool`", (name) => {
    try {
      define(name);
      expect.unreachable();
    } catch (error) {
      expect(ToolwrightError.is(error, "TOOL_DEFINITION")).toBe(true);
      // The name as it was written, so that it can be found.
      expect((error as Error).message).toContain(JSON.stringify(name));
    }
  });

  it.each([...refused.slice(0, 5), "x".repeat(65)])("%j is refused at build, with its place", async (name) => {
    const { ok, problems } = await buildSource(
      `export class Tools { /** Does what this test is about, no more. */ @Tool({ name: ${JSON.stringify(name)}, effect: "read" }) look(): string { return ""; } }`,
    );
    expect(ok).toBe(false);
    expect(problems).toMatchObject([
      { file: "src/tools.ts", line: 2, reason: expect.stringContaining(name), fix: expect.stringContaining("@Tool({ name:") },
    ]);
  });

  it("a method's own name is held to the limit too, after its prefix", async () => {
    const member = (name: string) =>
      `/** Does what this test is about, no more. */ @Tool({ effect: "read" }) ${name}(): string { return ""; }`;
    const { problems } = await buildSource(`
      export class Long { ${member("x".repeat(70))} }
      @Toolkit({ prefix: "prefix" }) export class Prefixed { ${member("y".repeat(60))} ${member("z".repeat(57))} }`);
    expect(problems.map(({ subject, reason }) => [subject, /"(.*)"/.exec(reason)?.[1]?.length])).toEqual([
      [`Long.${"x".repeat(70)}`, 70],
      [`Prefixed.${"y".repeat(60)}`, 67],
    ]);
  });

  it("methods whose names come to the same are refused", async () => {
    const { problems } = await buildSource(`export class Tools {
      /** Does what this test is about. */ @Tool({ effect: "read" }) getWeather(): string { return ""; }
      /** Does what this test is about. */ @Tool({ effect: "read" }) get_weather(): string { return ""; }
    }`);
    expect(problems).toMatchObject([
      { subject: "Tools.get_weather", reason: expect.stringContaining('Tools.getWeather is named "get_weather"') },
    ]);
  });

  it.each<readonly [string, () => unknown]>([
    [
      "in an allow-list",
      () =>
        ToolRegistry.from([{ manifest: manifestOf("look"), load: () => Promise.reject(new Error("never")) }], {
          allow: { p: { prefix: "@acme/tools-x" } },
        }),
    ],
    ["around an object", () => prefixed("@acme/tools-x", define("look"))],
    [
      "that makes a name too long, in an allow-list",
      () =>
        ToolRegistry.from([{ manifest: manifestOf("look"), load: () => Promise.reject(new Error("never")) }], {
          allow: { p: { prefix: "x".repeat(60) } },
        }),
    ],
    ["that makes a name too long, around an object", () => prefixed("x".repeat(60), define("look"))],
  ])("a prefix %s is held to the same rule", (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(/prefix|x{60}_look/) }));
  });

  it("a manifest with such a name is broken", () => {
    expect(() => ToolRegistry.from([{ manifest: manifestOf("math.add"), load: () => Promise.reject(new Error("never")) }])).toThrow(
      /The manifest of p cannot be used: toolkits\[0\]\.tools\[0\] has no name that the API takes/,
    );
  });

  it("and every name that is taken is one that the API takes", async () => {
    const calls = taken.map((name, index) => ({ callId: `call_${index}`, name, arguments: {} }));
    await using stand = await serve([reply.calls(...calls), reply.text("Done.")]);
    const result = await new Agent({ model: "test", client: stand.client, tools: taken.map(define) }).run("Go.");
    expect(result.steps[0]?.calls.map(({ tool, outcome }) => [tool, outcome.kind])).toEqual(taken.map((name) => [name, "ok"]));
  });
});

function manifestOf(name: string): object {
  const schema = { ...parameters, required: [], additionalProperties: false };
  const tools = [{ name, method: "look", description: "Looks.", effect: "read", parameters: schema, call: [] }];
  return { format: 1, package: "p", version: "1.0.0", toolkits: [{ format: 1, className: "Tools", package: "p", tools }] };
}
