import { Agent, defineMiddleware, type FailedResult, RunStop } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

const tools = () => [
  numberTool("look", (n) => `seen ${n}`),
  numberTool("lose", forever, { effect: "write", timeoutMs: 30 }),
  numberTool("ask", (n) => n, { effect: "write", approval: true }),
];
const mixed = (n: number) => reply.calls(callOf("look", `look_${n}`, n), callOf("ask", `ask_${n}`, n), callOf("lose", `lose_${n}`, n));
const kinds = ["ok", "skipped", "unknown"];

describe.each(waysAndHistories)("a pause that ends before anybody was asked ($way, $kind)", ({ way, history }) => {
  it("an abort at that moment keeps what the step has come to", async () => {
    await using stand = await serve([mixed(1), reply.text("Here again.")]);
    const controller = new AbortController();
    const abort = defineMiddleware({
      name: "abort",
      onEvent: ({ type }) => void (type === "interruption" && controller.abort(new Error("enough"))),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: tools(), middleware: [abort], history });
    const error = await ends(failureOf(runIn(way, agent, "Go.", { signal: controller.signal })));
    expect(error).toMatchObject({ code: "RUN_ABORTED", result: { interruptions: [], unknownCalls: [{ callId: "lose_1" }] } });
    expect(error.result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([kinds]);

    await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: tools() }), "Go on.", { history: error.result.history }));
    const outputs = new Map(outputsIn(stand.server.request(1).context));
    expect(outputs.get("look_1")).toBe("seen 1");
    expect(errorIn(outputs.get("ask_1")).code).toBe("TOOL_SKIPPED");
    expect(errorIn(outputs.get("lose_1")).code).toBe("TOOL_TIMEOUT");
    stand.server.assertDone();
  });

  it.each([
    ["an error", () => Promise.reject(new Error("boom"))],
    ["a stop", () => Promise.reject(new RunStop("budget", "enough"))],
  ])("a wrap of the run that turns it into %s keeps that too", async (name, end) => {
    await using stand = await serve([mixed(1)]);
    const odd = defineMiddleware({ name: "odd", wrapRun: (call, next) => next(call).then(end) });
    const agent = new Agent({ model: "test", client: stand.client, tools: tools(), middleware: [odd], history });
    const run = runIn(way, agent, "Go.");
    const result = await ends<Awaited<typeof run> | FailedResult>(name === "a stop" ? run : failureOf(run).then((error) => error.result));
    expect(result).toMatchObject({ stopReason: name === "a stop" ? "budget" : "error", interruptions: [] });
    expect(result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([kinds]);
  });

  it("a wrap of the run that goes on without an answer has used a step of the budget, and its calls stay told apart", async () => {
    const again = (id: string) =>
      reply.calls({ name: "look", callId: "call_same", id, arguments: { n: 1 } }, { ...callOf("ask", "ask_1", 1), id: `${id}_ask` });
    await using stand = await serve([again("fc_1"), again("fc_2"), reply.text("Done.")]);
    const keys: string[] = [];
    const look = numberTool("look", (_, { idempotencyKey }) => keys.push(idempotencyKey));
    const neverMind = defineMiddleware({
      name: "neverMind",
      repeats: true,
      wrapRun: async (call, next) => {
        let result = await next(call);
        while (result.stopReason === "interrupted") result = await next({ input: [{ role: "user", content: "Never mind." }] });
        return result;
      },
    });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [look, ...tools().slice(1)],
      middleware: [neverMind],
      history,
      maxSteps: 3,
    });
    const result = await ends(runIn(way, agent, "Go."));
    expect(result).toMatchObject({ stopReason: "completed", output: "Done.", interruptions: [] });
    expect(result.steps.map(({ index, calls }) => [index, calls.map(({ outcome }) => outcome.kind)])).toEqual([
      [0, ["ok", "skipped"]],
      [1, ["ok", "skipped"]],
      [2, []],
    ]);
    expect(keys).toEqual([`${result.runId}/0/call_same`, `${result.runId}/1/call_same`]);
    stand.server.assertDone();
  });
});
