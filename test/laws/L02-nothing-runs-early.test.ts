import { Agent, type RunEvent } from "@toolwright/core";
import { reply, type OutputReply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const calls = reply.calls(callOf("look", "call_a", 1), callOf("look", "call_b", 2));
const started = reply.output(reply.text("Let me look."), calls);

/** Counts its calls. */
function counter() {
  const seen: number[] = [];
  return { seen, look: numberTool("look", (n) => seen.push(n), { effect: "write" }) };
}

describe("L02: nothing runs before its response is completed", () => {
  it("a call whose arguments are all there waits for the end of the response", async () => {
    const open = Promise.withResolvers<void>();
    // Everything but `response.completed`: the events of two calls are created, in_progress, and added, delta, done, done each.
    await using stand = await serve([calls.with({ hold: { afterEvents: 10, until: open.promise } }), reply.text("Done.")]);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    const stream = agent.stream("Look.");
    const types: RunEvent["type"][] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "tool-input-end" && event.callId === "call_b") {
        await sleep(50);
        expect(seen).toEqual([]);
        open.resolve();
      }
    }
    expect(seen).toEqual([1, 2]);
    expect(types.indexOf("tool-start")).toBeGreaterThan(types.lastIndexOf("tool-input-end"));
    stand.server.assertDone();
  });

  it("arguments are not looked at before the end, however they are cut", async () => {
    await using stand = await serve([calls.with({ deltaSize: 1, interleave: true, chunk: "byte" }), reply.text("Done.")]);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    const deltas: string[] = [];
    for await (const event of agent.stream("Look.")) {
      if (event.type === "tool-input-delta") deltas.push(event.delta);
      if (event.type === "step-end" && event.step === 0) expect(seen).toEqual([1, 2]);
    }
    expect(deltas.join("")).toHaveLength('{"n":1}{"n":2}'.length);
  });
});

const serverError = { code: "server_error", message: "The server had an error." };
const endings: readonly { readonly name: string; readonly reply: OutputReply; readonly run: string; readonly stream: string }[] = [
  { name: "response.failed", reply: reply.failed(serverError, started), run: "MODEL_FAILED", stream: "MODEL_FAILED" },
  { name: "incomplete (max_output_tokens)", reply: reply.incomplete({}, started), run: "MODEL_INCOMPLETE", stream: "MODEL_INCOMPLETE" },
  {
    name: "incomplete (content_filter)",
    reply: reply.incomplete({ reason: "content_filter" }, started),
    run: "MODEL_INCOMPLETE",
    stream: "MODEL_INCOMPLETE",
  },
  { name: "an error event", reply: reply.error(serverError, started), run: "MODEL_SERVER", stream: "MODEL_FAILED" },
  { name: "a cut connection", reply: reply.cut({ afterEvents: 15 }, started), run: "MODEL_CONNECTION", stream: "MODEL_CONNECTION" },
  { name: "a bare end of the body", reply: reply.end({}, started), run: "MODEL_PROTOCOL", stream: "MODEL_STREAM_ENDED" },
];

describe.each(ways)("L02: a response that is not completed runs nothing (%s)", (way) => {
  it.each(endings)("$name is a typed error with what is known of the response", async (ending) => {
    await using stand = await serve([ending.reply.with({ responseId: "resp_broken" })]);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    await sleep(20);

    expect(error.code).toBe(ending[way]);
    expect(seen).toEqual([]);
    expect(stand.server.requests).toHaveLength(1);
    expect(error.result).toMatchObject({
      stopReason: "error",
      items: [],
      steps: [],
      history: { kind: "local", items: [] },
      usage: { requests: 1 },
    });
    if (way === "stream") expect(error.details).toMatchObject({ responseId: "resp_broken", partialText: "Let me look." });
  });
});

describe("L02: where the reply ends decides, not how it is sent", () => {
  it.each([
    ["run", { transport: "sse" as const }, reply.end({}, started), "MODEL_STREAM_ENDED"],
    ["stream", {}, reply.failed(serverError, started).with({ jsonInsteadOfSse: true }), "MODEL_FAILED"],
    ["stream", {}, reply.incomplete({}, started).with({ jsonInsteadOfSse: true }), "MODEL_INCOMPLETE"],
  ] as const)("%s with %o", async (way, options, broken, code) => {
    await using stand = await serve([broken]);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], ...options });
    const error = await ends(failureOf(runIn(way, agent, "Look.")));
    expect(error.code).toBe(code);
    expect(seen).toEqual([]);
  });

  it.each([0, 1, 5, 11])("a stream that just ends after %i events has not completed", async (afterEvents) => {
    await using stand = await serve([reply.end({ afterEvents }, started)]);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    expect((await ends(failureOf(runIn("stream", agent, "Look.")))).code).toBe("MODEL_STREAM_ENDED");
    expect(seen).toEqual([]);
  });

  it("a stream that ends in the middle of an event has not completed", async () => {
    const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };
    await using stand = await serve([
      reply.events([created, 'event: response.completed\ndata: {"type":"response.completed","response":{"id":"resp_1","sta']),
    ]);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    expect((await ends(failureOf(runIn("stream", agent, "Look.")))).code).toBe("MODEL_STREAM_ENDED");
    expect(seen).toEqual([]);
  });

  it.each(ways)("a completed response whose status says otherwise is no completed one (%s)", async (way) => {
    const asFailed = (event: { readonly [key: string]: unknown }) =>
      event["type"] === "response.completed" ? { ...event, response: { ...(event["response"] as object), status: "in_progress" } } : event;
    const script =
      way === "stream"
        ? [calls.with({ transformEvent: asFailed })]
        : [reply.http(200, { body: { id: "resp_1", object: "response", status: "queued", output: [] } })];
    await using stand = await serve(script);
    const { seen, look } = counter();
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    expect((await ends(failureOf(runIn(way, agent, "Look.")))).code).toBe("MODEL_PROTOCOL");
    expect(seen).toEqual([]);
  });
});
