import { Agent, defineMiddleware, type HistoryOption, type RunState, type Session } from "@toolwright/core";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways, waysAndHistories } from "../support/ways.js";

const mixed = reply.output(
  reply.reasoning("Hm."),
  reply.calls(callOf("ask", "call_1", 1), callOf("look", "call_2", 2), callOf("ask", "call_3", 3)),
);
const approve = (...callIds: readonly string[]) => callIds.map((callId) => ({ callId, approve: true as const }));

/** A run that has paused before two of its three calls. */
async function pausedRun(script: Script, history: HistoryOption, execute: (n: number) => unknown = (n) => `asked ${n}`) {
  const stand = await serve(script);
  const executed: number[] = [];
  const ask = numberTool("ask", (n) => (executed.push(n), execute(n)), { effect: "write", approval: true, resource: "thing:{n}" });
  const look = numberTool("look", (n) => (executed.push(n), `seen ${n}`));
  const agent = new Agent({ model: "test", client: stand.client, tools: [ask, look], history });
  const paused = await ends(agent.run("Go."));
  if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
  return { stand, agent, paused, executed, [Symbol.asyncDispose]: () => stand.server.close() };
}

describe.each(waysAndHistories)("L07: a pause is replayable ($way, $kind)", ({ way, history }) => {
  it("a new run answers the open calls as skipped and runs none of them", async () => {
    await using run = await pausedRun([mixed, reply.text("As you like.")], history);
    const { stand, agent, paused, executed } = run;
    expect(paused.interruptions.map(({ callId, tool, arguments: checked, reason }) => [callId, tool, checked, reason])).toEqual([
      ["call_1", "ask", { n: 1 }, "approval"],
      ["call_3", "ask", { n: 3 }, "approval"],
    ]);
    const result = await ends(runIn(way, agent, "Never mind.", { history: paused.history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "As you like." });
    const sent = outputsIn(inputOf(stand.server.request(1)));
    expect(sent.map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    const outputs = new Map(sent);
    expect(outputs.get("call_2")).toBe("seen 2");
    expect(errorIn(outputs.get("call_1")).code).toBe("TOOL_SKIPPED");
    expect(errorIn(outputs.get("call_3")).code).toBe("TOOL_SKIPPED");
    expect(executed).toEqual([2]);
    stand.server.assertDone();
  });

  it("a new run whose request fails leaves a history that the run after it can use", async () => {
    await using run = await pausedRun([mixed, reply.http(500), reply.text("Here again.")], history);
    const { stand, agent, paused } = run;
    const error = await ends(failureOf(runIn(way, agent, "Never mind.", { history: paused.history })));
    expect(error.code).toBe("MODEL_SERVER");
    const result = await ends(runIn(way, agent, "Hello?", { history: error.result.history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Here again." });
    stand.server.assertDone();
  });

  it("outputs of a resumed step stand in the model's order, those from before the pause included", async () => {
    await using run = await pausedRun([mixed, reply.text("Done."), reply.text("Again.")], history);
    const { stand, agent, paused, executed } = run;
    const partly = await ends(resumeIn(way, agent, paused.state, { decisions: approve("call_3") }));
    if (partly.stopReason !== "interrupted") throw new Error(partly.stopReason);
    expect(partly.interruptions.map(({ callId }) => callId)).toEqual(["call_1"]);
    const state = JSON.parse(JSON.stringify(partly.state)) as RunState;
    const result = await ends(resumeIn(way, agent, state, { decisions: [{ callId: "call_1", approve: false, reason: "Too dear." }] }));

    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    expect(errorIn(outputs[0]?.[1])).toMatchObject({ code: "TOOL_DENIED", message: expect.stringContaining("Too dear.") });
    expect([outputs[1]?.[1], outputs[2]?.[1]]).toEqual(["seen 2", "asked 3"]);
    // Nothing ran a second time.
    expect(executed).toEqual([2, 3]);
    expect(outputsIn(result.items)).toEqual(outputs);
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    stand.server.assertDone();
  });

  it.each([
    ["aborted before it starts", true],
    ["aborted in the middle of a tool", false],
  ])("a resumed run that is %s leaves a replayable history", async (_, early) => {
    const controller = new AbortController();
    const hang = () => {
      controller.abort(new Error("enough"));
      return forever();
    };
    await using run = await pausedRun([mixed, reply.text("Here again.")], history, hang);
    const { stand, agent, paused } = run;
    if (early) controller.abort(new Error("enough"));
    const error = await ends(
      failureOf(resumeIn(way, agent, paused.state, { decisions: approve("call_1", "call_3"), signal: controller.signal })),
    );
    expect(error.code).toBe("RUN_ABORTED");
    const result = await ends(runIn(way, agent, "Hello?", { history: error.result.history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Here again." });
    expect(new Map(outputsIn(stand.server.request(1).context)).get("call_2")).toBe("seen 2");
    stand.server.assertDone();
  });

  it("a wrap that repeats a resumed run does not run the paused calls again", async () => {
    await using stand = await serve([mixed, reply.http(500), reply.text("Done.")]);
    const executed: number[] = [];
    const ask = numberTool("ask", (n) => executed.push(n), { effect: "write", approval: true });
    const again = defineMiddleware({ name: "again", repeats: true, wrapRun: (call, next) => next(call).catch(() => next(call)) });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [ask, numberTool("look", (n) => n)],
      middleware: [again],
      history,
    });
    const paused = await agent.run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const result = await ends(resumeIn(way, agent, paused.state, { decisions: approve("call_1", "call_3") }));
    expect(result.stopReason).toBe("completed");
    expect(executed).toEqual([1, 3]);
    expect(outputsIn(result.items).map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    stand.server.assertDone();
  });

  it("a run that fails beside a waiting call has nothing left to decide", async () => {
    await using stand = await serve([mixed, reply.text("Here again.")]);
    const tools = [numberTool("ask", (n) => n, { approval: true }), numberTool("look", (n) => n)];
    const odd = defineMiddleware({
      name: "odd",
      wrapToolCall: (call, next) => (call.callId === "call_2" ? Promise.reject(new Error("boom")) : next(call)),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [odd], history });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error.result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["skipped", "skipped", "skipped"]);
    const plain = new Agent({ model: "test", client: stand.client, tools, history });
    await ends(runIn(way, plain, "Hello?", { history: error.result.history }));
    stand.server.assertDone();
  });
});

describe.each(ways)("L07: a store that fails ends the run, not the history (%s)", (way) => {
  it.each(["input", "reply", "started", "outcome", "outputs"] as const)("when %s rejects", async (broken) => {
    await using stand = await serve([mixed, reply.text("Here again.")]);
    const fine = () => Promise.resolve();
    const records = { input: fine, reply: fine, started: fine, outcome: fine, outputs: fine };
    const session: Session = {
      ...records,
      load: async () => ({ items: [], unfinished: undefined }),
      [broken]: () => Promise.reject(new Error("the disk is full")),
    };
    const tools = [numberTool("ask", (n) => `asked ${n}`, { effect: "write" }), numberTool("look", (n) => n)];
    const agent = new Agent({ model: "test", client: stand.client, tools });
    const error = await ends(failureOf(runIn(way, agent, "Go.", { history: { kind: "local", session } })));
    expect(error).toMatchObject({ code: "RUN_FAILED", cause: expect.objectContaining({ message: "the disk is full" }) });
    await sleep(5);
    const result = await ends(runIn(way, agent, "Hello?", { history: error.result.history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Here again." });
    stand.server.assertDone();
  });

  it("a session that cannot be opened is a typed error before any request", async () => {
    await using stand = await serve([]);
    const session = { load: () => Promise.reject(new Error("no such table")) } as unknown as Session; // nothing else is reached
    const agent = new Agent({ model: "test", client: stand.client, history: { kind: "local", session } });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error).toMatchObject({ code: "RUN_FAILED", message: expect.stringContaining("no such table") });
    expect(stand.server.requests).toHaveLength(0);
  });
});
