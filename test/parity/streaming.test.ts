import { Agent, type RunEvent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf } from "../support/ways.js";

const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const textOf = (events: readonly RunEvent[], type: "text-delta" | "reasoning-delta" | "refusal-delta") =>
  events.map((event) => (event.type === type ? event.text : "")).join("");

it("a run of two steps is told in one order, from its start to its end", async () => {
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 1)).with({ deltaSize: 3 }),
    reply.text("Seen.").with({ deltaSize: 3 }),
  ]);
  const look = numberTool("look", (_, { progress }) => (progress("half"), "seen"));
  const { events, result } = await ends(collect(new Agent({ model: "test", client: stand.client, tools: [look] }), "Go."));
  expect(typesOf(events)).toEqual([
    ...["run-start", "step-start", "tool-input-start", "tool-input-delta", "tool-input-delta", "tool-input-delta", "tool-input-end"],
    ...["tool-start", "tool-attempt", "tool-progress", "tool-outcome", "step-end"],
    ...["step-start", "text-delta", "text-delta", "step-end", "run-end"],
  ]);
  expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([result.runId]));
  expect(events.filter(({ type }) => type === "step-start").map(({ step }) => step)).toEqual([0, 1]);
  expect(events.at(-1)).toMatchObject({ stopReason: "completed", usage: result.usage });
});

it("each call has its own start, deltas and end, whose text is its arguments", async () => {
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 12_345), callOf("look", "call_2", 67_890)).with({ deltaSize: 2, interleave: true }),
    reply.text("Done."),
  ]);
  const { events } = await ends(collect(new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => 1)] }), "Go."));
  for (const [callId, text] of [
    ["call_1", '{"n":12345}'],
    ["call_2", '{"n":67890}'],
  ]) {
    const deltas = events.flatMap((event) => (event.type === "tool-input-delta" && event.callId === callId ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe(text);
    expect(events.find((event) => event.type === "tool-input-end" && event.callId === callId)).toMatchObject({ arguments: text });
  }
});

it("text, reasoning and refusals are told apart", async () => {
  await using stand = await serve([reply.output(reply.reasoning("Let me think."), reply.text("Hello."), reply.refusal("Not that."))]);
  const { events, result } = await ends(collect(new Agent({ model: "test", client: stand.client }), "Hi."));
  expect(textOf(events, "reasoning-delta")).toBe("Let me think.");
  expect(textOf(events, "text-delta")).toBe("Hello.");
  expect(textOf(events, "refusal-delta")).toBe("Not that.");
  expect(result).toMatchObject({ output: "Hello." });
});

it("a refusal that is all there is ends the stream with it", async () => {
  await using stand = await serve([reply.refusal("I will not.")]);
  const { events, result } = await ends(collect(new Agent({ model: "test", client: stand.client }), "Hi."));
  expect(result).toMatchObject({ stopReason: "refused", refusal: "I will not." });
  expect(events.at(-1)).toMatchObject({ type: "run-end", stopReason: "refused" });
});

it("a call is told before its tool ends, and its outcome as soon as it has", async () => {
  await using stand = await serve([reply.calls(callOf("slow", "call_1", 1), callOf("quick", "call_2", 2)), reply.text("Done.")]);
  const gate = Promise.withResolvers<string>();
  const agent = new Agent({
    model: "test",
    client: stand.client,
    tools: [numberTool("slow", () => gate.promise), numberTool("quick", () => "quick")],
  });
  const seen: string[] = [];
  const read = async () => {
    for await (const event of agent.stream("Go.")) {
      if (event.type !== "tool-start" && event.type !== "tool-outcome") continue;
      seen.push(`${event.type} ${event.tool}`);
      if (event.type === "tool-outcome" && event.tool === "quick") gate.resolve("slow");
    }
  };
  await ends(read());
  expect(seen).toEqual(["tool-start slow", "tool-start quick", "tool-outcome quick", "tool-outcome slow"]);
});

it("a call that is answered without running has an outcome, and no start", async () => {
  await using stand = await serve([
    reply.calls({ name: "gone", callId: "call_1" }, { name: "look", callId: "call_2", arguments: "{" }),
    reply.text("Sorry."),
  ]);
  const { events } = await ends(collect(new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => 1)] }), "Go."));
  const told = events.flatMap((event) => (event.type === "tool-outcome" ? [[event.callId, event.outcome.kind, event.attempts]] : []));
  expect(told).toEqual([
    ["call_1", "invalid", 0],
    ["call_2", "invalid", 0],
  ]);
  expect(typesOf(events)).not.toContain("tool-start");
});

describe("pieces of text", () => {
  it("that are empty are not told", async () => {
    const empty = { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "" };
    await using stand = await serve([
      reply.text("Hello.", { id: "msg_1" }).with({
        transformEvent: (event) => (event["type"] === "response.output_text.delta" ? [empty, event, empty] : event),
      }),
    ]);
    const { events } = await ends(collect(new Agent({ model: "test", client: stand.client }), "Hi."));
    const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(deltas.join("")).toBe("Hello.");
    expect(deltas).not.toContain("");
  });

  it("come as they were, whatever characters are in them", async () => {
    const text = 'Quotes " and \\ and \n, 👩‍👩‍👧, \u0000, naïve, 日本語.';
    await using stand = await serve([reply.text(text).with({ deltaSize: 1, chunk: "byte" })]);
    const { events, result } = await ends(collect(new Agent({ model: "test", client: stand.client }), "Hi."));
    expect(textOf(events, "text-delta")).toBe(text);
    expect(result).toMatchObject({ output: text });
  });
});

it("a failure in a later step is told at the end, after all that came before, and leaves the work of the first", async () => {
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 1)),
    reply.failed({ code: "server_error", message: "Oh." }, reply.text("Hel")),
  ]);
  const stream = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => "seen")] }).stream("Go.");
  const events: RunEvent[] = [];
  const read = async () => {
    for await (const event of stream) events.push(event);
  };
  const thrown = await ends(failureOf(read()));
  expect(thrown).toMatchObject({ code: "MODEL_FAILED" });
  expect(typesOf(events).slice(-3)).toEqual(["step-start", "text-delta", "run-end"]);
  expect(events.at(-1)).toMatchObject({ stopReason: "error" });
  expect(thrown.result.steps).toMatchObject([{ calls: [{ outcome: { kind: "ok", output: "seen" } }] }]);
  expect(await stream.result.catch((error: unknown) => error)).toBe(thrown);
});

it("usage is told with each step, so that a consumer may leave when it has seen enough", async () => {
  await using stand = await serve(() =>
    reply.calls({ name: "look", arguments: { n: 1 } }).with({ usage: { inputTokens: 100, outputTokens: 10 } }),
  );
  const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => 1)] });
  const stream = agent.stream("Go.");
  let tokens = 0;
  const read = async () => {
    for await (const event of stream) {
      if (event.type === "step-end" && (tokens += event.usage.totalTokens) > 200) break;
    }
  };
  await ends(read());
  const error = await ends(failureOf(stream.result));
  expect(error).toMatchObject({ code: "RUN_ABORTED", result: { usage: { totalTokens: 220 } } });
  expect(stand.server.requests).toHaveLength(2);
});

it("the reason of an abort is the cause of what iteration and result reject with", async () => {
  await using stand = await serve([reply.hang({ afterEvents: 6 }, reply.text("A long answer that never ends."))]);
  const controller = new AbortController();
  const stream = new Agent({ model: "test", client: stand.client }).stream("Go.", { signal: controller.signal });
  const reason = new Error("The user left.");
  const read = async () => {
    for await (const event of stream) if (event.type === "text-delta") controller.abort(reason);
  };
  const thrown = await ends(failureOf(read()));
  expect([thrown.code, thrown.cause]).toEqual(["RUN_ABORTED", reason]);
  expect(await ends(failureOf(stream.result))).toBe(thrown);
});

it("an abort after the end changes nothing", async () => {
  await using stand = await serve([reply.text("Hello.")]);
  const controller = new AbortController();
  const stream = new Agent({ model: "test", client: stand.client }).stream("Hi.", { signal: controller.signal });
  for await (const _ of stream);
  controller.abort();
  expect(await stream.result).toMatchObject({ output: "Hello." });
});

it("a result that is awaited alone needs no consumer", async () => {
  await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("x".repeat(5000)).with({ deltaSize: 1 })]);
  const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => 1)] });
  expect(await ends(agent.stream("Go.").result)).toMatchObject({ output: "x".repeat(5000) });
});
