import { Agent, defineOutput, handoff, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, waysAndHistories, runIn } from "../support/ways.js";

const transfer = (name: string, callId = "call_t") => ({ name, callId, id: `fc_of_${callId}`, arguments: {} });

/** A desk that hands over to billing, and billing back to the desk. */
function desk(stand: Stand) {
  const executed: string[] = [];
  const common = { client: stand.client };
  const refund = numberTool("refund", (n) => (executed.push(`refund ${n}`), "refunded"), { effect: "write", approval: true });
  const billing: Agent = new Agent({
    ...common,
    name: "billing",
    model: "billing-model",
    instructions: "You do bills.",
    tools: [refund, handoff(() => front as Agent, { name: "back_to_desk" })],
  });
  const greet = numberTool("greet", (n) => (executed.push(`greet ${n}`), "hello"));
  const front: Agent = new Agent({
    ...common,
    name: "desk",
    model: "desk-model",
    instructions: "You greet.",
    tools: [greet, handoff(billing, { description: "For bills." })],
  });
  return { front, billing, executed };
}

describe.each(waysAndHistories)("a handoff ($way, $kind)", ({ way, history }) => {
  it("lets the other agent go on with its model, instructions and tools, on the same history", async () => {
    await using stand = await serve([
      reply.calls(transfer("transfer_to_billing"), callOf("greet", "call_g", 1)),
      reply.calls(transfer("back_to_desk", "call_b")),
      reply.text("Here again."),
    ]);
    const { front, executed } = desk(stand);
    const result = await ends(runIn(way, front, "Hello.", { history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Here again.", agent: "desk", usage: { requests: 3 } });
    const bodies = [0, 1, 2].map((index) => stand.server.request(index).body);
    expect(bodies.map(({ model, instructions }) => [model, instructions])).toEqual([
      ["desk-model", "You greet."],
      ["billing-model", "You do bills."],
      ["desk-model", "You greet."],
    ]);
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
      ["call_t", "Handed over to billing."],
      ["call_g", "hello"],
    ]);
    expect(executed).toEqual(["greet 1"]);
    stand.server.assertDone();
  });
});

it("the first of two handoffs counts", async () => {
  await using stand = await serve([
    reply.calls(transfer("transfer_to_billing", "call_1"), transfer("transfer_to_billing", "call_2")),
    reply.text("Done."),
  ]);
  const { front } = desk(stand);
  await ends(front.run("Hello."));
  const outputs = outputsIn(inputOf(stand.server.request(1)));
  expect(outputs[0]?.[1]).toBe("Handed over to billing.");
  expect(errorIn(outputs[1]?.[1]).code).toBe("TOOL_SKIPPED");
});

it("is told as an event, and a pause after it goes on with the right agent", async () => {
  await using stand = await serve([
    reply.calls(transfer("transfer_to_billing")),
    reply.calls(callOf("refund", "call_r", 5)),
    reply.text("Refunded."),
  ]);
  const { front } = desk(stand);
  const { result: paused, events } = await ends(collect(front, "Hello."));
  expect(events.filter(({ type }) => type === "handoff")).toMatchObject([{ from: "desk", to: "billing" }]);
  if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
  const again = desk(stand);
  const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
  const result = await ends(again.front.resume(state, { decisions: [{ callId: "call_r", approve: true }] }));
  expect(result).toMatchObject({ output: "Refunded.", agent: "billing" });
  expect(again.executed).toEqual(["refund 5"]);
  expect(stand.server.request(2).body.model).toBe("billing-model");
});

it("in the same step as a call that waits, it takes place after the decision", async () => {
  await using stand = await serve([reply.calls(callOf("ask", "call_a", 1), transfer("transfer_to_other")), reply.text("I am the other.")]);
  const other = new Agent({ name: "other", model: "other-model", client: stand.client });
  const ask = numberTool("ask", () => "asked", { effect: "write", approval: true });
  const agent = new Agent({ name: "first", model: "first-model", client: stand.client, tools: [ask, handoff(other)] });
  const paused = await ends(agent.run("Go."));
  if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
  const result = await ends(agent.resume(paused.state, { decisions: [{ callId: "call_a", approve: false }] }));
  expect(result).toMatchObject({ output: "I am the other.", agent: "other" });
});

it("brings its own output", async () => {
  await using stand = await serve([reply.calls(transfer("transfer_to_judge")), reply.text('{"fair":true}')]);
  const Fair = defineOutput({ name: "fair", schema: { type: "object", properties: { fair: { type: "boolean" } }, required: ["fair"] } });
  const judge = new Agent({ name: "judge", model: "m", client: stand.client, output: Fair });
  const result = await ends(new Agent({ model: "m", client: stand.client, tools: [handoff(judge)] }).run("Go."));
  expect(result).toMatchObject({ output: { fair: true } });
});

it("a state that names a handoff which is not there is refused", async () => {
  await using stand = await serve([reply.calls(transfer("transfer_to_billing")), reply.calls(callOf("refund", "call_r", 5))]);
  const { front, billing } = desk(stand);
  const paused = await ends(front.run("Hello."));
  if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
  await expect(billing.resume(paused.state, { decisions: [] })).rejects.toMatchObject({
    code: "RUN_STATE",
    message: expect.stringContaining("transfer_to_billing"),
  });
});

describe("what cannot be a handoff is refused", () => {
  it("an agent without a name", () => {
    expect(() => handoff(new Agent({ model: "m" }))).toThrow(/needs a name/);
  });
  it("something that is no agent", () => {
    expect(() => handoff({} as never)).toThrow(/no agent/);
  });
});
