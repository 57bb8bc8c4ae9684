import { Agent, type DefinedTool, type QueryAnswer } from "@toolwright/core";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { payCall, payments } from "../support/payments.js";
import { inputOf, outputsIn, serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

async function agentOn(script: Script, pay: DefinedTool) {
  const stand = await serve(script);
  const agent = (): Agent => new Agent({ model: "test", client: stand.client, tools: [pay] });
  return { stand, agent, [Symbol.asyncDispose]: () => stand.server.close() };
}

/** A payment that breaks off without a word, then the same one again. */
async function doubtful(query?: () => QueryAnswer) {
  const { keys, pay } = payments((attempt) => (attempt === 1 ? Promise.reject(new Error("socket closed")) : "paid"), {
    ...(query !== undefined && { query }),
  });
  const script = [reply.calls(payCall("call_1")), reply.calls(payCall("call_2"), payCall("call_3", "Bob")), reply.text("Done.")];
  return { keys, ...(await agentOn(script, pay)) };
}

describe("a write of unknown outcome, asked for again", () => {
  it.each([
    ["was done", { resolve: "done", output: { receipt: 7 } } as const, ["call_1", "call_3"], '{"receipt":7}'],
    ["never happened", { resolve: "absent" } as const, ["call_1", "call_2", "call_3"], "paid"],
  ])("is settled by a person who says that it %s", async (_, decision, ran, output) => {
    await using run = await doubtful();
    const paused = await pause(ends(run.agent().run("Pay.")));
    expect(paused.interruptions).toEqual([
      { callId: "call_2", tool: "pay", arguments: { to: "Ada", amount: 5 }, reason: "unknown-outcome" },
    ]);
    // Another payment of the toolkit waits behind it.
    expect(run.keys.map((key) => key.split("/").at(-1))).toEqual(["call_1"]);
    const text = JSON.stringify(paused.state);
    const result = await ends(run.agent().resume(text, { decisions: [{ callId: "call_2", ...decision }] }));
    expect(result.output).toBe("Done.");
    expect(run.keys.map((key) => key.split("/").at(-1))).toEqual(ran);
    expect(outputsIn(inputOf(run.stand.server.request(2))).slice(-2)).toEqual([
      ["call_2", output],
      ["call_3", "paid"],
    ]);
    run.stand.server.assertDone();
  });

  it("is not run by an approval, nor by nothing at all", async () => {
    await using run = await doubtful();
    const paused = await pause(ends(run.agent().run("Pay.")));
    const error = await failureOf(run.agent().resume(paused.state, { decisions: approve("call_2") }));
    expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("waits for `resolve`") });
    const still = await pause(ends(run.agent().resume(JSON.stringify(paused.state), { decisions: [] })));
    expect(still.interruptions).toEqual(paused.interruptions);
    // However little is left in the state of how the doubt came about.
    const forgetful = { ...still.state, steps: [], unknownWrites: {} };
    expect((await pause(ends(run.agent().resume(forgetful)))).interruptions).toEqual(paused.interruptions);
    expect(run.keys).toHaveLength(1);
  });

  it("is asked about with the key of the call that is in doubt, after a pause too", async () => {
    const asked: string[] = [];
    let answer: QueryAnswer = { unknown: true };
    const { keys, pay } = payments((attempt) => (attempt === 1 ? Promise.reject(new Error("socket closed")) : "paid"), {
      query: (_, { idempotencyKey }) => (asked.push(idempotencyKey), answer),
    });
    await using run = await agentOn([reply.calls(payCall("call_1")), reply.calls(payCall("call_2")), reply.text("Done.")], pay);
    const paused = await pause(ends(run.agent().run("Pay.")));
    answer = { done: true, result: "paid on Monday" };
    const result = await ends(run.agent().resume(JSON.stringify(paused.state)));
    expect(result.output).toBe("Done.");
    expect(new Set(asked)).toEqual(new Set(keys));
    expect(outputsIn(inputOf(run.stand.server.request(2))).at(-1)).toEqual(["call_2", "paid on Monday"]);
  });
});
