import { Agent, type AgentOptions, type ToolContext } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { paused } from "./support.js";

const ask = (args: object, callId = "call_1") => ({ name: "helper", callId, id: `fc_of_${callId}`, arguments: args });

/** An agent with another one as its tool. */
function pair(stand: Stand, how: { readonly approval?: true } = {}, inner: Partial<AgentOptions> = {}) {
  const helper = new Agent({ model: "inner", client: stand.client, ...inner });
  return new Agent({ model: "outer", client: stand.client, tools: [helper.asTool({ name: "helper", description: "Helps.", ...how })] });
}

const firstOutput = (stand: Stand, index: number): unknown => outputsIn(inputOf(stand.server.request(index)))[0]?.[1];

describe("approvals of and inside an agent used as a tool", () => {
  it("of the agent's call itself are asked before its run begins; a refusal means there is none", async () => {
    for (const approve of [true, false]) {
      await using stand = await serve([reply.calls(ask({ input: "x" })), ...(approve ? [reply.text("Inner.")] : []), reply.text("Done.")]);
      const agent = pair(stand, { approval: true });
      const { interruptions, state } = await paused(agent.run("Go."));
      expect(interruptions).toEqual([{ callId: "call_1", tool: "helper", arguments: { input: "x" }, reason: "approval" }]);
      expect(stand.server.requests).toHaveLength(1);
      expect(await ends(agent.resume(JSON.stringify(state), { decisions: [{ callId: "call_1", approve }] }))).toMatchObject({
        output: "Done.",
      });
      stand.server.assertDone();
    }
  });

  it("inside may come one after another, each in a step of its own", async () => {
    await using stand = await serve([
      reply.calls(ask({ input: "x" })),
      reply.calls(callOf("pay", "call_a", 1)),
      reply.calls({ ...callOf("pay", "call_a", 2), id: "fc_again" }),
      reply.text("Paid twice."),
      reply.text("Done."),
    ]);
    const paid: number[] = [];
    const pay = numberTool("pay", (n) => paid.push(n), { effect: "write", approval: true });
    const agent = pair(stand, {}, { tools: [pay] });
    const yes = { decisions: [{ callId: "call_1/call_a", approve: true }] } as const;
    const first = await paused(agent.run("Go."));
    const second = await paused(agent.resume(JSON.stringify(first.state), yes));
    expect([first, second].map(({ interruptions }) => interruptions[0]?.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await ends(agent.resume(JSON.stringify(second.state), yes))).toMatchObject({ output: "Done.", usage: { requests: 5 } });
    expect(paid).toEqual([1, 2]);
    expect(firstOutput(stand, 4)).toBe("Paid twice.");
  });

  it("in several inner runs at once are decided one by one; a finished one is not run again", async () => {
    await using stand = await serve(({ body, context }) => {
      const input = JSON.stringify(body.input);
      const answered = context.some(({ type }) => type === "function_call_output");
      if (body.model === "outer")
        return answered ? reply.text("Done.") : reply.calls(ask({ input: "left" }, "call_l"), ask({ input: "right" }, "call_r"));
      return answered ? reply.text("ok") : reply.calls(callOf("pay", "call_1", input.includes("left") ? 1 : 2));
    });
    const paid: number[] = [];
    const pay = numberTool("pay", (n) => paid.push(n), { effect: "write", approval: true, resource: "thing:{n}" });
    const agent = pair(stand, {}, { tools: [pay] });
    const first = await paused(agent.run("Go."));
    expect(first.interruptions.map(({ callId }) => callId)).toEqual(["call_l/call_1", "call_r/call_1"]);
    const second = await paused(agent.resume(JSON.stringify(first.state), { decisions: [{ callId: "call_r/call_1", approve: true }] }));
    expect([paid, second.interruptions.map(({ callId }) => callId)]).toEqual([[2], ["call_l/call_1"]]);
    const result = await ends(agent.resume(JSON.stringify(second.state), { decisions: [{ callId: "call_l/call_1", approve: true }] }));
    expect(result).toMatchObject({ output: "Done.", usage: { requests: 6 } });
    expect(paid).toEqual([2, 1]);
  });

  it("one call id inside and outside means two calls", async () => {
    await using stand = await serve([
      reply.calls(ask({ input: "x" }, "call_1"), callOf("pay", "call_2", 1)),
      reply.calls(callOf("pay", "call_2", 2)),
      reply.text("ok"),
      reply.text("Done."),
    ]);
    const paid: number[] = [];
    const pay = numberTool("pay", (n) => paid.push(n), { effect: "write", approval: true, resource: "thing:{n}" });
    const helper = new Agent({ model: "inner", client: stand.client, tools: [pay] });
    const agent = new Agent({
      model: "outer",
      client: stand.client,
      tools: [pay, helper.asTool({ name: "helper", description: "Helps." })],
    });
    const { state } = await paused(agent.run("Go."));
    const decisions = [
      { callId: "call_2", approve: false },
      { callId: "call_1/call_2", approve: true },
    ] as const;
    expect(await ends(agent.resume(JSON.stringify(state), { decisions }))).toMatchObject({ output: "Done." });
    expect(paid).toEqual([2]);
  });

  it("the context given with the decisions reaches the tools inside", async () => {
    await using stand = await serve([
      reply.calls(ask({ input: "x" })),
      reply.calls(callOf("who", "call_a", 1)),
      reply.text("ok"),
      reply.text("Done."),
    ]);
    const seen: unknown[] = [];
    const who = numberTool("who", (_, { app }: ToolContext) => seen.push(app), { effect: "write", approval: true });
    const agent = pair(stand, {}, { tools: [who] });
    const { state } = await paused(agent.run("Go.", { app: "Ada" }));
    await ends(agent.resume(JSON.stringify(state), { app: "Grace", decisions: [{ callId: "call_1/call_a", approve: true }] }));
    expect(seen).toEqual(["Grace"]);
  });
});
