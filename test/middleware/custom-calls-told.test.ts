import { context } from "@opentelemetry/api";
import { Agent, type Item, type Model } from "@toolwright/core";
import { logging, toolGuard } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalRequest, hostedServer, textCall, textTool } from "../support/custom-calls.js";
import { serve } from "../support/serve.js";
import { followContexts, telemetry, traced } from "../support/telemetry.js";
import { callOf, numberTool } from "../support/tools.js";
import { failureOf } from "../support/ways.js";

beforeAll(followContexts);
afterAll(() => context.disable());

const query = textTool("query", () => "found");

describe("tracing", () => {
  it("tells that such a reply called, and with content what and what came of it", async () => {
    await using to = await telemetry();
    await using stand = await serve([
      reply.items([textCall("query", "call_1", "select password: hunter2-hunter2")]),
      reply.items([approvalRequest("mcpr_1")]),
      reply.text("Done."),
    ]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [query, hostedServer],
      middleware: [traced(to, { content: true })],
    });
    const paused = await agent.run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    await agent.resume(paused.state, { decisions: [{ callId: "mcpr_1", approve: false, reason: "Not now." }] });
    const chats = (await to.flush()).spans.filter(({ name }) => name === "chat test");
    expect(chats.map(({ attributes }) => attributes["gen_ai.response.finish_reasons"])).toEqual([["tool_call"], ["tool_call"], ["stop"]]);
    const last = chats.at(-1)?.attributes["gen_ai.input.messages"];
    const [, call, output, asked, answer] = JSON.parse(String(last)) as readonly object[];
    expect(call).toMatchObject({ role: "assistant", parts: [{ type: "tool_call", id: "call_1", name: "query" }] });
    expect(String(last)).toContain("select password");
    expect(String(last)).not.toContain("hunter2-hunter2");
    expect(output).toEqual({ role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "found" }] });
    expect(asked).toEqual({
      role: "assistant",
      parts: [{ type: "tool_call", id: "mcpr_1", name: "files.delete", arguments: '{"path":"a.txt"}' }],
    });
    expect(answer).toEqual({ role: "tool", parts: [{ type: "tool_call_response", id: "mcpr_1", response: "refused: Not now." }] });
  });
});

describe("logging", () => {
  it("shows nothing of earlier steps when a server quotes them, in the line of the run either", async () => {
    await using stand = await serve([
      reply.calls({ name: "look", callId: "call_1", arguments: '{"n":4711001}' }),
      reply.http(400, { message: "Not understood: secret-instructions, 4711001, secret-output" }),
    ]);
    const written: string[] = [];
    const log = logging({ format: "pretty", stream: { write: (line) => void written.push(line) } });
    const tools = [numberTool("look", () => "secret-output")];
    const agent = new Agent({ model: "test", client: stand.client, instructions: "secret-instructions", tools, middleware: [log] });
    expect(await failureOf(agent.run("Go."))).toMatchObject({ code: "MODEL_BAD_REQUEST" });
    expect(written.filter((line) => line.includes("Not understood"))).toHaveLength(2);
    expect(written.join("")).not.toMatch(/secret|4711/);
  });

  it("counts such calls, and shows nothing of them when a server quotes the request", async () => {
    await using stand = await serve([
      reply.output(
        reply.items([textCall("query", "call_1", "secret-of-the-query"), approvalRequest("mcpr_1", { path: "x" })]),
        reply.calls(callOf("look", "call_2", 1)),
      ),
      reply.http(400, { message: "Not understood: secret-of-the-query, secret-of-the-person" }),
    ]);
    const written: string[] = [];
    const log = logging({ format: "pretty", stream: { write: (line) => void written.push(line) } });
    const tools = [query, hostedServer, numberTool("look", () => 1)];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [log] });
    const paused = await agent.run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(written[0]).toContain("  3 calls  ");
    const decisions = [{ callId: "mcpr_1", approve: false, reason: "secret-of-the-person" }] as const;
    expect(await failureOf(agent.resume(paused.state, { decisions }))).toMatchObject({ code: "MODEL_BAD_REQUEST" });
    expect(written.join("")).toContain("Not understood");
    expect(written.join("")).not.toContain("secret");
  });
});

it("a reference to an item that the server keeps counts as seen, though it leaves its type out", async () => {
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
  const replies: Item[] = [
    { type: "function_call", call_id: "call_1", name: "look", arguments: '{"n":1}' },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] },
  ];
  const model: Model = { name: "test", respond: async () => ({ id: undefined, output: [replies.shift() as Item], usage }) };
  const seen: unknown[] = [];
  const guard = toolGuard({ check: (_, { seen: all }) => (seen.push(...all), { pass: true }) });
  const agent = new Agent({ model, tools: [numberTool("look", () => 1)], middleware: [guard] });
  const items = [{ type: "message", role: "user", content: "Go." }, { id: "msg_kept" } as unknown as Item];
  expect(await agent.run("Go on.", { history: { kind: "local", items } })).toMatchObject({ output: "Done." });
  expect(seen).toEqual([{ tool: undefined, step: 0 }]);
});
