import { Agent, type AgentOptions, defineMiddleware, defineOutput, memorySession, type RunEvent, type ToolContext } from "@toolwright/core";
import { toolSelection } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect } from "../support/ways.js";

type AsTool = Parameters<Agent["asTool"]>[0];

const ask = (args: object | string, callId = "call_1") => ({ name: "helper", callId, id: `fc_of_${callId}`, arguments: args });

/** An agent with another one as its tool. */
function pair(stand: Stand, how: Partial<AsTool> = {}, inner: Partial<AgentOptions> = {}, outer: Partial<AgentOptions> = {}) {
  const helper = new Agent({ model: "inner", client: stand.client, ...inner });
  const tools = [helper.asTool({ name: "helper", description: "Helps.", ...how } as AsTool)];
  return new Agent({ model: "outer", client: stand.client, ...outer, tools });
}

const firstOutput = (stand: Stand, index: number): unknown => outputsIn(inputOf(stand.server.request(index)))[0]?.[1];

describe("what goes in", () => {
  it("is one text by default: anything else is answered as wrong, and no inner run begins", async () => {
    await using stand = await serve([reply.calls(ask({ input: 5 }), ask({}, "call_2"), ask("nonsense", "call_3")), reply.text("Sorry.")]);
    await ends(pair(stand).run("Go."));
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([, output]) => errorIn(output).code)).toEqual(Array.from({ length: 3 }, () => "TOOL_ARGUMENTS_INVALID"));
  });

  const parameters = {
    type: "object",
    properties: { city: { type: "string", description: "Where." }, days: { type: "integer" } },
    required: ["city", "days"],
  } as const;

  it("may be arguments of the application's own form, which the inner run reads as JSON", async () => {
    await using stand = await serve([reply.calls(ask({ city: "Kazan", days: 2 })), reply.text("Sun."), reply.text("Done.")]);
    await ends(pair(stand, { parameters }).run("Go."));
    expect(stand.server.request(0).body.tools).toMatchObject([{ parameters: { properties: { city: { description: "Where." } } } }]);
    expect(inputOf(stand.server.request(1))).toMatchObject([{ role: "user", content: '{"city":"Kazan","days":2}' }]);
  });

  it("or made of them by a function: a text, or items", async () => {
    for (const input of [
      ({ city }: Record<string, unknown>) => `Weather in ${String(city)}?`,
      ({ city }: Record<string, unknown>) => [{ role: "user", content: `Weather in ${String(city)}?` }] as const,
    ]) {
      await using stand = await serve([reply.calls(ask({ city: "Kazan", days: 2 })), reply.text("Sun."), reply.text("Done.")]);
      await ends(pair(stand, { parameters, input }).run("Go."));
      expect(inputOf(stand.server.request(1))).toMatchObject([{ role: "user", content: "Weather in Kazan?" }]);
    }
  });

  it("a function that makes no input fails the call alone", async () => {
    await using stand = await serve([reply.calls(ask({ input: "x" })), reply.text("Sorry.")]);
    await ends(pair(stand, { input: () => 5 as unknown as string }).run("Go."));
    expect(errorIn(firstOutput(stand, 1)).code).toBe("TOOL_AGENT_FAILED");
  });

  it("nothing of the outer conversation, and none of its settings", async () => {
    await using stand = await serve([reply.calls(ask({ input: "x" })), reply.text("y"), reply.text("Done.")]);
    const agent = pair(stand, {}, {}, { settings: { tool_choice: "required", temperature: 1 }, instructions: "Outer." });
    await ends(agent.run("A secret question."));
    const inner = stand.server.request(1).body;
    expect([inner["tool_choice"], inner["temperature"], inner.instructions]).toEqual([undefined, undefined, undefined]);
    expect(JSON.stringify(inner)).not.toContain("secret");
  });
});

describe("what comes out", () => {
  it("is the whole of the inner answer, also in several messages, and also nothing", async () => {
    for (const [answer, text] of [
      [reply.output(reply.text("One, "), reply.text("two.")), "One, two."],
      [reply.text(""), ""],
    ] as const) {
      await using stand = await serve([reply.calls(ask({ input: "x" })), answer, reply.text("Done.")]);
      await ends(pair(stand).run("Go."));
      expect(firstOutput(stand, 2)).toBe(text);
    }
  });

  it("a structured answer is shown as JSON, or as a function makes it", async () => {
    const Size = defineOutput({ name: "size", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } });
    for (const [show, text] of [
      [undefined, '{"n":7}'],
      [(output: unknown) => `It is ${(output as { n: number }).n}.`, "It is 7."],
    ] as const) {
      await using stand = await serve([
        reply.calls(ask({ input: "x" })),
        reply.text('{"n":"seven"}'),
        reply.text('{"n":7}'),
        reply.text("Done."),
      ]);
      const result = await ends(pair(stand, { show }, { output: Size as never }).run("Go."));
      expect(firstOutput(stand, 3)).toBe(text);
      expect(result.usage.requests).toBe(4);
    }
  });

  it("a refusal inside is a failed call, and the outer run goes on", async () => {
    await using stand = await serve([reply.calls(ask({ input: "x" })), reply.refusal("I will not."), reply.text("It would not.")]);
    const result = await ends(pair(stand).run("Go."));
    expect(result).toMatchObject({ stopReason: "completed", output: "It would not." });
    expect(errorIn(firstOutput(stand, 2))).toMatchObject({ code: "TOOL_AGENT_FAILED", message: expect.stringContaining("refused") });
  });
});

it("the caller's context reaches instructions and tools inside", async () => {
  await using stand = await serve([
    reply.calls(ask({ input: "x" })),
    reply.calls(callOf("who", "call_a", 1)),
    reply.text("ok"),
    reply.text("Done."),
  ]);
  const seen: unknown[] = [];
  const who = numberTool("who", (_, { app }: ToolContext) => seen.push(app));
  await ends(pair(stand, {}, { tools: [who], instructions: ({ app }) => `For ${String(app)}.` }).run("Go.", { app: "Ada" }));
  expect([seen, stand.server.request(1).body.instructions]).toEqual([["Ada"], "For Ada."]);
});

it("the inner run has the pipeline of its own agent, and a history of its own each time", async () => {
  await using stand = await serve([
    reply.calls(ask({ input: "first" })),
    reply.text("1"),
    reply.calls(ask({ input: "second" }, "call_2")),
    reply.text("2"),
    reply.text("Done."),
  ]);
  const asked: string[] = [];
  const watch = (name: string) =>
    defineMiddleware({
      name,
      wrapModelCall: (call, next, { run }) => (asked.push(`${name} ${run.path.join("/")} ${run.model}`), next(call)),
    });
  const session = memorySession();
  const inner = { middleware: [watch("in")], history: { kind: "local", session } } as const;
  await ends(pair(stand, {}, inner, { middleware: [watch("out")] }).run("Go."));
  expect(asked).toEqual(["out  outer", "in helper inner", "out  outer", "in helper inner", "out  outer"]);
  expect(inputOf(stand.server.request(3))).toMatchObject([{ role: "user", content: "second" }]);
  expect((await session.load()).items).toEqual([]);
});

it("inner requests stream when the outer run does, and are plain when it is", async () => {
  for (const way of ["run", "stream"] as const) {
    await using stand = await serve([reply.calls(ask({ input: "x" })), reply.text("Inner."), reply.text("Outer.")]);
    const agent = pair(stand);
    await ends(way === "run" ? agent.run("Go.") : agent.stream("Go.").result);
    expect([0, 1, 2].map((index) => stand.server.request(index).body.stream === true)).toEqual([0, 1, 2].map(() => way === "stream"));
  }
});

it("its tools are told of in a stream as they work, each event with the way to it", async () => {
  await using stand = await serve([
    reply.calls(ask({ input: "x" })),
    reply.calls(callOf("look", "call_a", 1)),
    reply.text("Seen."),
    reply.text("Done."),
  ]);
  const { events } = await ends(collect(pair(stand, {}, { tools: [numberTool("look", () => 1)] }), "Go."));
  const inner = events.flatMap((event): RunEvent[] => (event.type === "agent-event" ? [event.event] : []));
  expect(inner.filter(({ type }) => type.startsWith("tool-") && !type.startsWith("tool-input"))).toMatchObject([
    { type: "tool-start", callId: "call_a", tool: "look", path: ["helper"] },
    { type: "tool-attempt", attempt: 1 },
    { type: "tool-outcome", outcome: { kind: "ok" }, path: ["helper"] },
  ]);
  expect(events.filter(({ type }) => type === "run-end")).toHaveLength(1);
  expect(
    events.filter((event) => event.type === "agent-event").every((event) => event.type === "agent-event" && event.callId === "call_1"),
  ).toBe(true);
});

it("can be offered to some requests only", async () => {
  await using stand = await serve([reply.calls(ask({ input: "x" })), reply.text("Not then.")]);
  const select = toolSelection({ select: (_, { run }) => (run.app === "expert" ? ["helper"] : []) });
  await ends(pair(stand, {}, {}, { middleware: [select] }).run("Go.", { app: "novice" }));
  expect(stand.server.request(0).body.tools ?? []).toEqual([]);
  expect(errorIn(firstOutput(stand, 1)).code).toBe("TOOL_UNKNOWN");
  stand.server.assertDone();
});

it("is bounded by maxCalls like any tool", async () => {
  await using stand = await serve([
    reply.calls(ask({ input: "a" }, "call_1"), ask({ input: "b" }, "call_2")),
    reply.text("1"),
    reply.text("Done."),
  ]);
  const result = await ends(pair(stand, { maxCalls: 1 }).run("Go."));
  expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "skipped"]);
});
