import { Agent, defineTool } from "@toolwright/core";
import { approval } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf, waysAndHistories, runIn, resumeIn } from "../support/ways.js";
import { paused, stateOf } from "./support.js";

const yes = (...callIds: string[]) => ({ decisions: callIds.map((callId) => ({ callId, approve: true }) as const) });

/** A write that waits for a person, and what it has done. */
function payments() {
  const paid: number[] = [];
  const pay = numberTool("pay", (n) => (paid.push(n), `paid ${n}`), { effect: "write", approval: true });
  return { paid, pay };
}

describe.each(waysAndHistories)("a call that waits ($way, $kind)", ({ way, history }) => {
  it("ends its run after one request, with nothing of it run and its text kept", async () => {
    await using stand = await serve([reply.output(reply.text("I will pay."), reply.calls(callOf("pay", "call_1", 5)))]);
    const { pay, paid } = payments();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history });
    const result = await ends(runIn(way, agent, "Pay."));
    expect(result).toMatchObject({
      stopReason: "interrupted",
      usage: { requests: 1 },
      interruptions: [{ callId: "call_1", tool: "pay", arguments: { n: 5 }, reason: "approval" }],
    });
    expect(result.items.map(({ type }) => type)).toEqual(["message", "message", "function_call"]);
    expect(paid).toEqual([]);
    stand.server.assertDone();
  });

  it("resumed without a decision, it waits as before, and nothing is asked or sent", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 5), callOf("look", "call_2", 1)), reply.text("Done.")]);
    const { pay, paid } = payments();
    let looked = 0;
    const look = numberTool("look", () => (looked += 1));
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay, look], history });
    const first = await paused(runIn(way, agent, "Pay."));
    const second = await paused(resumeIn(way, agent, first.state, {}));
    const third = await paused(resumeIn(way, agent, JSON.parse(JSON.stringify(second.state)) as typeof second.state, { decisions: [] }));
    expect(third.interruptions).toEqual(first.interruptions);
    expect(third.usage).toEqual(first.usage);
    expect([stand.server.requests.length, looked]).toEqual([1, 1]);
    const result = await ends(resumeIn(way, agent, third.state, yes("call_1")));
    expect(result).toMatchObject({ output: "Done.", usage: { requests: 2 } });
    expect([paid, looked]).toEqual([[5], 1]);
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
      ["call_1", "paid 5"],
      ["call_2", "1"],
    ]);
  });

  it("a decision is about one call: the same tool asks again, under the same call id too", async () => {
    await using stand = await serve([
      reply.calls({ ...callOf("pay", "call_1", 5), id: "fc_a" }),
      reply.calls({ ...callOf("pay", "call_1", 5), id: "fc_b" }),
      reply.calls({ ...callOf("pay", "call_1", 6), id: "fc_c" }),
      reply.text("Done."),
    ]);
    const { pay, paid } = payments();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history });
    const first = await paused(runIn(way, agent, "Pay."));
    const second = await paused(resumeIn(way, agent, first.state, yes("call_1")));
    expect([paid, second.interruptions]).toMatchObject([[5], [{ callId: "call_1" }]]);
    const no = { decisions: [{ callId: "call_1", approve: false }] } as const;
    const third = await paused(resumeIn(way, agent, second.state, no));
    expect(third.interruptions).toMatchObject([{ callId: "call_1", arguments: { n: 6 } }]);
    const result = await ends(resumeIn(way, agent, third.state, yes("call_1")));
    expect(result).toMatchObject({ output: "Done." });
    expect(paid).toEqual([5, 6]);
    stand.server.assertDone();
  });

  it("an approved call that fails is told to the model, and the run goes on", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 5)), reply.text("It failed.")]);
    const pay = numberTool(
      "pay",
      () => {
        throw new Error("private");
      },
      { effect: "write", approval: true, idempotent: true },
    );
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history });
    const { state } = await paused(runIn(way, agent, "Pay."));
    expect(await ends(resumeIn(way, agent, state, yes("call_1")))).toMatchObject({ output: "It failed." });
    const output = outputsIn(inputOf(stand.server.request(1)))[0]?.[1];
    expect(errorIn(output).code).toBe("TOOL_FAILED");
    expect(output).not.toContain("private");
  });
});

describe("a refusal", () => {
  it.each([
    ["in the person's own words", "Too much.", "The call was refused: Too much."],
    ["of no words", "", "The call was refused: "],
    ["without a reason", undefined, "The call was refused: a person refused it."],
  ])("%s is what the model reads, and the run goes on", async (_, reason, message) => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 5)), reply.text("Not paid.")]);
    const { pay, paid } = payments();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const { state } = await paused(agent.run("Pay."));
    const result = await ends(agent.resume(state, { decisions: [{ callId: "call_1", approve: false, reason }] }));
    expect(result).toMatchObject({ output: "Not paid.", steps: [{ calls: [{ outcome: { kind: "denied" }, attempts: 0 }] }, {}] });
    expect(errorIn(outputsIn(inputOf(stand.server.request(1)))[0]?.[1])).toEqual({ code: "TOOL_DENIED", message, retryable: false });
    expect(paid).toEqual([]);
  });

  it("has its own reason for each call, beside approvals, in the model's order", async () => {
    const calls = [1, 2, 3].map((n) => callOf("pay", `call_${n}`, n));
    await using stand = await serve([reply.calls(...calls), reply.text("Done.")]);
    const { pay, paid } = payments();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const { state } = await paused(agent.run("Pay."));
    const no = (callId: string, reason: string) => ({ callId, approve: false, reason }) as const;
    await ends(agent.resume(state, { decisions: [no("call_3", "Third."), { callId: "call_2", approve: true }, no("call_1", "First.")] }));
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    expect(outputs.map(([, output]) => /First|paid 2|Third/.exec(String(output))?.[0])).toEqual(["First", "paid 2", "Third"]);
    expect(paid).toEqual([2]);
  });
});

describe("a predicate that says whether a call waits", () => {
  const rule = (asked: unknown[], limit = 100) =>
    defineTool({
      name: "pay",
      description: "Pays.",
      effect: "write",
      parameters: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
      approval: async ({ amount }, { app, callId }) => {
        asked.push([amount, callId, app]);
        await Promise.resolve();
        return Number(amount) > limit;
      },
      execute: ({ amount }) => `paid ${String(amount)}`,
    });
  const payCall = (callId: string, amount: unknown) => ({ name: "pay", callId, id: `fc_of_${callId}`, arguments: { amount } });

  it("gets checked arguments and the caller's context, once a call, and never for a call that is wrong", async () => {
    await using stand = await serve([
      reply.calls(payCall("call_1", 5), payCall("call_2", 500), payCall("call_3", "much"), { name: "pray", callId: "call_4" }),
      reply.text("Done."),
    ]);
    const asked: unknown[] = [];
    const agent = new Agent({ model: "test", client: stand.client, tools: [rule(asked)] });
    const first = await paused(agent.run("Pay.", { app: "Ada" }));
    expect(first.interruptions.map(({ callId }) => callId)).toEqual(["call_2"]);
    await ends(agent.resume(first.state, { ...yes("call_2"), app: "Ada" }));
    expect(asked).toEqual([
      [5, "call_1", "Ada"],
      [500, "call_2", "Ada"],
    ]);
    const kinds = outputsIn(inputOf(stand.server.request(1))).map(([, output]) => /paid|TOOL_[A-Z_]+/.exec(String(output))?.[0]);
    expect(kinds).toEqual(["paid", "paid", "TOOL_ARGUMENTS_INVALID", "TOOL_UNKNOWN"]);
  });

  it("stands beside a policy of the application: either is enough", async () => {
    await using stand = await serve([
      reply.calls(payCall("call_1", 5), payCall("call_2", 50), payCall("call_3", 500)),
      reply.text("Done."),
    ]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [rule([])],
      middleware: [approval({ when: ({ arguments: { amount } }) => amount === 50 })],
    });
    const { interruptions } = await paused(agent.run("Pay."));
    expect(interruptions.map(({ callId }) => callId)).toEqual(["call_2", "call_3"]);
  });
});

it("a resume that is aborted already carries out no decision, and the state stays good", async () => {
  await using stand = await serve([reply.calls(callOf("pay", "call_1", 5)), reply.text("Paid.")]);
  const { pay, paid } = payments();
  const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
  const { state } = await paused(agent.run("Pay."));
  const error = await ends(failureOf(agent.resume(state, { ...yes("call_1"), signal: AbortSignal.abort() })));
  expect([error.code, paid]).toEqual(["RUN_ABORTED", []]);
  expect(await ends(agent.resume(state, yes("call_1")))).toMatchObject({ output: "Paid." });
  expect(paid).toEqual([5]);
});

it("what is shown to a person is theirs alone: changing it changes nothing that runs", async () => {
  await using stand = await serve([reply.calls(callOf("pay", "call_1", 5)), reply.text("Paid.")]);
  const { pay, paid } = payments();
  const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
  const { interruptions, state } = await paused(agent.run("Pay."));
  const shown = interruptions as unknown as { callId: string; arguments: { n: number } }[];
  expect(() => {
    (shown[0] as { arguments: { n: number } }).arguments.n = 999;
  }).toThrow(TypeError);
  (shown[0] as { callId: string }).callId = "call_9";
  shown.length = 0;
  expect(await ends(agent.resume(state, yes("call_1")))).toMatchObject({ output: "Paid." });
  expect(paid).toEqual([5]);
});

it("a stream tells each call that waits before its end, and resolves with them", async () => {
  await using stand = await serve([reply.calls(callOf("pay", "call_1", 5), callOf("pay", "call_2", 6))]);
  const { pay } = payments();
  const { events, result } = await ends(collect(new Agent({ model: "test", client: stand.client, tools: [pay] }), "Pay."));
  const told = events.filter(({ type }) => type === "interruption" || type === "run-end");
  expect(told).toMatchObject([
    { type: "interruption", callId: "call_1", tool: "pay", reason: "approval" },
    { type: "interruption", callId: "call_2" },
    { type: "run-end", stopReason: "interrupted" },
  ]);
  expect(events.some(({ type }) => type === "tool-outcome" || type === "tool-start")).toBe(false);
  expect(stateOf(result).calls).toHaveLength(2);
});

it("steps are counted over a pause: the paused step once, and none for the resume", async () => {
  await using stand = await serve([
    reply.calls(callOf("pay", "call_1", 1)),
    reply.calls(callOf("pay", "call_2", 2)),
    reply.calls(callOf("pay", "call_3", 3)),
  ]);
  const { pay, paid } = payments();
  const agent = new Agent({ model: "test", client: stand.client, tools: [pay], maxSteps: 3 });
  const first = await paused(agent.run("Pay."));
  const second = await paused(agent.resume(JSON.stringify(first.state), yes("call_1")));
  const error = await ends(failureOf(agent.resume(JSON.stringify(second.state), yes("call_2"))));
  expect(error.code).toBe("RUN_BUDGET");
  // The last reply's call would have no step for its output, so nobody is asked about it.
  expect(error.result.steps.map(({ calls }) => calls.map(({ outcome }) => outcome.kind))).toEqual([["ok"], ["ok"], ["skipped"]]);
  expect(paid).toEqual([1, 2]);
  stand.server.assertDone();
});
