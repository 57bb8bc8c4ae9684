import { Agent } from "@toolwright/core";
import { reply, type OutputReply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, histories } from "../support/ways.js";

const halfACall = reply.calls({
  ...callOf("pay", "call_half", 2),
  arguments: '{"n":2,"note":"a long argument that comes in several deltas"}',
});
const firstStep = reply.calls(callOf("look", "call_1", 1));

const withoutCompleted = (event: { readonly [key: string]: unknown }) => (event["type"] === "response.completed" ? undefined : event);

// The first events are created, in_progress and item added; then come argument deltas.
const breaks: readonly (readonly [string, OutputReply, string])[] = [
  ["the body ends after one argument delta", reply.end({ afterEvents: 4 }, halfACall), "MODEL_STREAM_ENDED"],
  ["the socket breaks after one argument delta", reply.cut({ afterEvents: 4 }, halfACall), "MODEL_CONNECTION"],
  ["the body ends when all items are done", reply.end({}, halfACall), "MODEL_STREAM_ENDED"],
  [
    "the body ends with [DONE] instead of the last event",
    halfACall.with({ framing: { doneMarker: true }, transformEvent: withoutCompleted }),
    "MODEL_STREAM_ENDED",
  ],
  ["the body is empty", reply.end({ afterEvents: 0 }, halfACall), "MODEL_STREAM_ENDED"],
  ["the socket breaks before the headers", reply.cut({ beforeHeaders: true }, halfACall), "MODEL_CONNECTION"],
];

describe.each(histories)("S04: a stream that does not end in an end ($kind)", (history) => {
  it.each(breaks)("%s: a typed error, nothing run, the history as before that step", async (_, broken, code) => {
    await using stand = await serve([firstStep.with({ responseId: "resp_1" }), broken]);
    const paid: number[] = [];
    const tools = [numberTool("look", (n) => n), numberTool("pay", (n) => paid.push(n), { effect: "write" })];
    const agent = new Agent({ model: "test", client: stand.client, tools, history });
    const error = await ends(failureOf(agent.stream("Pay.").result));
    await sleep(20);

    expect(error.code).toBe(code);
    expect(error.retryable).toBe(true);
    expect(paid).toEqual([]);
    expect(error.result.steps).toHaveLength(1);
    const output = { type: "function_call_output", call_id: "call_1", output: "1" };
    if (history.kind === "local") expect(error.result.history.items).toEqual(error.result.items);
    else expect(error.result.history).toEqual({ kind: "chained", previousResponseId: "resp_1", outputs: [output] });
    expect(error.result.items.map((item) => item.type)).toEqual(["message", "function_call", "function_call_output"]);
    expect(stand.server.requests).toHaveLength(2);
  });
});
