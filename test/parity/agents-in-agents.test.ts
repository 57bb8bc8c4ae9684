import { Agent, handoff } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { resumeIn, runIn, waysAndHistories } from "../support/ways.js";
import { paused } from "./support.js";

const ask = (callId = "call_1") => ({ name: "helper", callId, id: `fc_of_${callId}`, arguments: { input: "x" } });
const transfer = { name: "transfer_to_payer", callId: "call_t", id: "fc_of_call_t", arguments: {} };

/** A desk that asks a helper, which hands over to a payer, whose payments wait for a person. */
function desk(stand: Stand, history?: { kind: "local" } | { kind: "chained" }) {
  const paid: number[] = [];
  const pay = numberTool("pay", (n) => (paid.push(n), `paid ${n}`), { effect: "write", approval: true });
  const payer = new Agent({ name: "payer", model: "payer", client: stand.client, tools: [pay] });
  const helper = new Agent({ name: "helper", model: "helper", client: stand.client, tools: [handoff(payer)] });
  const tools = [helper.asTool({ name: "helper", description: "Helps." })];
  return { paid, agent: new Agent({ name: "desk", model: "desk", client: stand.client, tools, history }) };
}

describe.each(waysAndHistories)("an agent in an agent that hands over ($way, $kind)", ({ way, history }) => {
  it("answers by the agent that took over, also after a pause, in another process", async () => {
    await using stand = await serve([
      reply.calls(ask()),
      reply.calls(transfer),
      reply.calls(callOf("pay", "call_p", 5)),
      reply.text("Paid five."),
      reply.text("All done."),
    ]);
    const kind = history as { kind: "local" } | { kind: "chained" };
    const first = await paused(runIn(way, desk(stand, kind).agent, "Go."));
    expect(first.interruptions).toMatchObject([{ callId: "call_1/call_p", path: ["helper"], tool: "pay" }]);
    const later = desk(stand, kind);
    const state = JSON.parse(JSON.stringify(first.state)) as typeof first.state;
    const result = await ends(resumeIn(way, later.agent, state, { decisions: [{ callId: "call_1/call_p", approve: true }] }));
    expect(result).toMatchObject({ output: "All done.", agent: "desk", usage: { requests: 5 } });
    expect(later.paid).toEqual([5]);
    const models = [0, 1, 2, 3, 4].map((index) => stand.server.request(index).body.model);
    expect(models).toEqual(["desk", "helper", "payer", "payer", "desk"]);
    const { context } = stand.server.request(4);
    expect(outputsIn(context)).toEqual([["call_1", "Paid five."]]);
    stand.server.assertDone();
  });

  it("of a pause that nobody decides, a new run knows that the call was not run", async () => {
    await using stand = await serve([
      reply.calls(ask()),
      reply.calls(transfer),
      reply.calls(callOf("pay", "call_p", 5)),
      reply.text("As you like."),
    ]);
    const { agent, paid } = desk(stand, history as { kind: "local" });
    const first = await paused(runIn(way, agent, "Go."));
    const result = await ends(runIn(way, agent, "Never mind.", { history: first.history }));
    expect(result).toMatchObject({ output: "As you like." });
    expect(paid).toEqual([]);
    expect(outputsIn(stand.server.request(3).context)).toEqual([["call_1", expect.stringContaining("TOOL_SKIPPED")]]);
  });
});

it.each([
  [{ resolve: "done", output: "It was paid." } as const, ["once"]],
  [{ resolve: "absent" } as const, ["once", "once more"]],
])("a write of unknown outcome inside is settled at the top: %j", async (decision, effects) => {
  await using stand = await serve([
    reply.calls(ask()),
    reply.calls(callOf("pay", "call_a", 5)),
    reply.calls(callOf("pay", "call_b", 5)),
    reply.text("Settled."),
    reply.text("All done."),
  ]);
  const done: string[] = [];
  const pay = numberTool(
    "pay",
    () => {
      done.push(done.length === 0 ? "once" : "once more");
      if (done.length === 1) throw new Error("The connection broke.");
      return "paid";
    },
    { effect: "write" },
  );
  const helper = new Agent({ model: "helper", client: stand.client, tools: [pay] });
  const agent = new Agent({ model: "desk", client: stand.client, tools: [helper.asTool({ name: "helper", description: "Helps." })] });
  const { interruptions, state } = await paused(agent.run("Go."));
  expect(interruptions).toMatchObject([{ callId: "call_1/call_b", path: ["helper"], reason: "unknown-outcome" }]);
  expect(await ends(agent.resume(JSON.stringify(state), { decisions: [{ callId: "call_1/call_b", ...decision }] }))).toMatchObject({
    output: "All done.",
  });
  expect(done).toEqual(effects);
});
