import { Agent, type HistoryOption, type RunResult, type RunState, ToolError, type ToolOutcome } from "@toolwright/core";
import { standard } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, histories, resumeIn, type RunFailure, runIn } from "../support/ways.js";

// Every id is given, so that two runs can be compared as a whole.
const thought = (n: number) => reply.reasoning({ id: `rs_${n}`, encryptedContent: `sealed ${n}`, summary: ["Hm."] });
const script = [
  reply
    .output(thought(1), reply.calls(callOf("write", "call_1", 1), callOf("fail", "call_2", 2), callOf("nowhere", "call_3", 3)))
    .with({ responseId: "resp_1" }),
  reply
    .output(thought(2), reply.calls(callOf("write", "call_4", 4), { ...callOf("write", "call_5", 5), arguments: "{" }))
    .with({ responseId: "resp_2" }),
  reply.output(thought(3), reply.text("All done.", { id: "msg_1" })).with({ responseId: "resp_3" }),
];

interface Trace {
  readonly bodies: readonly unknown[];
  readonly executed: readonly number[];
  readonly end: object;
}

type Start = (agent: Agent) => Promise<RunResult>;

/** What can be seen of a run from outside, without its times and its own id. */
async function traceOf(
  start: Start,
  history: HistoryOption,
  options: { readonly approval: boolean; readonly maxSteps?: number },
): Promise<Trace> {
  await using stand = await serve(script, { verifyEncryptedContent: false, allowUnused: true });
  const executed: number[] = [];
  const approval = options.approval ? { approval: true as const } : {};
  const write = numberTool("write", (n) => executed.push(n), { effect: "write", ...approval });
  const fail = numberTool("fail", () => Promise.reject(new ToolError({ code: "CLOSED", message: "Closed today." })));
  const agent = new Agent({
    model: "test",
    client: stand.client,
    instructions: (run) => `Step ${run.step}.`,
    tools: [write, fail],
    middleware: standard(),
    settings: { tool_choice: "required" },
    history,
    maxSteps: options.maxSteps,
  });
  const end = await ends(start(agent).catch((error: unknown) => (error as RunFailure).result));
  stand.server.assertDone();
  return { bodies: bodiesOf(stand), executed, end: comparable(end as RunResult) };
}

function bodiesOf({ server }: Stand): readonly unknown[] {
  return server.requests.map(({ body: { stream: _, ...body } }) => body);
}

function comparable({ stopReason, items, history, steps, usage, output }: RunResult): object {
  const outcomes = (calls: readonly { callId: string; tool: string; attempts: number; outcome: ToolOutcome }[]) =>
    calls.map(({ callId, tool, attempts, outcome }) => ({ callId, tool, attempts, outcome }));
  return { stopReason, items, history, usage, output, steps: steps.map((step) => ({ ...step, calls: outcomes(step.calls) })) };
}

const plainRun: Start = (agent) => runIn("run", agent, "Go.");
const streamedRun: Start = (agent) => runIn("stream", agent, "Go.");

/** Pauses at every write and is resumed, each time from JSON text or in a stream. */
const resumedRun =
  (way: "run" | "stream"): Start =>
  async (agent) => {
    let result = await runIn(way, agent, "Go.");
    while (result.stopReason === "interrupted") {
      const state = JSON.parse(JSON.stringify(result.state)) as RunState;
      const decisions = result.interruptions.map(({ callId }) => ({ callId, approve: true as const }));
      result = await resumeIn(way, agent, state, { decisions });
    }
    return result;
  };

describe.each(histories)("L03: run, stream and resume are one loop ($kind)", (history) => {
  it.each([
    ["stream()", streamedRun, false],
    ["run() with pauses and resume()", resumedRun("run"), true],
    ["stream() with pauses and stream(state)", resumedRun("stream"), true],
  ] as const)("%s sends the requests, keeps the history and gives the outcomes of run()", async (_, start, approval) => {
    const expected = await traceOf(plainRun, history, { approval: false });
    expect(expected.bodies).toHaveLength(3);
    expect(expected.executed).toEqual([1, 4]);
    expect(await traceOf(start, history, { approval })).toEqual(expected);
  });

  it.each([
    ["stream()", streamedRun, false],
    ["run() with pauses and resume()", resumedRun("run"), true],
  ] as const)("%s comes to the same budget error as run()", async (_, start, approval) => {
    const expected = await traceOf(plainRun, history, { approval: false, maxSteps: 2 });
    expect(expected.end).toMatchObject({ stopReason: "error", steps: [{ index: 0 }, { index: 1 }] });
    // Calls of the step that uses the budget up are not run: nobody would read their outputs.
    expect(expected.executed).toEqual([1]);
    expect(await traceOf(start, history, { approval, maxSteps: 2 })).toEqual(expected);
  });
});

describe("L03: what a resumed run is", () => {
  it("keeps its id, its counters and the idempotency keys of its calls", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1)), reply.text("Done.")]);
    const keys: string[] = [];
    const write = numberTool("write", (_, { idempotencyKey, runId, step }) => keys.push(idempotencyKey, runId, String(step)), {
      effect: "write",
      approval: true,
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [write] });
    const paused = await agent.run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(paused.usage.requests).toBe(1);
    expect(paused.steps).toEqual([]);
    const result = await agent.resume(JSON.stringify(paused.state), { decisions: [{ callId: "call_1", approve: true }] });
    expect(result.runId).toBe(paused.runId);
    expect(result.usage.requests).toBe(2);
    expect(result.steps.map((step) => step.index)).toEqual([0, 1]);
    expect(keys).toEqual([`${paused.runId}/0/call_1`, paused.runId, "0"]);
  });

  it("ends in the same typed error as a fresh run when the model fails after the pause", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1)), reply.http(500)]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("write", () => "written", { approval: true })] });
    const paused = await agent.run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const error = await ends(failureOf(agent.resume(paused.state, { decisions: [{ callId: "call_1", approve: true }] })));
    expect(error.code).toBe("MODEL_SERVER");
    expect(error.result.steps[0]?.calls[0]?.outcome).toEqual({ kind: "ok", output: "written" });
  });
});
