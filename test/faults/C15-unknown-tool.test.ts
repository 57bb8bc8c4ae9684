import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

const unknown = callOf("list_sites", "call_unknown", 1);

describe.each(waysAndHistories)("C15: a call of a tool that does not exist ($way, $kind)", ({ way, history }) => {
  it("is answered with the names that there are, beside its siblings, and the model may go on", async () => {
    await using stand = await serve([
      reply.calls(unknown, callOf("get_sites", "call_known", 2)),
      reply.calls(callOf("get_sites", "call_again", 3)),
      reply.text("Three sites."),
    ]);
    const seen: number[] = [];
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("get_sites", (n) => seen.push(n)), numberTool("close_site", (n) => n)],
      history,
    });
    const result = await ends(runIn(way, agent, "Sites?"));

    expect(result).toMatchObject({ stopReason: "completed", output: "Three sites." });
    expect(stand.server.requests).toHaveLength(3);
    expect(seen).toEqual([2, 3]);
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(["call_unknown", "call_known"]);
    const error = errorIn(outputs[0]?.[1]);
    expect(error).toEqual({
      code: "TOOL_UNKNOWN",
      message: expect.stringContaining("get_sites"),
      retryable: false,
      tools: ["get_sites", "close_site"],
    });
    // Names and nothing else of the tools.
    expect(JSON.stringify(error)).not.toMatch(/Does |parameters|app#/);
    expect(result.steps[0]?.calls[0]).toMatchObject({ tool: "list_sites", attempts: 0, outcome: { kind: "invalid" } });
    stand.server.assertDone();
  });

  it("is bounded by the steps of the run", async () => {
    await using stand = await serve(({ index }) => reply.calls(callOf("list_sites", `call_${index}`, index)));
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("get_sites", (n) => n)], maxSteps: 3, history });
    expect((await ends(failureOf(runIn(way, agent, "Sites?")))).code).toBe("RUN_BUDGET");
    expect(stand.server.requests).toHaveLength(3);
  });

  it("is told of an agent without tools too", async () => {
    await using stand = await serve([reply.calls(unknown), reply.text("None.")]);
    const agent = new Agent({ model: "test", client: stand.client, history });
    await ends(runIn(way, agent, "Sites?"));
    expect(errorIn(outputsIn(inputOf(stand.server.request(1)))[0]?.[1])).toMatchObject({
      code: "TOOL_UNKNOWN",
      message: expect.stringContaining("none"),
    });
    stand.server.assertDone();
  });
});
