import { Agent, type RunEvent } from "@toolwright/core";
import { modelRetry } from "@toolwright/core/middleware";
import { type OutputReply, reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const broken = { code: "server_error", message: "Broken." };
const single = { deltaSize: 1 };

/** Deltas "a" and "b", then a break. The first four events are created, in_progress, item added and part added. */
const afterAB: readonly (readonly [string, OutputReply, string])[] = [
  ["the socket breaks", reply.cut({ afterEvents: 6 }, reply.text("abcd")), "MODEL_CONNECTION"],
  ["the body just ends", reply.end({ afterEvents: 6 }, reply.text("abcd")), "MODEL_STREAM_ENDED"],
  ["the response fails", reply.failed(broken, reply.text("ab")), "MODEL_FAILED"],
  ["an error event comes", reply.error(broken, reply.text("ab")), "MODEL_FAILED"],
];

/** What else a consumer shows as it comes. */
const shown: readonly (readonly [RunEvent["type"], OutputReply])[] = [
  ["reasoning-delta", reply.cut({ afterEvents: 6 }, reply.output(reply.reasoning("abcd"), reply.text("abcd")))],
  ["refusal-delta", reply.cut({ afterEvents: 6 }, reply.refusal("abcd"))],
  ["tool-input-start", reply.cut({ afterEvents: 3 }, reply.calls(callOf("look", "call_1", 1)))],
  ["tool-input-delta", reply.cut({ afterEvents: 5 }, reply.calls(callOf("look", "call_1", 1)))],
];

const quick = { minDelayMs: 1, maxDelayMs: 1 } as const;

/** Reads a stream to its end, be it good or bad. */
async function read(agent: Agent) {
  const stream = agent.stream("Go.");
  const events: RunEvent[] = [];
  const iteration = (async () => {
    for await (const event of stream) events.push(event);
  })();
  // The iteration ends in the same error as the result.
  await ends(iteration.catch(() => {}));
  return { events, result: stream.result };
}

/** The text since the consumer was last told to forget what it had. */
function textOf(events: readonly RunEvent[]): string {
  const from = events.findLastIndex((event) => event.type === "step-restart") + 1;
  return events.slice(from).reduce((text, event) => (event.type === "text-delta" ? text + event.text : text), "");
}

describe("S16: a stream is never repeated behind its consumer's back", () => {
  it.each(afterAB)("%s after text: one request, an error, and the text once", async (_, failure, code) => {
    await using stand = await serve([failure.with(single)]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [modelRetry(quick)] });
    const { events, result } = await read(agent);
    expect(await failureOf(result)).toMatchObject({ code, retryable: true, details: { partialText: "ab" } });
    expect(textOf(events)).toBe("ab");
    expect(events.map(({ type }) => type)).not.toContain("step-restart");
    expect(stand.server.requests).toHaveLength(1);
  });

  it.each(afterAB)('%s after text, with afterOutput: "restart": the consumer is told before anything comes again', async (_, failure) => {
    await using stand = await serve([failure.with(single), reply.text("abcd").with(single)]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [modelRetry({ ...quick, afterOutput: "restart" })] });
    const { events, result } = await read(agent);
    expect(await result).toMatchObject({ stopReason: "completed", output: "abcd", usage: { requests: 2 } });
    expect(textOf(events)).toBe("abcd");
    const telling = events.flatMap((event) =>
      event.type === "text-delta" ? [event.text] : event.type === "step-restart" ? ["restart"] : [],
    );
    expect(telling).toEqual(["a", "b", "restart", "a", "b", "c", "d"]);
    // It is the same step, begun and ended once.
    expect(events.filter(({ type }) => type === "step-start" || type === "step-end").map(({ step }) => step)).toEqual([0, 0]);
    stand.server.assertDone();
  });

  it.each(shown)("a %s is output as well", async (type, failure) => {
    await using stand = await serve([failure.with(single), failure.with(single), reply.text("abcd")]);
    const tools = [numberTool("look", (n) => n)];
    const careful = new Agent({ model: "test", client: stand.client, tools, middleware: [modelRetry(quick)] });
    const first = await read(careful);
    expect((await failureOf(first.result)).code).toBe("MODEL_CONNECTION");
    expect(first.events.map((event) => event.type)).toContain(type);
    expect(stand.server.requests).toHaveLength(1);

    const bold = new Agent({ model: "test", client: stand.client, tools, middleware: [modelRetry({ ...quick, afterOutput: "restart" })] });
    const { events, result } = await read(bold);
    expect(await result).toMatchObject({ output: "abcd" });
    expect(events.filter((event) => event.type === "step-restart")).toHaveLength(1);
    stand.server.assertDone();
  });

  it("output of an earlier step is no output of this one", async () => {
    await using stand = await serve([
      reply.output(reply.text("Let me look."), reply.calls(callOf("look", "call_1", 1))),
      reply.http(500),
      reply.text("abcd"),
    ]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", (n) => n)],
      middleware: [modelRetry(quick)],
    });
    const { events, result } = await read(agent);
    expect(await result).toMatchObject({ output: "abcd", usage: { requests: 3 } });
    expect(events.map(({ type }) => type)).not.toContain("step-restart");
    stand.server.assertDone();
  });

  it("where nobody saw anything, in run(), the request is simply repeated", async () => {
    await using stand = await serve([reply.cut({ afterEvents: 6 }, reply.text("abcd")).with(single), reply.text("abcd")]);
    const agent = new Agent({ model: "test", client: stand.client, transport: "sse", middleware: [modelRetry(quick)] });
    expect(await ends(agent.run("Go."))).toMatchObject({ output: "abcd", usage: { requests: 2 } });
    stand.server.assertDone();
  });
});
