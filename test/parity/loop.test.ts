import { Agent, defineMiddleware, defineOutput, type ToolContext } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf, runIn, waysAndHistories } from "../support/ways.js";

const look = () => numberTool("look", (n) => `seen ${n}`);

describe.each(waysAndHistories)("where a run ends ($way, $kind)", ({ way, history }) => {
  it("a reply without calls is the answer, after one request", async () => {
    await using stand = await serve([reply.text("Hello.")]);
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: [look()], history }), "Hi."));
    expect(result).toMatchObject({ stopReason: "completed", output: "Hello.", steps: [{ index: 0, calls: [] }], usage: { requests: 1 } });
    stand.server.assertDone();
  });

  it("text beside a call is no answer: the last reply's is", async () => {
    await using stand = await serve([
      reply.output(reply.text("Let me see."), reply.calls(callOf("look", "call_1", 1))),
      reply.text("It is one."),
    ]);
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: [look()], history }), "Look."));
    expect(result).toMatchObject({ output: "It is one.", steps: [{ calls: [{ callId: "call_1" }] }, { calls: [] }] });
  });

  it("nor is an answer of the right form beside a call", async () => {
    const Size = defineOutput({ name: "size", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } });
    await using stand = await serve([reply.output(reply.text('{"n":1}'), reply.calls(callOf("look", "call_1", 1))), reply.text('{"n":2}')]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], history, output: Size });
    expect(await ends(runIn(way, agent as never, "Look."))).toMatchObject({ output: { n: 2 } });
  });

  it("an answer may be no text at all", async () => {
    await using stand = await serve([reply.text("")]);
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, history }), "Hi."));
    expect(result).toMatchObject({ stopReason: "completed", output: "" });
  });

  it("an answer in several messages is one text, reasoning and hosted calls between them left out", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
    await using stand = await serve([reply.output(reply.text("One, "), reply.reasoning("Hm."), reply.items([search]), reply.text("two."))]);
    const tools = [{ type: "web_search" }];
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools, history }), "Count."));
    expect(result).toMatchObject({ output: "One, two.", steps: [{}] });
    expect(result.items.map(({ type }) => type)).toEqual(["message", "message", "reasoning", "web_search_call", "message"]);
  });

  it("commentary is no part of an answer that is marked as the final one", async () => {
    await using stand = await serve([
      reply.output(reply.text("Thinking about it.", { phase: "commentary" }), reply.text("Two.", { phase: "final_answer" })),
    ]);
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, history }), "Count."));
    expect(result).toMatchObject({ output: "Two." });
    expect(result.items).toHaveLength(3);
  });

  it.each([
    { type: "function_call", id: "fc_1", call_id: "", name: "look", arguments: "{}", status: "completed" },
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_1",
      action: { type: "screenshot" },
      pending_safety_checks: [],
      status: "completed",
    },
    { type: "shell_call", id: "sh_1", call_id: "call_1", action: { commands: ["ls"] }, status: "completed" },
    { type: "apply_patch_call", id: "ap_1", call_id: "call_1", operation: { type: "delete_file", path: "a" }, status: "completed" },
  ])("a $type, which nobody here can answer, fails the step with nothing of it run or kept", async (item) => {
    await using stand = await serve([reply.output(reply.calls(callOf("look", "call_2", 1)), reply.items([item])), reply.text("Hello.")]);
    let looked = 0;
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => (looked += 1))], history });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect([error.code, error.message, looked]).toEqual(["MODEL_PROTOCOL", expect.stringMatching(`${item.type}|call_id`), 0]);
    expect(await ends(runIn(way, agent, "Hello?", { history: error.result.history }))).toMatchObject({ output: "Hello." });
  });
});

it("each reply of the model is one step, with its own usage; the result has the sum", async () => {
  const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: inputTokens, reasoningTokens: 1, cachedInputTokens: 2 } });
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 1), callOf("look", "call_2", 2)).with(usage(10)),
    reply.calls(callOf("look", "call_3", 3)).with(usage(20)),
    reply.text("Done.").with(usage(30)),
  ]);
  const result = await ends(new Agent({ model: "test", client: stand.client, tools: [look()] }).run("Go."));
  expect(result.steps.map(({ index, calls, usage: { inputTokens, requests } }) => [index, calls.length, inputTokens, requests])).toEqual([
    [0, 2, 10, 1],
    [1, 1, 20, 1],
    [2, 0, 30, 1],
  ]);
  const sum = { requests: 3, inputTokens: 60, outputTokens: 60, reasoningTokens: 3, cachedInputTokens: 6, totalTokens: 120 };
  expect(result.usage).toEqual(sum);
});

it("a reply that tells no usage counts as a request of no tokens", async () => {
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 1)).with({ usage: null }),
    reply.text("Done.").with({ usage: { inputTokens: 5, outputTokens: 2 } }),
  ]);
  const result = await ends(new Agent({ model: "test", client: stand.client, tools: [look()] }).run("Go."));
  expect(result.usage).toMatchObject({ requests: 2, inputTokens: 5, outputTokens: 2, totalTokens: 7 });
});

describe("instructions", () => {
  it("may be made anew for each step, of the caller's context and what the run has come to", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    const agent = new Agent({
      name: "clerk",
      model: "test",
      client: stand.client,
      tools: [look()],
      instructions: ({ app, step, usage, agent: name }) => `${name} for ${String(app)}: step ${step}, ${usage.requests} asked`,
    });
    await ends(agent.run("Go.", { app: "Ada" }));
    expect([0, 1].map((index) => stand.server.request(index).body.instructions)).toEqual([
      "clerk for Ada: step 0, 0 asked",
      "clerk for Ada: step 1, 1 asked",
    ]);
  });

  it("that are a promise are refused, and those that throw fail the run, before anything is sent", async () => {
    await using stand = await serve([]);
    const make = (instructions: () => string) => new Agent({ model: "test", client: stand.client, instructions }).run("Go.");
    expect(await failureOf(make((async () => "late") as unknown as () => string))).toMatchObject({ code: "RUN_OPTIONS" });
    const thrown = await failureOf(
      make(() => {
        throw new Error("no user");
      }),
    );
    expect(thrown).toMatchObject({ code: "RUN_FAILED", cause: expect.objectContaining({ message: "no user" }) });
  });
});

it("the caller's context is one object for the whole run: what a tool writes there, later steps read", async () => {
  await using stand = await serve([
    reply.calls(callOf("count", "call_1", 2)),
    reply.calls(callOf("count", "call_2", 3)),
    reply.text("Done."),
  ]);
  const count = numberTool("count", (n, context) => ((context as ToolContext<{ sum: number }>).app.sum += n));
  const app = { sum: 0 };
  const agent = new Agent({
    model: "test",
    client: stand.client,
    tools: [count],
    instructions: (run) => `So far: ${(run.app as typeof app).sum}`,
  });
  await ends(agent.run("Go.", { app }));
  expect([0, 1, 2].map((index) => stand.server.request(index).body.instructions)).toEqual(["So far: 0", "So far: 2", "So far: 5"]);
  expect(JSON.stringify(stand.server.requests.map(({ body }) => body))).not.toContain('"sum"');
});

it("a middleware may change one step alone: its settings, its input and its tools; the next one is as before", async () => {
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 1)),
    reply.calls(callOf("look", "call_2", 2)),
    reply.text("Done."),
  ]);
  const second = defineMiddleware({
    name: "second",
    wrapModelCall: (call, next) =>
      next(
        call.step === 1
          ? {
              ...call,
              request: {
                ...call.request,
                settings: { ...call.request.settings, temperature: 0 },
                input: [...call.request.input, { type: "message", role: "developer", content: "Hurry." }],
              },
            }
          : call,
      ),
  });
  const agent = new Agent({ model: "test", client: stand.client, tools: [look()], middleware: [second], settings: { temperature: 1 } });
  const result = await ends(agent.run("Go."));
  expect([0, 1, 2].map((index) => stand.server.request(index).body["temperature"])).toEqual([1, 0, 1]);
  expect([0, 1, 2].map((index) => JSON.stringify(inputOf(stand.server.request(index))).includes("Hurry."))).toEqual([false, true, false]);
  expect(JSON.stringify(result.history)).not.toContain("Hurry.");
});

it("an observer that throws, at any event, changes nothing of the run", async () => {
  const script = () => [reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")];
  const outcome = async (middleware: readonly ReturnType<typeof defineMiddleware>[]) => {
    await using stand = await serve(script());
    const { result, events } = await ends(collect(new Agent({ model: "test", client: stand.client, tools: [look()], middleware }), "Go."));
    return { output: result.stopReason === "completed" && result.output, types: events.map(({ type }) => type) };
  };
  const broken = defineMiddleware({
    name: "broken",
    onEvent() {
      throw new Error("observer");
    },
  });
  const rejecting = defineMiddleware({ name: "rejecting", onEvent: (async () => Promise.reject(new Error("late"))) as () => void });
  expect(await outcome([broken, rejecting])).toEqual(await outcome([]));
});

it("runs of one agent at once have nothing in common but their options", async () => {
  await using stand = await serve(({ body, context }) => {
    const question = JSON.stringify(body.input).match(/run (\d)/)?.[1] as string;
    return context.some(({ type }) => type === "function_call_output")
      ? reply.text(`${question} done`)
      : reply.calls(callOf("look", "call_1", Number(question)));
  });
  const agent = new Agent({ model: "test", client: stand.client, tools: [look()] });
  const results = await ends(Promise.all([1, 2, 3, 4].map((n) => agent.run(`run ${n}`))));
  expect(results.map((result) => [result.stopReason === "completed" && result.output, result.usage.requests])).toEqual(
    [1, 2, 3, 4].map((n) => [`${n} done`, 2]),
  );
  expect(new Set(results.map(({ runId }) => runId)).size).toBe(4);
});

it.each([
  [[], /The input is empty/],
  [null, /The input is null/],
  [[5], /input\[0\] is not an item/],
])("an input of %j is refused before anything is sent", async (input, message) => {
  await using stand = await serve([]);
  const error = await ends(failureOf(new Agent({ model: "test", client: stand.client }).run(input as unknown as string)));
  expect(error).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringMatching(message) });
});

it("nothing is loaded or asked for before the first request: an agent without a key can be made", async () => {
  const key = process.env["OPENAI_API_KEY"];
  delete process.env["OPENAI_API_KEY"];
  try {
    const agent = new Agent({ model: "gpt-5.4-mini", tools: [look()] });
    expect(agent.toJSON()).toMatchObject({ model: "gpt-5.4-mini" });
    expect(await failureOf(agent.run("Hi."))).toMatchObject({ code: "MODEL_NO_API_KEY" });
  } finally {
    if (key !== undefined) process.env["OPENAI_API_KEY"] = key;
  }
});
