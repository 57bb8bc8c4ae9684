import { Agent, defineMiddleware, ToolError } from "@toolwright/core";
import { toolErrors, toolRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, resumeIn, runIn, waysAndHistories } from "../support/ways.js";

const once = reply.calls(callOf("flaky", "call_1", 1));
const quick = toolRetry({ attempts: 3, minDelayMs: 1, maxDelayMs: 1 });

function flaky(failures: number) {
  let tries = 0;
  return numberTool("flaky", () => {
    tries += 1;
    if (tries <= failures) throw new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
    return "at last";
  });
}

describe.each(waysAndHistories)("C10: a call has one output however often it is tried ($way, $kind)", ({ way, history }) => {
  it.each([
    [2, "at last"],
    [3, expect.stringContaining("BUSY")],
  ])("%i failures under three attempts", async (failures, output) => {
    await using stand = await serve([once, reply.text("Done."), reply.text("Again.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [flaky(failures)], middleware: [toolErrors(), quick], history });
    const result = await ends(runIn(way, agent, "Go."));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", output]]);
    expect(outputsIn(result.items)).toHaveLength(1);
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    expect(outputsIn(stand.server.request(2).context)).toHaveLength(1);
    stand.server.assertDone();
  });

  it("nor does a wrap that answers from elsewhere after asking add a second one", async () => {
    await using stand = await serve([once, reply.text("Done.")]);
    const cache = defineMiddleware({
      name: "cache",
      repeats: true,
      wrapToolCall: async (call, next) => (await next(call), await next(call), { kind: "ok", output: "from the cache" }),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [flaky(0)], middleware: [cache], history });
    await ends(runIn(way, agent, "Go."));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", "from the cache"]]);
    stand.server.assertDone();
  });
});

describe.each(waysAndHistories)("C10: a call has one output however often its run pauses ($way, $kind)", ({ way, history }) => {
  it("also when an older state is resumed beside the latest one", async () => {
    const calls = reply.calls(callOf("look", "call_1", 1), callOf("ask", "call_2", 2), callOf("ask", "call_3", 3));
    await using stand = await serve([calls, reply.text("Done."), reply.text("Again.")]);
    const tools = [numberTool("look", (n) => n), numberTool("ask", (n) => n, { effect: "write", approval: true, resource: "thing:{n}" })];
    const agent = new Agent({ model: "test", client: stand.client, tools, history });
    const first = await pause(ends(runIn(way, agent, "Go.")));
    const second = await pause(ends(resumeIn(way, agent, first.state, { decisions: approve("call_2") })));
    const result = await ends(resumeIn(way, agent, second.state, { decisions: approve("call_3") }));
    for (const { state } of [first, second])
      await expect(resumeIn(way, agent, state, { decisions: approve("call_3") })).rejects.toMatchObject({ code: "RUN_STATE" });
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    const outputs = [1, 2, 3].map((n) => [`call_${n}`, String(n)]);
    expect(outputsIn(result.items)).toEqual(outputs);
    expect(outputsIn(stand.server.request(2).context)).toEqual(outputs);
    stand.server.assertDone();
  });
});

describe("C10: attempts are seen in events", () => {
  it("three attempts, one start, one outcome", async () => {
    await using stand = await serve([once, reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [flaky(2)], middleware: [quick] });
    const { events } = await ends(collect(agent, "Go."));
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect([count("tool-start"), count("tool-attempt"), count("tool-outcome")]).toEqual([1, 3, 1]);
  });
});
