import { Agent, isFunctionCall } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, waysAndHistories } from "../support/ways.js";

describe.each(waysAndHistories)("C06: item id and call id stay apart ($way, $kind)", ({ way, kind, history }) => {
  it("the output names the call_id, the replay keeps both, and the tool sees the top-level arguments", async () => {
    const call = {
      type: "function_call",
      id: "fc_9",
      call_id: "call_7",
      name: "add",
      arguments: '{"n":3}',
      status: "completed",
      // Where some other protocol keeps them.
      function: { name: "subtract", arguments: '{"n":4}' },
    };
    await using stand = await serve([reply.items([call]), reply.text("Done.")], { checks: false });
    const seen: [number, string][] = [];
    const add = numberTool("add", (n, { callId }) => seen.push([n, callId]));
    const agent = new Agent({ model: "test", client: stand.client, tools: [add], history });
    const result = await ends(runIn(way, agent, "Add."));

    expect(seen).toEqual([[3, "call_7"]]);
    const input = inputOf(stand.server.request(1));
    expect(input.at(-1)).toEqual({ type: "function_call_output", call_id: "call_7", output: "1" });
    if (kind === "local") expect(input.find(isFunctionCall)).toMatchObject({ id: "fc_9", call_id: "call_7" });
    expect(result.steps[0]?.calls[0]).toMatchObject({ callId: "call_7", tool: "add", arguments: { n: 3 } });
    stand.server.assertDone();
  });

  it("a call without an item id is answered, and gets none on the way back", async () => {
    const call = { type: "function_call", id: undefined, call_id: "call_7", name: "add", arguments: '{"n":3}', status: "completed" };
    await using stand = await serve([reply.items([call]), reply.text("Done.")], { checks: false });
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("add", (n) => n)], history });
    await ends(runIn(way, agent, "Add."));
    const input = inputOf(stand.server.request(1));
    expect(input.at(-1)).toEqual({ type: "function_call_output", call_id: "call_7", output: "3" });
    if (kind === "local") expect(input.find(isFunctionCall)).not.toHaveProperty("id");
  });
});
