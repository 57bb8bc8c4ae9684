import { Agent, type AgentOptions, customTool, defineMiddleware, defineOutput, defineTool, handoff } from "@toolwright/core";
import { approval, toolGuard } from "@toolwright/core/middleware";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

async function agentOn(script: Script, options: Omit<AgentOptions<unknown>, "model" | "output">) {
  const stand = await serve(script);
  const agent = (more: Omit<Partial<AgentOptions<unknown>>, "output"> = {}): Agent =>
    new Agent({ model: "test", client: stand.client, ...options, ...more });
  return { stand, agent, [Symbol.asyncDispose]: () => stand.server.close() };
}

describe("what waits goes on waiting until a person has decided", () => {
  const script = () => [reply.calls(callOf("ask", "call_1", 1), callOf("ask", "call_2", 2)), reply.text("Done.")];

  it("also when the tool's predicate says no by then", async () => {
    let needed = true;
    const ran: number[] = [];
    const ask = defineTool({
      name: "ask",
      description: "Asks.",
      effect: "write",
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      approval: () => needed,
      execute: ({ n }) => ran.push(Number(n)),
    });
    await using run = await agentOn(script(), { tools: [ask] });
    const paused = await pause(ends(run.agent().run("Go.")));
    needed = false;
    const half = await pause(ends(run.agent().resume(JSON.stringify(paused.state), { decisions: approve("call_1") })));
    expect(half.interruptions.map(({ callId }) => callId)).toEqual(["call_2"]);
    expect(ran).toEqual([1]);
  });

  it.each([
    ["approval", () => approval({ tools: ["ask"] })],
    ["toolGuard", () => toolGuard({ mayAsk: true, check: () => ({ ask: true }) })],
  ])("also when the agent that resumes has no %s", async (_, layer) => {
    const ran: number[] = [];
    await using run = await agentOn(script(), { tools: [numberTool("ask", (n) => ran.push(n), { effect: "write" })] });
    const paused = await pause(ends(run.agent({ middleware: [layer()] }).run("Go.")));
    const half = await pause(ends(run.agent().resume(paused.state, { decisions: [{ callId: "call_1", approve: false }] })));
    expect(half.interruptions.map(({ callId }) => callId)).toEqual(["call_2"]);
    expect(ran).toEqual([]);
    const result = await ends(run.agent().resume(half.state, { decisions: approve("call_2") }));
    expect(result.output).toBe("Done.");
    expect(ran).toEqual([2]);
  });

  it("a tool that cannot say whether it needs approval does not run", async () => {
    const ran: number[] = [];
    const ask = defineTool({
      name: "ask",
      description: "Asks.",
      effect: "write",
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      approval: ({ n }) => {
        if (n === 1) throw new Error("the policy server is down");
        return "no" as unknown as boolean;
      },
      execute: ({ n }) => ran.push(Number(n)),
    });
    await using run = await agentOn(script(), { tools: [ask] });
    const result = await ends(run.agent().run("Go."));
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["failed", "failed"]);
    expect(ran).toEqual([]);
  });
});

describe("decisions that say nothing clear are refused, and nothing runs", () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ["an unknown id", [{ callId: "call_9", approve: true }]],
    ["no id", [{ approve: true }]],
    ["two for one call", [...approve("call_1"), { callId: "call_1", approve: false }]],
    ["a text for a yes", [{ callId: "call_1", approve: "true" }]],
    ["both words", [{ callId: "call_1", approve: true, resolve: "done", output: 1 }]],
    ["a reason for a yes", [{ callId: "call_1", approve: true, reason: "fine" }]],
    ["arguments for a no", [{ callId: "call_1", approve: false, arguments: { n: 2 } }]],
    ["a resolution where approval is asked", [{ callId: "call_1", resolve: "absent" }]],
    ["another word", [{ callId: "call_1", resolve: "maybe" }]],
    ["a call that needs none", [{ callId: "call_2", approve: true }]],
    ["no decision", [null]],
    ["no list", { callId: "call_1", approve: true }],
    ["a reason that is no text", [{ callId: "call_1", approve: false, reason: 7 }]],
  ];

  it.each(bad)("%s", async (_, decisions) => {
    const ran: number[] = [];
    const tools = [numberTool("ask", (n) => ran.push(n), { effect: "write", approval: true }), numberTool("look", (n) => n)];
    await using run = await agentOn([reply.calls(callOf("ask", "call_1", 1), callOf("look", "call_2", 2))], { tools });
    const { state } = await pause(ends(run.agent().run("Go.")));
    const error = await failureOf(run.agent().resume(state, { decisions: decisions as never }));
    expect(error).toMatchObject({ code: "RUN_STATE", who: "developer" });
    expect(error.message).toMatch(/\nFix: /);
    expect(ran).toEqual([]);
    expect(run.stand.server.requests).toHaveLength(1);
  });
});

it("a custom tool's text can be edited, and is run as edited", async () => {
  const seen: string[] = [];
  const query = customTool({ name: "query", description: "Runs SQL.", approval: true, execute: (input) => (seen.push(input), 1) });
  const call = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "query", input: "drop table a" };
  await using run = await agentOn([reply.items([call]), reply.text("One.")], { tools: [query] });
  const paused = await pause(ends(run.agent().run("Go.")));
  expect(paused.interruptions).toEqual([{ callId: "call_1", tool: "query", arguments: { input: "drop table a" }, reason: "approval" }]);
  const decisions = [{ callId: "call_1", approve: true, arguments: { input: "select 1" } }] as const;
  await ends(run.agent().resume(JSON.stringify(paused.state), { decisions }));
  expect(seen).toEqual(["select 1"]);
});

it("a handoff waits for a person as any call does, and takes place when it is approved", async () => {
  const transfer = { name: "transfer_to_billing", callId: "call_t", arguments: {} };
  await using stand = await serve([reply.calls(transfer, callOf("look", "call_1", 1)), reply.text("Billing here.")]);
  const billing = new Agent({ name: "billing", model: "billing-model", client: stand.client });
  const tools = [handoff(billing), numberTool("look", (n) => n)];
  const agent = new Agent({ model: "desk-model", client: stand.client, tools, middleware: [approval({ tools: ["transfer_to_billing"] })] });
  const paused = await pause(ends(agent.run("Hello.")));
  const state = JSON.stringify(paused.state);
  expect(await ends(agent.resume(state, { decisions: approve("call_t") }))).toMatchObject({ output: "Billing here.", agent: "billing" });
  expect(stand.server.request(1).body.model).toBe("billing-model");
  await expect(agent.resume(state, { decisions: approve("call_t") })).rejects.toMatchObject({ code: "RUN_STATE" });
  expect(stand.server.requests).toHaveLength(2);
});

it("repairs of the answer that were used up before a pause stay used up", async () => {
  const number = defineOutput({
    name: "number",
    description: "A number.",
    schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  });
  await using stand = await serve([
    reply.text("seven"),
    reply.calls(callOf("ask", "call_1", 1)),
    reply.text("seven"),
    reply.text('{"n":7}'),
  ]);
  const ask = numberTool("ask", (n) => n, { effect: "write", approval: true });
  const agent = new Agent({ model: "test", client: stand.client, tools: [ask], output: number, outputRepairs: 1 });
  const paused = await ends(agent.run("Which?"));
  const error = await failureOf(agent.resume(JSON.stringify(paused.state), { decisions: approve("call_1") }));
  expect(error).toMatchObject({ code: "RUN_OUTPUT", details: { output: "number" } });
  expect(stand.server.requests).toHaveLength(3);
});

it("an agent that had acted before it paused, and fails after it, is in doubt", async () => {
  const replies = new Map([
    ["outer", [reply.calls({ name: "helper", callId: "call_h", arguments: { input: "Go." } }), reply.text("I see.")]],
    ["inner", [reply.calls(callOf("write", "call_1", 1)), reply.calls(callOf("ask", "call_2", 2)), reply.http(500)]],
  ]);
  await using stand = await serve(({ body }) => replies.get(String(body.model))?.shift() ?? reply.http(500));
  const tools = [numberTool("write", (n) => n, { effect: "write" }), numberTool("ask", (n) => n, { effect: "write", approval: true })];
  const helper = new Agent({ model: "inner", client: stand.client, tools }).asTool({ name: "helper", description: "Helps." });
  const agent = new Agent({ model: "outer", client: stand.client, tools: [helper] });
  const paused = await pause(ends(agent.run("Go.")));
  const decisions = [{ callId: "call_h/call_2", approve: false }] as const;
  const result = await ends(agent.resume(JSON.stringify(paused.state), { decisions }));
  expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "unknown", error: { code: "TOOL_AGENT_FAILED" } });
  expect(errorIn(outputsIn(inputOf(stand.server.requests.at(-1) as never))[0]?.[1]).message).toContain("Do not repeat it");
});

it("the state of a middleware goes on from where it was", async () => {
  const seen: number[] = [];
  const count = defineMiddleware({
    name: "count",
    state: () => ({ calls: 0 }),
    wrapToolCall: async (call, next, { state }) => (seen.push((state.calls += 1)), next(call)),
  });
  const tools = [numberTool("ask", (n) => n, { effect: "write", approval: true }), numberTool("look", (n) => n)];
  const script = [reply.calls(callOf("look", "call_0", 0)), reply.calls(callOf("ask", "call_1", 1)), reply.text("Done.")];
  await using run = await agentOn(script, { tools, middleware: [count] });
  const paused = await pause(ends(run.agent().run("Go.")));
  expect(paused.state.middleware).toEqual({ count: { calls: 2 } });
  await ends(run.agent().resume(JSON.stringify(paused.state), { decisions: approve("call_1") }));
  expect(seen).toEqual([1, 2, 3]);
});
