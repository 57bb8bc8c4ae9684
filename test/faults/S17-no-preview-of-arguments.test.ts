import { Agent, defineTool, type RunEvent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { outputsIn, serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

// No preview of arguments that are still coming in is offered: their deltas are told as the text that they are, and nothing
// parses them. So the fault has no place to be in; what is left to show is that half tokens harm nothing.
const text = String.raw`{"a":[-1.5e3,true,"\u00e9"]}`;
const prefixes = Array.from({ length: text.length }, (_, length) => text.slice(0, length));

const call = (callId: string, prefix: string) => ({ name: "take", callId, id: `fc_of_${callId}`, arguments: prefix });

function taker() {
  const taken: unknown[] = [];
  const take = defineTool({
    name: "take",
    description: "Takes a list.",
    effect: "write",
    parameters: {
      type: "object",
      properties: { a: { type: "array", items: { type: ["number", "boolean", "string"] } } },
      required: ["a"],
    },
    execute: (args) => taken.push(args),
  });
  return { taken, take };
}

describe("S17: arguments that are not all there are text, whatever they break off in", () => {
  it("deltas are told as text alone, and together they are the arguments", async () => {
    await using stand = await serve([reply.calls(call("call_1", text)).with({ deltaSize: 1 }), reply.text("Done.")]);
    const { taken, take } = taker();
    const agent = new Agent({ model: "test", client: stand.client, tools: [take] });
    const events: RunEvent[] = [];
    for await (const event of agent.stream("Go.")) events.push(event);
    const told = events.filter((event) => event.type.startsWith("tool-input"));
    expect(told.map(({ runId: _, step: _step, responseId: _id, path: _path, ...own }) => own)).toEqual([
      { type: "tool-input-start", callId: "call_1", tool: "take" },
      ...Array.from(text, (delta) => ({ type: "tool-input-delta", callId: "call_1", delta })),
      { type: "tool-input-end", callId: "call_1", arguments: text },
    ]);
    expect(taken).toEqual([{ a: [-1500, true, "é"] }]);
  });

  it("a stream that breaks off after any of the prefixes tells that prefix, runs nothing and ends in a typed error", async () => {
    // The first three events are created, in_progress and item added.
    const replies = prefixes.map((_, length) => reply.end({ afterEvents: 3 + length }, reply.calls(call("call_1", text))));
    await using stand = await serve(replies.map((each) => each.with({ deltaSize: 1 })));
    const { taken, take } = taker();
    const agent = new Agent({ model: "test", client: stand.client, tools: [take] });
    for (const prefix of prefixes) {
      const stream = agent.stream("Go.");
      let told = "";
      const iteration = (async () => {
        for await (const event of stream) if (event.type === "tool-input-delta") told += event.delta;
      })();
      const error = await ends(failureOf(iteration));
      expect(told).toBe(prefix);
      expect(error).toMatchObject({ code: "MODEL_STREAM_ENDED", result: { items: [], steps: [] } });
    }
    expect(taken).toEqual([]);
    stand.server.assertDone();
  });

  it("a completed call with any of the prefixes is one wrong call, and the run goes on", async () => {
    const calls = prefixes.map((prefix, index) => call(`call_${index}`, prefix));
    await using stand = await serve([reply.calls(...calls).with({ interleave: true, deltaSize: 1 }), reply.text("Done.")]);
    const { taken, take } = taker();
    const agent = new Agent({ model: "test", client: stand.client, tools: [take] });
    const result = await ends(agent.stream("Go.").result);
    expect(result).toMatchObject({ output: "Done." });
    const outcomes = result.steps[0]?.calls.map(({ outcome }) => outcome) ?? [];
    expect(outcomes).toHaveLength(text.length);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ kind: "invalid", error: { code: "TOOL_ARGUMENTS_INVALID" } });
    }
    expect(outputsIn(result.items)).toHaveLength(text.length);
    expect(taken).toEqual([]);
    stand.server.assertDone();
  });
});
