import { Agent, isFunctionCallOutput } from "@toolwright/core";
import { loopGuard, standard, stepBudget } from "@toolwright/core/middleware";
import { reply, type ReplyFunction } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

/** Makes the same call for ever, with its keys now in this order and now in that. */
const stubborn: ReplyFunction = ({ index }) =>
  reply.output(
    reply.reasoning("Once more."),
    reply.calls({ ...callOf("look", `call_${index}`, 1), arguments: index % 2 === 0 ? '{"n":1}' : '{ "n": 1 }' }),
  );

function counted() {
  let runs = 0;
  const look = numberTool("look", () => ((runs += 1), "nothing new"));
  return { tools: [look], runs: () => runs };
}

describe.each(waysAndHistories)("M16: a model that makes the same call for ever is stopped ($way, $kind)", ({ way, history }) => {
  it("with the guard, the tool runs three times, the model is told, and the run ends with its reason", async () => {
    await using stand = await serve(stubborn);
    const { tools, runs } = counted();
    const agent = new Agent({ model: "test", client: stand.client, tools, history, middleware: [loopGuard(), ...standard()] });
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(runs()).toBe(3);
    expect(stand.server.requests).toHaveLength(4);
    expect(error).toMatchObject({ code: "RUN_BUDGET", retryable: false, details: { budget: "loop", limit: 3 } });
    expect(error.message).toContain("The model called look again with the same arguments, after it was told that it repeats itself.");
    expect(error.message).toContain("Fix:");

    const outputs = outputsIn(error.result.items).map(([, output]) => String(output));
    expect(outputs.slice(0, 2)).toEqual(["nothing new", "nothing new"]);
    expect(outputs[2]).toMatch(/^\[You have made this very call 3 times, .*\]\nnothing new$/);
    expect(errorIn(outputs[3])).toMatchObject({ code: "TOOL_SKIPPED" });
    // The model read it before it went on all the same.
    expect(stand.server.request(3).context.filter(isFunctionCallOutput).at(-1)?.output).toBe(outputs[2]);
  });

  it("with the guard asked to stop, the run resolves with the reason, and the next run goes on from there", async () => {
    await using stand = await serve((request) => (request.index < 4 ? stubborn(request) : reply.text("There is nothing new.")));
    const { tools, runs } = counted();
    const middleware = [loopGuard({ onLoop: "stop" }), ...standard()];
    const agent = new Agent({ model: "test", client: stand.client, tools, history, middleware });
    const stopped = await ends(runIn(way, agent, "Look."));
    expect(stopped).toMatchObject({ stopReason: "budget", reason: expect.stringContaining("repeats itself") });
    expect(runs()).toBe(3);
    const onwards = await ends(runIn(way, agent, "Then say so.", { history: stopped.history }));
    expect(onwards).toMatchObject({ stopReason: "completed", output: "There is nothing new." });
    stand.server.assertDone();
  });

  it("without the guard, the budget of steps ends it, with all that was done", async () => {
    await using stand = await serve(stubborn);
    const { tools, runs } = counted();
    const agent = new Agent({ model: "test", client: stand.client, tools, history, middleware: [stepBudget(6), ...standard()] });
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "steps", limit: 6 } });
    expect(stand.server.requests).toHaveLength(6);
    expect(runs()).toBe(5);
    expect(error.result.steps).toHaveLength(6);
  });
});
