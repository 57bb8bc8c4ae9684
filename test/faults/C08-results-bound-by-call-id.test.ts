import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { resumeIn, runIn, waysAndHistories } from "../support/ways.js";

describe.each(waysAndHistories)("C08: results follow their call ids ($way, $kind)", ({ way, history }) => {
  it.each(["read", "write"] as const)("two calls to one tool (%s) do not swap answers when the later one is first", async (effect) => {
    await using stand = await serve([
      reply.calls(callOf("temperature", "call_X", 1), callOf("temperature", "call_Y", 2)),
      reply.text("Done."),
    ]);
    const second = Promise.withResolvers<void>();
    const temperature = numberTool(
      "temperature",
      async (n) => {
        if (n === 1) await second.promise;
        else second.resolve();
        return `of ${n}`;
      },
      // Writes without a key would wait for each other.
      { effect, resource: "city:{n}" },
    );
    const agent = new Agent({ model: "test", client: stand.client, tools: [temperature], history });
    const result = await ends(runIn(way, agent, "Compare."));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
      ["call_X", "of 1"],
      ["call_Y", "of 2"],
    ]);
    expect(result.steps[0]?.calls.map(({ callId, arguments: checked, outcome }) => [callId, checked, outcome])).toEqual([
      ["call_X", { n: 1 }, { kind: "ok", output: "of 1" }],
      ["call_Y", { n: 2 }, { kind: "ok", output: "of 2" }],
    ]);
    stand.server.assertDone();
  });

  it("nor do two that a person decides in the other order", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_X", 1), callOf("pay", "call_Y", 2)), reply.text("Done.")]);
    const pay = numberTool("pay", (n) => `of ${n}`, { effect: "write", approval: true, resource: "city:{n}" });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history });
    const first = await pause(ends(runIn(way, agent, "Pay.")));
    const second = await pause(ends(resumeIn(way, agent, first.state, { decisions: approve("call_Y") })));
    await ends(resumeIn(way, agent, second.state, { decisions: approve("call_X") }));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
      ["call_X", "of 1"],
      ["call_Y", "of 2"],
    ]);
    stand.server.assertDone();
  });
});
