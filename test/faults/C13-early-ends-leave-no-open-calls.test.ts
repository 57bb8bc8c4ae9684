import { Agent, isFunctionCall, isFunctionCallOutput } from "@toolwright/core";
import { toolErrors } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { localItems, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways } from "../support/ways.js";

const twoCalls = reply.output(reply.reasoning("Hm."), reply.calls(callOf("work", "call_1", 1), callOf("other", "call_2", 2)));

describe.each(ways)("C13: a run that ends early leaves no open call (%s)", (way) => {
  it.each([
    ["a budget of one step", "throws", { maxSteps: 1 }, "RUN_BUDGET"],
    ["an abort in the middle of a tool", "aborts", {}, "RUN_ABORTED"],
    ["a tool failure that ends the run", "throws", { middleware: [toolErrors({ rethrow: ["TOOL_FAILED"] })] }, "RUN_TOOL_FAILED"],
  ] as const)("%s", async (_, doing, options, code) => {
    await using stand = await serve([twoCalls, reply.text("Here again.")]);
    const controller = new AbortController();
    const work = numberTool("work", () => {
      if (doing === "throws") throw new Error("private");
      controller.abort();
      return forever();
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [work, numberTool("other", (n) => n)], ...options });
    const error = await ends(failureOf(runIn(way, agent, "Go.", { signal: controller.signal })));
    expect(error.code).toBe(code);

    const items = localItems(error.result.history);
    const called = items.filter(isFunctionCall).map((item) => item.call_id);
    expect(called).toEqual(["call_1", "call_2"]);
    expect(items.filter(isFunctionCallOutput).map((item) => item.call_id)).toEqual(called);
    const result = await ends(runIn(way, agent, "And now?", { history: error.result.history }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Here again." });
    stand.server.assertDone();
  });

  it("a supplied history with an open call is refused before any request, naming the item", async () => {
    await using stand = await serve([]);
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "work", arguments: "{}", status: "completed" };
    const agent = new Agent({ model: "test", client: stand.client });
    const items = [{ type: "message", role: "user", content: "Go." }, call];
    await expect(runIn(way, agent, "And now?", { history: { kind: "local", items } })).rejects.toMatchObject({
      code: "RUN_HISTORY",
      message: expect.stringContaining("history.items[1] is the call call_1"),
    });
    expect(stand.server.requests).toHaveLength(0);
  });

  it("a pause that nobody decides, or that a resumed run breaks off from, leaves none for the next run", async () => {
    const asking = reply.calls(callOf("ask", "call_1", 1), callOf("other", "call_2", 2));
    await using stand = await serve([asking, reply.text("One."), reply.text("Two.")]);
    const controller = new AbortController();
    const ask = numberTool("ask", () => (controller.abort(), forever()), { effect: "write", approval: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [ask, numberTool("other", (n) => n)] });
    const paused = await pause(ends(runIn(way, agent, "Go.")));
    const options = { decisions: approve("call_1"), signal: controller.signal };
    const error = await ends(failureOf(resumeIn(way, agent, paused.state, options)));
    expect(error.code).toBe("RUN_ABORTED");
    for (const { history } of [paused, error.result]) {
      await ends(runIn(way, agent, "And now?", { history }));
      const { context } = stand.server.requests.at(-1) ?? { context: [] };
      expect(context.filter(isFunctionCallOutput).map((item) => item.call_id)).toEqual(["call_1", "call_2"]);
    }
    stand.server.assertDone();
  });
});
