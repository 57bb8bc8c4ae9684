import { Agent, defineTool, ToolError } from "@toolwright/core";
import { standard, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

type Kind = { readonly effect?: "read" | "write" | "destructive"; readonly idempotent?: boolean };

/** The effect happens, then the answer is lost. */
function ambiguous(kind: Kind, thrown: () => unknown) {
  const keys: string[] = [];
  const tool = defineTool({
    name: "pay",
    description: "Pays.",
    ...kind,
    parameters: { type: "object", properties: {} },
    execute: (_args, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      throw thrown();
    },
  });
  return { keys, tool };
}

async function runWith(kind: Kind, thrown: () => unknown, middleware = [toolErrors(), toolRetry({ minDelayMs: 1 })]) {
  await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "pay" }), reply.text("Done.")]);
  const { keys, tool } = ambiguous(kind, thrown);
  const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), tools: [tool], middleware });
  const result = await agent.run("Pay.");
  const output = (server.request(1).body.input as { type: string; output?: string }[]).find(
    ({ type }) => type === "function_call_output",
  )?.output;
  server.assertDone();
  return { attempts: keys.length, keys: new Set(keys).size, call: result.steps[0]?.calls[0], output };
}

const lost = (): Error => new Error("read ETIMEDOUT");

describe("M02: a tool retry repeats reads and idempotent tools only", () => {
  it.each<readonly [string, Kind, number, string]>([
    ["a read", { effect: "read" }, 3, "failed"],
    ["an idempotent write", { effect: "write", idempotent: true }, 3, "failed"],
    ["a write", { effect: "write" }, 1, "unknown"],
    ["a destructive tool", { effect: "destructive" }, 1, "unknown"],
    ["a tool without a declared effect", {}, 1, "failed"],
  ])("runs %s %s as often as it may", async (_name, kind, attempts, outcome) => {
    const run = await runWith(kind, lost);
    expect(run).toMatchObject({ attempts, keys: 1, call: { attempts, outcome: { kind: outcome } } });
  });

  it("does not invite the model to repeat a write of unknown outcome", async () => {
    const { output } = await runWith({ effect: "write" }, lost);
    const { error } = JSON.parse(output as string) as { error: { retryable: boolean; message: string } };
    expect(error.retryable).toBe(false);
    expect(error.message).toMatch(/do not repeat/i);
  });

  it("heeds a ToolError's word", async () => {
    const no = (): ToolError => new ToolError({ code: "CLOSED", message: "Closed." });
    const yes = (): ToolError => new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
    expect(await runWith({ effect: "read" }, no)).toMatchObject({ attempts: 1 });
    expect(await runWith({ effect: "read" }, yes)).toMatchObject({ attempts: 3 });
    expect(await runWith({ effect: "write" }, yes)).toMatchObject({ attempts: 1, call: { outcome: { kind: "failed" } } });
  });

  it("repeats nothing without the middleware", async () => {
    expect(await runWith({ effect: "read" }, lost, [])).toMatchObject({ attempts: 1 });
    expect(await runWith({ effect: "read" }, lost, standard())).toMatchObject({ attempts: 3 });
  });

  it("never repeats bad arguments or an unknown tool", async () => {
    await using server = await startResponsesServer([
      reply.calls(
        { callId: "call_1", name: "pay", arguments: { surplus: 1 } },
        { callId: "call_2", name: "pya" },
        { callId: "call_3", name: "pay", arguments: "{" },
      ),
      reply.text("Done."),
    ]);
    const { keys, tool } = ambiguous({ effect: "read" }, lost);
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools: [tool],
      middleware: standard(),
    });
    const result = await agent.run("Pay.");
    expect(keys).toEqual([]);
    expect(result.steps[0]?.calls.map(({ outcome, attempts }) => [outcome.kind, attempts])).toEqual([
      ["invalid", 0],
      ["invalid", 0],
      ["invalid", 0],
    ]);
  });
});
