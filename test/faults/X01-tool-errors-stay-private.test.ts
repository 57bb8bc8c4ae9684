import { inspect } from "node:util";
import { Agent, defineTool, Tool, ToolError, ToolRegistry } from "@toolwright/core";
import { logging, standard, toolErrors } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { object, toolkit } from "../support/call-tool.js";
import { outputsIn, inputOf, serve } from "../support/serve.js";

const secret = "db://user:pw@host.internal/srv/data";

/** Everything that an error may drag along. */
function deep(): Error {
  const inner = Object.assign(new Error(`inner ${secret}`), { path: "/srv/data/keys.pem", address: "10.0.0.7" });
  return Object.assign(new Error(`connect ${secret}`, { cause: new AggregateError([inner], secret, { cause: inner }) }), {
    config: { password: "pw@" },
  });
}

function refuse(): never {
  throw deep();
}

const throwing = (name: string, thrown: () => unknown, effect: "read" | "write" = "read") =>
  defineTool({
    name,
    description: "Fails.",
    effect,
    parameters: { type: "object", properties: {} },
    execute: () => {
      throw thrown();
    },
  });

/** Runs calls of all tools at once, and gives what the model read of each, and all that was sent. */
async function read(tools: ConstructorParameters<typeof Agent>[0]["tools"] & object, names: readonly string[], middleware = standard()) {
  const calls = names.map((name, index) => ({ callId: `call_${index}`, name, arguments: {} }));
  await using stand = await serve([reply.calls(...calls), reply.text("Done.")]);
  await new Agent({ model: "test", client: stand.client, tools, middleware }).run("Go.");
  return {
    outputs: outputsIn(inputOf(stand.server.request(1))).map(([, output]) => String(output)),
    sent: stand.server.requests.map(({ body }) => JSON.stringify(body)).join("\n"),
  };
}

const isPrivate = /pw@|db:|host\.internal|\/srv\/|10\.0\.0\.7|password|\bat \S+ \(|\.test\.ts|node_modules/;

describe("X01: what a tool throws is not for the model", () => {
  const cases: readonly (readonly [string, () => unknown])[] = [
    ["an error with a chain of causes", deep],
    ["an error without a message", () => new Error("", { cause: deep() })],
    ["a text", () => secret],
    ["an object", () => ({ message: secret, stack: secret, code: secret })],
    ["nothing", () => undefined],
    [
      "an error whose message cannot be read",
      () =>
        Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw deep();
          },
        }),
    ],
    ["an error that says it is a ToolError", () => Object.assign(deep(), { name: "ToolError", code: secret, retryable: true })],
    ["an error with a `toJSON`", () => Object.assign(deep(), { toJSON: () => secret, toString: () => secret })],
  ];

  it.each(cases)("%s", async (_, thrown) => {
    const { outputs, sent } = await read([throwing("look", thrown), throwing("change", thrown, "write")], ["look", "change"]);
    expect(JSON.parse(outputs[0] ?? "")).toEqual({
      error: {
        code: "TOOL_FAILED",
        message: expect.stringMatching(/^The tool failed \(reference [0-9a-f]{8}\)\.$/),
        retryable: expect.any(Boolean),
      },
    });
    expect(JSON.parse(outputs[1] ?? "")).toEqual({
      error: {
        code: "TOOL_OUTCOME_UNKNOWN",
        message: expect.stringMatching(/^change broke off \(reference [0-9a-f]{8}\)/),
        retryable: false,
      },
    });
    expect(sent).not.toMatch(isPrivate);
  });

  it("a ToolError says to the model what it says, and keeps its cause to itself", async () => {
    const { outputs, sent } = await read(
      [throwing("look", () => new ToolError({ code: "CITY_CLOSED", message: "No data for this city today.", cause: deep() }))],
      ["look"],
    );
    expect(JSON.parse(outputs[0] ?? "")).toEqual({
      error: { code: "CITY_CLOSED", message: "No data for this city today.", retryable: false },
    });
    expect(sent).not.toMatch(isPrivate);
  });

  it("nor are failures around the tool: of its approval, its arguments, its package", async () => {
    class Dto {
      readonly broken = refuse();
    }
    class Tools {
      @Tool({ effect: "read" })
      take(dto: Dto): string {
        return String(dto);
      }
    }
    const made = toolkit(Tools, { take: { parameters: object({}), decode: { dto: "Dto" }, call: [{ arguments: true }] } }, { Dto });
    const guarded = defineTool({
      name: "guarded",
      description: "Asks first.",
      effect: "read",
      parameters: { type: "object", properties: {} },
      approval: () => {
        throw deep();
      },
      execute: () => "done",
    });
    const tool = { name: "packaged", method: "look", description: "Looks.", effect: "read", parameters: object({}), call: [] };
    const manifest = { format: 1, package: "p", version: "1.0.0", toolkits: [{ format: 1, className: "T", package: "p", tools: [tool] }] };
    const registry = ToolRegistry.from([{ manifest, load: () => Promise.reject(deep()) }]);
    const { outputs, sent } = await read([made, guarded, registry], ["take", "guarded", "packaged"]);
    for (const output of outputs)
      expect(JSON.parse(output)).toMatchObject({
        error: { code: "TOOL_FAILED", message: expect.stringMatching(/could not start \(reference/) },
      });
    expect(outputs).toHaveLength(3);
    expect(sent).not.toMatch(isPrivate);
  });

  it("the application finds it in its log, under the reference that the model was given, and as the outcome's cause", async () => {
    const lines: string[] = [];
    const error = new Error("the table is locked");
    await using stand = await serve([reply.calls({ callId: "call_1", name: "look", arguments: {} }), reply.text("Done.")]);
    const log = logging({ format: "json", stream: { write: (line: string) => void lines.push(line) } });
    const agent = new Agent({ model: "test", client: stand.client, tools: [throwing("look", () => error)], middleware: [log] });
    const [call] = (await agent.run("Go.")).steps[0]?.calls ?? [];
    if (call?.outcome.kind !== "failed") throw new Error(call?.outcome.kind);
    expect(call.outcome.cause).toBe(error);
    const [, reference = ""] = /reference ([0-9a-f]+)/.exec(call.outcome.error.message) ?? [];
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        tool: "look",
        error: expect.stringContaining(reference),
        cause: expect.objectContaining({ message: "the table is locked" }),
      }),
    );
    // Printed or sent on, the outcome has the public side alone.
    expect(JSON.stringify(call) + inspect(call, { depth: 10 })).not.toContain("locked");
  });

  it("what `toolErrors` is told to show is shown", async () => {
    const format = () => "Try another city.";
    const { outputs } = await read([throwing("look", deep)], ["look"], [toolErrors({ format })]);
    expect(outputs).toEqual(["Try another city."]);
  });
});
