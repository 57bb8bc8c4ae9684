import { Agent, type Item } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, serve } from "../support/serve.js";
import { numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

const thought = (n: number) => ({
  type: "reasoning",
  id: `rs_${n}`,
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: `sealed ${n}`,
});
const call = (n: number) => ({
  type: "function_call",
  id: `fc_${n}`,
  status: "completed",
  arguments: `{ "n": ${n} }`,
  call_id: `call_${n}`,
  name: "look",
});
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "Looking…", annotations: [], logprobs: [] }],
};

const outputs: readonly (readonly [string, readonly Item[]])[] = [
  ["reasoning before each call", [thought(1), call(1), thought(2), call(2), message]],
  ["two thoughts in a row", [thought(1), thought(2), call(1), message, call(2)]],
  ["an invented item between", [thought(1), { type: "hologram", id: "holo_1", depth: [3, { of: "field" }], label: "" }, call(1), call(2)]],
  ["an invented item after a thought", [call(1), call(2), thought(1), { type: "hologram", id: "holo_1" }]],
  ["fields that the loop has no use for", [thought(1), { ...call(1), caller: { type: "direct" } }, { ...call(2), namespace: "look" }]],
];

describe.each(ways)("C03: a reply's items are kept verbatim and in order (%s)", (way) => {
  it.each(outputs)("%s", async (_, output) => {
    await using stand = await serve([reply.items(output), reply.text("Done."), reply.text("Again.")], { verifyEncryptedContent: false });
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => `seen ${n}`)] });
    const result = await ends(runIn(way, agent, "Go."));

    const answers = [1, 2].map((n) => ({ type: "function_call_output", call_id: `call_${n}`, output: `seen ${n}` }));
    const kept = localItems(result.history);
    expect(kept.slice(1, -1)).toEqual([...output, ...answers]);
    expect(JSON.stringify(kept.slice(1, 1 + output.length))).toBe(JSON.stringify(output));
    expect(inputOf(stand.server.request(1))).toEqual(kept.slice(0, -1));

    await ends(runIn(way, agent, "And now?", { history: result.history }));
    expect(inputOf(stand.server.request(2)).slice(0, -1)).toEqual(kept);
    stand.server.assertDone();
  });

  it("nulls and the client's own fields are kept in history, and left out on the wire", async () => {
    const odd = [
      { ...message, phase: null, content: [{ ...message.content[0], logprobs: null, parsed: { a: 1 } }] },
      { ...call(1), namespace: null, parsed_arguments: { n: 1 } },
    ];
    await using stand = await serve([reply.items(odd), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => `seen ${n}`)] });
    const result = await ends(runIn(way, agent, "Go."));
    expect(localItems(result.history).slice(1, 3)).toEqual(odd);
    const sent = inputOf(stand.server.request(1)).slice(1, 3);
    expect(sent[0]).toEqual({ ...message, phase: undefined, content: [{ type: "output_text", text: "Looking…", annotations: [] }] });
    expect(sent[1]).toEqual(call(1));
    stand.server.assertDone();
  });
});
