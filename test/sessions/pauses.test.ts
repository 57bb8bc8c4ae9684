import { Agent, type HistoryOption, memorySession, type RunResult, type RunState, type Session, type ToolContext } from "@toolwright/core";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, localItems, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways } from "../support/ways.js";
import { historyOf, kinds } from "./support.js";

const mixed = reply.calls(callOf("ask", "call_1", 1), callOf("look", "call_2", 2), callOf("ask", "call_3", 3));
const approve = (...callIds: readonly string[]) => callIds.map((callId) => ({ callId, approve: true as const }));
const on = (session: Session): HistoryOption => ({ kind: "local", session });

/** What another process gets of a state, with a session of its own. */
const elsewhere = (state: RunState, session: Session): RunState => ({
  ...(JSON.parse(JSON.stringify(state)) as RunState),
  history: on(session),
});

async function pausing(script: Script) {
  const stand = await serve(script);
  const executed: string[] = [];
  const execute = (n: number, { idempotencyKey }: ToolContext) => (executed.push(`${n} ${idempotencyKey}`), `did ${n}`);
  const tools = [numberTool("ask", execute, { effect: "write", approval: true, resource: "thing:{n}" }), numberTool("look", execute)];
  const agent = new Agent({ model: "test", client: stand.client, tools });
  return { stand, agent, executed, [Symbol.asyncDispose]: () => stand.server.close() };
}

function stateOf(result: RunResult): RunState {
  if (result.stopReason !== "interrupted") throw new Error(`The run ended as ${result.stopReason}.`);
  return result.state;
}

describe.each(kinds.flatMap((each) => ways.map((way) => ({ ...each, way }))))("a pause on a session in $kind ($way)", ({ make, way }) => {
  it("goes on in the same process, and the session holds what result.history says at each end", async () => {
    await using run = await pausing([mixed, reply.text("Done."), reply.text("Again.")]);
    using kept = make();
    const paused = await ends(runIn(way, run.agent, "Go.", { history: on(kept.session) }));
    expect(await historyOf(kept.session)).toEqual(paused.history);
    const partly = await ends(resumeIn(way, run.agent, stateOf(paused), { decisions: approve("call_3") }));
    expect(await historyOf(kept.session)).toEqual(partly.history);
    const result = await ends(
      resumeIn(way, run.agent, stateOf(partly), { decisions: [{ callId: "call_1", approve: false, reason: "Too dear." }] }),
    );
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(await historyOf(kept.reopen())).toEqual(result.history);
    expect(outputsIn(result.items).map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    expect(outputsIn(localItems(result.history)).map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    const id = result.runId;
    expect(run.executed).toEqual([`2 ${id}/0/call_2`, `3 ${id}/0/call_3`]);
    await ends(run.agent.run("Go on.", { history: on(kept.session) }));
    run.stand.server.assertDone();
  });

  it("goes on elsewhere, from the state as JSON and the session opened anew", async () => {
    await using run = await pausing([mixed, reply.text("Done.")]);
    using kept = make();
    const paused = await ends(runIn(way, run.agent, "Go.", { history: on(kept.session) }));
    const state = elsewhere(stateOf(paused), kept.reopen());
    const result = await ends(resumeIn(way, run.agent, state, { decisions: approve("call_1", "call_3") }));
    expect(result.runId).toBe(paused.runId);
    expect(outputsIn(inputOf(run.stand.server.request(1)))).toEqual([
      ["call_1", "did 1"],
      ["call_2", "did 2"],
      ["call_3", "did 3"],
    ]);
    expect(await historyOf(kept.reopen())).toEqual(result.history);
    run.stand.server.assertDone();
  });

  it("a decision is carried out once, however often the state is resumed", async () => {
    await using run = await pausing([mixed, reply.text("Done.")]);
    using kept = make();
    const first = stateOf(await ends(runIn(way, run.agent, "Go.", { history: on(kept.session) })));
    await ends(resumeIn(way, run.agent, elsewhere(first, kept.session), { decisions: approve("call_3") }));
    // From the older state once more, also with another decision on the same call.
    const again = await ends(
      resumeIn(way, run.agent, elsewhere(first, kept.reopen()), { decisions: [{ callId: "call_3", approve: false }] }),
    );
    expect(stateOf(again).calls.map(({ outcome }) => outcome?.kind)).toEqual(["interrupted", "ok", "ok"]);
    const result = await ends(resumeIn(way, run.agent, elsewhere(first, kept.session), { decisions: approve("call_1", "call_3") }));
    expect(result.stopReason).toBe("completed");
    expect(run.executed.map((line) => line.slice(0, 1))).toEqual(["2", "3", "1"]);

    const late = await ends(
      failureOf(resumeIn(way, run.agent, elsewhere(first, kept.session), { decisions: approve("call_1", "call_3") })),
    );
    expect(late).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("gone on") });
    expect(run.executed).toHaveLength(3);
    expect(await historyOf(kept.session)).toEqual(result.history);
    run.stand.server.assertDone();
  });

  it("a new run answers what waits as skipped, in the model's order, and the state is void", async () => {
    await using run = await pausing([mixed, reply.text("As you like.")]);
    using kept = make();
    const paused = await ends(runIn(way, run.agent, "Go.", { history: on(kept.session) }));
    const result = await ends(runIn(way, run.agent, "Never mind.", { history: on(kept.reopen()) }));
    const outputs = outputsIn(inputOf(run.stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(["call_1", "call_2", "call_3"]);
    expect([errorIn(outputs[0]?.[1]).code, outputs[1]?.[1], errorIn(outputs[2]?.[1]).code]).toEqual([
      "TOOL_SKIPPED",
      "did 2",
      "TOOL_SKIPPED",
    ]);
    expect(await historyOf(kept.reopen())).toEqual(result.history);
    // New in this run is what it skipped, not what was there.
    expect(outputsIn(result.items).map(([callId]) => callId)).toEqual(["call_1", "call_3"]);
    const late = await ends(
      failureOf(resumeIn(way, run.agent, elsewhere(stateOf(paused), kept.session), { decisions: approve("call_1") })),
    );
    expect(late.code).toBe("RUN_STATE");
    expect(run.executed).toHaveLength(1);
    run.stand.server.assertDone();
  });

  it("a new run whose request fails has answered them all the same", async () => {
    await using run = await pausing([mixed, reply.http(500), reply.text("Here again.")]);
    using kept = make();
    await ends(runIn(way, run.agent, "Go.", { history: on(kept.session) }));
    const error = await ends(failureOf(runIn(way, run.agent, "Never mind.", { history: on(kept.session) })));
    expect(error.code).toBe("MODEL_SERVER");
    expect(await historyOf(kept.reopen())).toEqual(error.result.history);
    expect(await ends(runIn(way, run.agent, "Hello?", { history: on(kept.session) }))).toMatchObject({ output: "Here again." });
    run.stand.server.assertDone();
  });

  it("a resume that is aborted before it starts leaves the pause as it was", async () => {
    await using run = await pausing([mixed, reply.text("Done.")]);
    using kept = make();
    const state = stateOf(await ends(runIn(way, run.agent, "Go.", { history: on(kept.session) })));
    const before = await historyOf(kept.session);
    const error = await ends(
      failureOf(resumeIn(way, run.agent, state, { decisions: approve("call_1", "call_3"), signal: AbortSignal.abort() })),
    );
    expect(error.code).toBe("RUN_ABORTED");
    expect(error.result.history).toEqual(before);
    expect(await historyOf(kept.session)).toEqual(before);
    expect((await ends(resumeIn(way, run.agent, state, { decisions: approve("call_1", "call_3") }))).stopReason).toBe("completed");
    run.stand.server.assertDone();
  });
});

describe("the state of a run that is paused on a session", () => {
  /** An application's own session, with something in it that must not get out. */
  class SecretSession {
    readonly password = "hunter2";
    readonly inner = memorySession();
    readonly self = this;
    load = () => this.inner.load();
    input = this.inner.input.bind(this.inner);
    reply = this.inner.reply.bind(this.inner);
    started = this.inner.started.bind(this.inner);
    outcome = this.inner.outcome.bind(this.inner);
    outputs = this.inner.outputs.bind(this.inner);
  }

  it("as JSON has neither the session nor its items, and cannot be resumed without it", async () => {
    await using run = await pausing([reply.text("Secret words."), mixed, reply.text("Done.")]);
    const session = new SecretSession();
    await run.agent.run("First.", { history: on(session) });
    const state = stateOf(await run.agent.run("Go.", { history: on(session) }));
    const text = JSON.stringify(state);
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("Secret words.");
    const error = await ends(failureOf(run.agent.resume(text, { decisions: approve("call_1") })));
    expect(error).toMatchObject({ code: "RUN_STATE", fix: expect.stringContaining("history") });
    expect(run.executed).toHaveLength(1);
    // A session that cannot be held works as well, and the state at hand still has it.
    expect((await run.agent.resume(state, { decisions: approve("call_1", "call_3") })).stopReason).toBe("completed");
    expect(run.executed).toHaveLength(3);
    run.stand.server.assertDone();
  });
});
