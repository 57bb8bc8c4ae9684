import { Agent, defineTool, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, outputsIn, serve } from "../support/serve.js";

function payments() {
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    effect: "write",
    resource: "account",
    approval: true,
    parameters: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
    execute: ({ amount }) => {
      paid.push(Number(amount));
      return { amount };
    },
  });
  return { paid, pay };
}

const twoPayments = () =>
  reply.calls({ callId: "call_1", name: "pay", arguments: { amount: 1 } }, { callId: "call_2", name: "pay", arguments: { amount: 2 } });

async function paused(agent: Agent): Promise<RunState> {
  const result = await agent.run("Pay.");
  if (result.stopReason !== "interrupted") throw new Error(result.stopReason);
  return result.state;
}

describe("a person's decision", () => {
  it("is kept while its call waits behind another one, also through JSON", async () => {
    await using stand = await serve([twoPayments(), reply.text("Paid.")]);
    const { paid, pay } = payments();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const first = await agent.resume(JSON.stringify(await paused(agent)), { decisions: [{ callId: "call_2", approve: true }] });
    expect(first).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_1" }] });
    expect(paid).toEqual([]);
    const last = await agent.resume(JSON.stringify(first.state), { decisions: [{ callId: "call_1", approve: true }] });
    expect(last).toMatchObject({ stopReason: "completed", output: "Paid." });
    expect(paid).toEqual([1, 2]);
    expect(outputsIn(inputOf(stand.server.request(1))).map(([callId]) => callId)).toEqual(["call_1", "call_2"]);
  });

  it("counts once: the same state resumed again runs nothing", async () => {
    await using stand = await serve([twoPayments(), reply.text("Paid.")]);
    const { paid, pay } = payments();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const state = await paused(agent);
    const decisions = [
      { callId: "call_1", approve: true },
      { callId: "call_2", approve: false, reason: "Too much." },
    ] as const;
    expect(await agent.resume(state, { decisions })).toMatchObject({ output: "Paid." });
    await expect(agent.resume(state, { decisions })).rejects.toMatchObject({
      code: "RUN_STATE",
      details: { callId: expect.stringMatching(/^call_/) },
    });
    expect(paid).toEqual([1]);
    expect(stand.server.requests).toHaveLength(2);
  });
});
