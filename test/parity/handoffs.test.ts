import {
  Agent,
  type AgentOptions,
  defineMiddleware,
  defineOutput,
  type DefinedTool,
  handoff,
  memorySession,
  type ToolContext,
} from "@toolwright/core";
import { toolSelection } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf, runIn, waysAndHistories } from "../support/ways.js";
import { paused } from "./support.js";

const transfer = (callId = "call_t", name = "transfer_to_billing") => ({ name, callId, id: `fc_of_${callId}`, arguments: {} });

/** Two agents, of which the first may hand over to the second. */
function two(stand: Stand, billing: Partial<AgentOptions> = {}, desk: Partial<AgentOptions> = {}, how = {}) {
  const other = new Agent({ name: "billing", model: "billing-model", client: stand.client, ...billing });
  const tools = [handoff(other, how), ...((desk.tools ?? []) as DefinedTool[])];
  return { other, agent: new Agent({ name: "desk", model: "desk-model", client: stand.client, ...desk, tools }) };
}

const toolNames = (stand: Stand, index: number) => (stand.server.request(index).body.tools ?? []).map(({ name }) => name);

describe.each(waysAndHistories)("a conversation with a handoff ($way, $kind)", ({ way, history }) => {
  it("offers a tool named for the agent, and the next run begins with the first agent, on the whole history", async () => {
    await using stand = await serve([reply.calls(transfer()), reply.text("Billing here."), reply.text("Desk here.")]);
    const { agent } = two(stand, {}, { history });
    const first = await ends(runIn(way, agent, "My bill."));
    expect(first).toMatchObject({ output: "Billing here.", agent: "billing" });
    const second = await ends(runIn(way, agent, "Thanks.", { history: first.history }));
    expect(second).toMatchObject({ output: "Desk here.", agent: "desk" });
    const models = [0, 1, 2].map((index) => stand.server.request(index).body.model);
    expect(models).toEqual(["desk-model", "billing-model", "desk-model"]);
    expect(stand.server.request(2).context.map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "message",
      "message",
    ]);
    expect(toolNames(stand, 0)).toEqual(["transfer_to_billing"]);
    expect(toolNames(stand, 1)).toEqual([]);
  });

  it("may go on with the other agent, which is one like any", async () => {
    await using stand = await serve([reply.calls(transfer()), reply.text("Billing here."), reply.text("Billing again.")]);
    const { agent, other } = two(stand, {}, { history });
    const first = await ends(runIn(way, agent, "My bill."));
    expect(await ends(runIn(way, other, "Go on.", { history: first.history }))).toMatchObject({ output: "Billing again." });
  });

  it("counts steps in all, whoever makes them", async () => {
    await using stand = await serve([
      reply.calls(transfer()),
      reply.calls(callOf("look", "call_1", 1)),
      reply.calls(callOf("look", "call_2", 2)),
    ]);
    const { agent } = two(stand, { tools: [numberTool("look", () => 1)], maxSteps: 99 }, { history, maxSteps: 3 });
    const error = await ends(failureOf(runIn(way, agent, "My bill.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", result: { agent: "billing", usage: { requests: 3 } } });
  });
});

it("name and description of the tool can be the application's own", async () => {
  await using stand = await serve([reply.calls(transfer("call_t", "ask_billing")), reply.text("Billing.")]);
  const { agent } = two(stand, {}, {}, { name: "ask_billing", description: "Only for bills." });
  expect(await ends(agent.run("Go."))).toMatchObject({ output: "Billing." });
  expect(stand.server.request(0).body.tools).toMatchObject([{ name: "ask_billing", description: "Only for bills.", strict: true }]);
});

it("takes no arguments: some that are made up are answered as wrong, and nobody takes over", async () => {
  await using stand = await serve([reply.calls({ ...transfer(), arguments: { reason: "money" } }), reply.text("Still the desk.")]);
  const { agent } = two(stand);
  expect(await ends(agent.run("Go."))).toMatchObject({ output: "Still the desk.", agent: "desk" });
  expect(errorIn(outputsIn(inputOf(stand.server.request(1)))[0]?.[1]).code).toBe("TOOL_ARGUMENTS_INVALID");
});

it("a handoff and a tool of one name are an error when the agent is made", () => {
  const billing = new Agent({ name: "billing", model: "m" });
  expect(() => new Agent({ model: "m", tools: [handoff(billing), numberTool("transfer_to_billing", () => 1)] })).toThrow(
    expect.objectContaining({ code: "TOOL_NAME_CLASH" }),
  );
  expect(() => new Agent({ model: "m", tools: [handoff(billing), handoff(billing)] })).toThrow(
    expect.objectContaining({ code: "TOOL_NAME_CLASH" }),
  );
});

it("a choice that the other agent forces is obeyed, though the first one's was", async () => {
  await using stand = await serve([reply.calls(transfer()), reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
  const settings = { tool_choice: "required" } as const;
  const { agent } = two(stand, { tools: [numberTool("look", () => 1)], settings }, { settings });
  await ends(agent.run("Go."));
  expect([0, 1, 2].map((index) => stand.server.request(index).body["tool_choice"])).toEqual(["required", "required", "auto"]);
});

it("settings are the answering agent's own", async () => {
  await using stand = await serve([reply.calls(transfer()), reply.text("Done.")]);
  const { agent } = two(stand, { settings: { temperature: 0.25 } }, { settings: { temperature: 1, top_p: 0.5 } });
  await ends(agent.run("Go."));
  expect(stand.server.request(1).body["temperature"]).toBe(0.25);
  expect(stand.server.request(1).body["top_p"]).toBeUndefined();
});

it("the pipeline stays that of the first agent, and knows who answers: it may keep items from the other", async () => {
  await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.calls(transfer()), reply.text("Done.")]);
  const asked: unknown[] = [];
  const filter = defineMiddleware({
    name: "filter",
    wrapModelCall: (call, next, { run }) => {
      asked.push([run.agent, run.model, run.tools.map(({ name }) => name)]);
      if (run.agent !== "billing") return next(call);
      const input = call.request.input.filter(({ type }) => type === "message");
      return next({ ...call, request: { ...call.request, input } });
    },
  });
  const never = defineMiddleware({ name: "never", wrapModelCall: () => Promise.reject(new Error("asked")) });
  const { agent } = two(stand, { middleware: [never] }, { middleware: [filter], tools: [numberTool("look", () => "seen") as never] });
  const result = await ends(agent.run("My bill."));
  expect(asked).toEqual([
    ["desk", "desk-model", ["transfer_to_billing", "look"]],
    ["desk", "desk-model", ["transfer_to_billing", "look"]],
    ["billing", "billing-model", []],
  ]);
  expect(inputOf(stand.server.request(2)).map(({ type }) => type)).toEqual(["message"]);
  expect(result.items).toHaveLength(6);
});

it("can be offered to some requests only", async () => {
  await using stand = await serve([reply.calls(transfer()), reply.text("Still the desk.")]);
  const select = toolSelection({
    select: (_, { run }) => run.tools.filter(({ name }) => !name.startsWith("transfer_")).map(({ name }) => name),
  });
  const { agent } = two(stand, {}, { middleware: [select], tools: [numberTool("look", () => 1) as never] });
  expect(await ends(agent.run("Go."))).toMatchObject({ output: "Still the desk.", agent: "desk" });
  expect(toolNames(stand, 0)).toEqual(["look"]);
});

it("the context of the caller goes to the other agent's tools and instructions", async () => {
  await using stand = await serve([reply.calls(transfer()), reply.calls(callOf("who", "call_1", 1)), reply.text("Done.")]);
  const seen: unknown[] = [];
  const who = numberTool("who", (_, { app }: ToolContext) => seen.push(app));
  const { agent } = two(stand, { tools: [who], instructions: ({ app }) => `For ${String(app)}.` });
  await ends(agent.run("Go.", { app: "Ada" }));
  expect([seen, stand.server.request(1).body.instructions]).toEqual([["Ada"], "For Ada."]);
});

it("an answer of the first agent's form is not asked of the other", async () => {
  const Fair = defineOutput({ name: "fair", schema: { type: "object", properties: { fair: { type: "boolean" } }, required: ["fair"] } });
  await using stand = await serve([reply.calls(transfer()), reply.text("In words.")]);
  const { agent } = two(stand, {}, { output: Fair as never });
  expect(await ends(agent.run("Go."))).toMatchObject({ output: "In words." });
  expect(stand.server.request(1).body.text).toBeUndefined();
});

it("is kept in a session like any call, and the next run goes on from there", async () => {
  await using stand = await serve([reply.calls(transfer()), reply.text("Billing here."), reply.text("Desk here.")]);
  const session = memorySession();
  const { agent } = two(stand, {}, { history: { kind: "local", session } });
  await ends(agent.run("My bill."));
  await ends(agent.run("Thanks."));
  const { items, unfinished } = await session.load();
  expect(items.map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output", "message", "message", "message"]);
  expect(unfinished).toBeUndefined();
});

it("is told to a stream once, between the step that made it and the first of the other agent", async () => {
  await using stand = await serve([reply.calls(transfer("call_1"), transfer("call_2")), reply.text("Done.")]);
  const { events } = await ends(collect(two(stand).agent, "Go."));
  const types = events.map(({ type }) => type).filter((type) => ["step-start", "step-end", "handoff"].includes(type));
  expect(types).toEqual(["step-start", "step-end", "handoff", "step-start", "step-end"]);
});

it("an aborted run hands nothing over", async () => {
  await using stand = await serve([reply.calls(transfer())]);
  const controller = new AbortController();
  const stop = defineMiddleware({ name: "stop", onEvent: ({ type }) => void (type === "tool-start" && controller.abort()) });
  const { agent } = two(stand, {}, { middleware: [stop] });
  const error = await ends(failureOf(agent.run("Go.", { signal: controller.signal })));
  expect([error.code, error.result.agent, stand.server.requests.length]).toEqual(["RUN_ABORTED", "desk", 1]);
});

it("there and back again, a pause in between keeps the way", async () => {
  await using stand = await serve([
    reply.calls(transfer("call_1")),
    reply.calls(transfer("call_2", "back")),
    reply.calls(callOf("ask", "call_3", 1), transfer("call_4")),
    reply.text("Billing at last."),
  ]);
  const make = (): Agent => {
    const billing: Agent = new Agent({ name: "billing", model: "b", client: stand.client, tools: [handoff(() => desk, { name: "back" })] });
    const ask = numberTool("ask", () => "asked", { effect: "write", approval: true });
    const desk: Agent = new Agent({ name: "desk", model: "d", client: stand.client, tools: [handoff(billing), ask] });
    return desk;
  };
  const first = await paused(make().run("Go."));
  expect(first.agent).toBe("desk");
  const result = await ends(make().resume(JSON.stringify(first.state), { decisions: [{ callId: "call_3", approve: true }] }));
  expect(result).toMatchObject({ output: "Billing at last.", agent: "billing" });
  expect([0, 1, 2, 3].map((index) => stand.server.request(index).body.model)).toEqual(["d", "b", "d", "b"]);
});
