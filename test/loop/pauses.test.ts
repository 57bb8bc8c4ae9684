import { Agent, type RunEvent, type ToolContext } from "@toolwright/core";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, type Owned, owners, pause, withConversation } from "../support/pausing.js";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways } from "../support/ways.js";

const mixed = reply.output(
  reply.reasoning("Hm."),
  reply.calls(callOf("ask", "call_1", 1), callOf("look", "call_2", 2), callOf("ask", "call_3", 3), callOf("write", "call_4", 4)),
);

/** A server, and agents of equal make that leave word of what ran. */
async function scene(script: Script, owned: Owned) {
  const stand = await serve(script, withConversation);
  const ran: string[] = [];
  const execute = (n: number, { callId, idempotencyKey }: ToolContext): string => {
    ran.push(`${callId} ${n} ${idempotencyKey.split("/").slice(1).join("/")}`);
    return `did ${n}`;
  };
  const agent = (): Agent =>
    new Agent({
      model: "test",
      client: stand.client,
      history: owned.history,
      tools: [
        numberTool("ask", execute, { effect: "destructive", approval: true, resource: "thing:{n}" }),
        numberTool("look", execute),
        numberTool("write", execute, { effect: "write" }),
      ],
    });
  return { stand, ran, agent, [Symbol.asyncDispose]: () => stand.server.close() };
}

const cases = owners.flatMap((owner) => ways.map((way) => ({ ...owner, way })));

describe.each(cases)("a pause on a history of $owner ($way)", ({ own, way }) => {
  it("asks about all calls of a step at once; the others have run, and are kept over a restart", async () => {
    using owned = own();
    await using run = await scene([mixed, reply.text("Done."), reply.text("Again.")], owned);
    const paused = await pause(ends(runIn(way, run.agent(), "Go.")));
    expect(paused.interruptions).toEqual([
      { callId: "call_1", tool: "ask", arguments: { n: 1 }, reason: "approval" },
      { callId: "call_3", tool: "ask", arguments: { n: 3 }, reason: "approval" },
    ]);
    expect(run.ran).toEqual(["call_2 2 0/call_2", "call_4 4 0/call_4"]);
    expect(paused.steps).toEqual([]);

    // Another process has the text of the state alone.
    const text = JSON.stringify(paused.state);
    expect(JSON.parse(text)).toMatchObject({ version: 1, runId: paused.runId, step: 0, calls: [{}, {}, {}, {}] });
    const result = await ends(
      resumeIn(way, run.agent(), JSON.parse(text), { ...owned.elsewhere(), decisions: approve("call_1", "call_3") }),
    );
    expect(result).toMatchObject({ stopReason: "completed", output: "Done.", runId: paused.runId, usage: { requests: 2 } });
    expect(run.ran.slice(2).toSorted()).toEqual(["call_1 1 0/call_1", "call_3 3 0/call_3"]);
    const all = [1, 2, 3, 4].map((n) => [`call_${n}`, `did ${n}`]);
    expect(outputsIn(inputOf(run.stand.server.request(1)))).toEqual(all);
    expect(outputsIn(result.items)).toEqual(all);
    expect(result.steps[0]?.calls.map(({ callId, attempts }) => [callId, attempts])).toEqual(all.map(([callId]) => [callId, 1]));

    // The next run goes on from there, in yet another process.
    const again = owned.elsewhere();
    await ends(run.agent().run("Go on.", { history: result.history, ...again }));
    expect(outputsIn(run.stand.server.request(2).context)).toEqual(all);
    run.stand.server.assertDone();
  });

  it("pauses again with the rest when only some calls are decided", async () => {
    using owned = own();
    await using run = await scene([mixed, reply.text("Done.")], owned);
    const first = await pause(ends(runIn(way, run.agent(), "Go.")));
    const none = await pause(ends(resumeIn(way, run.agent(), first.state, { decisions: [] })));
    expect(none.interruptions).toEqual(first.interruptions);
    const second = await pause(ends(resumeIn(way, run.agent(), none.state, { decisions: approve("call_3") })));
    expect(second.interruptions.map(({ callId }) => callId)).toEqual(["call_1"]);
    expect(run.ran.at(-1)).toBe("call_3 3 0/call_3");
    const result = await ends(resumeIn(way, run.agent(), second.state, { decisions: approve("call_1") }));
    expect(result.output).toBe("Done.");
    expect(run.ran).toHaveLength(4);
    expect(result.usage.requests).toBe(2);
    run.stand.server.assertDone();
  });

  it("tells the model why a call was denied, and runs nothing of it", async () => {
    using owned = own();
    await using run = await scene([mixed, reply.text("I see.")], owned);
    const paused = await pause(ends(runIn(way, run.agent(), "Go.")));
    const decisions = [
      { callId: "call_1", approve: false, reason: "Ada has left the company." },
      { callId: "call_3", approve: false },
    ] as const;
    const result = await ends(resumeIn(way, run.agent(), paused.state, { decisions }));
    expect(result.output).toBe("I see.");
    const outputs = new Map(outputsIn(inputOf(run.stand.server.request(1))));
    expect(errorIn(outputs.get("call_1"))).toMatchObject({
      code: "TOOL_DENIED",
      message: expect.stringContaining("Ada has left the company."),
      retryable: false,
    });
    expect(errorIn(outputs.get("call_3")).message).toContain("a person refused it");
    expect(result.steps[0]?.calls[0]?.outcome).toEqual({ kind: "denied", reason: "Ada has left the company." });
    expect(run.ran.map((line) => line.slice(0, 6))).toEqual(["call_2", "call_4"]);
  });

  it("checks edited arguments as the model's are checked, before anything runs", async () => {
    using owned = own();
    await using run = await scene([mixed, reply.text("Done.")], owned);
    const { state } = await pause(ends(runIn(way, run.agent(), "Go.")));
    for (const [edited, what] of [
      [{ n: "9" }, "n: expected integer, received string"],
      [{}, "n: expected"],
      [{ n: 9, all: true }, "all"],
    ] as const) {
      const decisions = [{ callId: "call_1", approve: true, arguments: edited }, ...approve("call_3")];
      const error = await ends(failureOf(resumeIn(way, run.agent(), state, { decisions })));
      expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining(what) });
    }
    expect(run.ran).toHaveLength(2);
    const decisions = [{ callId: "call_1", approve: true, arguments: { n: 9 } }, ...approve("call_3")];
    const result = await ends(resumeIn(way, run.agent(), state, { decisions }));
    expect(run.ran).toContain("call_1 9 0/call_1");
    expect(result.steps[0]?.calls[0]).toMatchObject({ callId: "call_1", arguments: { n: 9 }, outcome: { output: "did 9" } });
    expect(outputsIn(inputOf(run.stand.server.request(1)))[0]).toEqual(["call_1", "did 9"]);
  });
});

it("a stream tells of what waits, ends as interrupted, and goes on as a stream", async () => {
  using owned = (owners[0] as (typeof owners)[number]).own();
  await using run = await scene([mixed, reply.text("Done.")], owned);
  const events: RunEvent[] = [];
  const first = run.agent().stream("Go.");
  for await (const event of first) events.push(event);
  const paused = await pause(first.result);
  expect(events.flatMap((event) => (event.type === "interruption" ? [[event.callId, event.tool, event.reason]] : []))).toEqual([
    ["call_1", "ask", "approval"],
    ["call_3", "ask", "approval"],
  ]);
  expect(events.at(-1)).toMatchObject({ type: "run-end", stopReason: "interrupted" });
  // What waits has no outcome yet, and its step has not ended.
  expect(events.flatMap((event) => (event.type === "tool-outcome" ? [event.callId] : [])).toSorted()).toEqual(["call_2", "call_4"]);
  expect(events.map(({ type }) => type)).not.toContain("step-end");

  const later: RunEvent[] = [];
  const second = run.agent().stream(JSON.stringify(paused.state), { decisions: approve("call_1", "call_3") });
  for await (const event of second) later.push(event);
  expect(later.map(({ type }) => type).filter((type) => ["step-start", "tool-outcome", "step-end", "run-end"].includes(type))).toEqual([
    "tool-outcome",
    "tool-outcome",
    "step-end",
    "step-start",
    "step-end",
    "run-end",
  ]);
  expect((await second.result).output).toBe("Done.");
});
