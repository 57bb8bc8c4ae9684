import { Agent, defineMiddleware, type HistoryOption, type InputItem, memorySession, repairHistory } from "@toolwright/core";
import { modelRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, runIn, ways, waysAndHistories } from "../support/ways.js";
import { paused } from "./support.js";

const typesOf = (items: readonly { type: string; role?: unknown }[]) =>
  items.map(({ type, role }) => (type === "message" ? String(role) : type));

describe.each(ways)("a session (%s)", (way) => {
  it("gives the next run all that was said, and keeps each item once", async () => {
    await using stand = await serve([
      reply.output(reply.reasoning("Hm."), reply.calls(callOf("look", "call_1", 1))),
      reply.text("One."),
      reply.text("Two."),
    ]);
    const session = memorySession();
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", () => "seen")],
      history: { kind: "local", session },
    });
    await ends(runIn(way, agent, "First."));
    const result = await ends(runIn(way, agent, "Second."));
    const all = ["user", "reasoning", "function_call", "function_call_output", "assistant", "user", "assistant"];
    expect(typesOf((await session.load()).items)).toEqual(all);
    expect(typesOf(inputOf(stand.server.request(2)))).toEqual(all.slice(0, -1));
    expect(typesOf(result.items)).toEqual(["user", "assistant"]);
  });

  it("takes lists of items, after what it holds", async () => {
    await using stand = await serve([reply.text("One."), reply.text("Two.")]);
    const history = { kind: "local", session: memorySession() } as const;
    const agent = new Agent({ model: "test", client: stand.client, history });
    await ends(runIn(way, agent, "First."));
    const input: InputItem[] = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Second." }] },
    ];
    await ends(runIn(way, agent, input));
    expect(typesOf(inputOf(stand.server.request(1)))).toEqual(["user", "assistant", "developer", "user"]);
  });

  it("equal questions are two, and equal items of the history are not thrown together", async () => {
    await using stand = await serve([reply.text("Hello."), reply.text("Hello."), reply.text("Hello.")]);
    const session = memorySession();
    const agent = new Agent({ model: "test", client: stand.client, history: { kind: "local", session } });
    for (let run = 0; run < 3; run += 1) await ends(runIn(way, agent, "Hi."));
    expect(typesOf((await session.load()).items)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
  });

  it("a question whose request fails is not kept, so that it can be asked again; a retried one is kept once", async () => {
    await using stand = await serve([reply.http(500), reply.http(500), reply.text("Hello.")]);
    const session = memorySession();
    const plain = new Agent({ model: "test", client: stand.client, history: { kind: "local", session } });
    expect(await ends(failureOf(runIn(way, plain, "Hi.")))).toMatchObject({ code: "MODEL_SERVER" });
    expect((await session.load()).items).toEqual([]);
    const middleware = [modelRetry({ minDelayMs: 1, maxDelayMs: 1 })];
    await ends(runIn(way, new Agent({ model: "test", client: stand.client, history: { kind: "local", session }, middleware }), "Hi."));
    expect(typesOf((await session.load()).items)).toEqual(["user", "assistant"]);
  });

  it("what a middleware shows the model instead is not what is kept", async () => {
    await using stand = await serve([reply.text("Hello.")]);
    const session = memorySession();
    const mask = defineMiddleware({
      name: "mask",
      wrapModelCall: (call, next) =>
        next({ ...call, request: { ...call.request, input: [{ type: "message", role: "user", content: "***" }] } }),
    });
    const agent = new Agent({ model: "test", client: stand.client, history: { kind: "local", session }, middleware: [mask] });
    await ends(runIn(way, agent, "My number is 17."));
    expect(inputOf(stand.server.request(0))).toMatchObject([{ content: "***" }]);
    expect((await session.load()).items).toMatchObject([{ content: "My number is 17." }, { role: "assistant" }]);
  });

  it("an answer that was refused in mid run, and one that was cut off by an abort, leave a session that goes on", async () => {
    await using stand = await serve([reply.calls(callOf("stop", "call_1", 1)), reply.text("Here again.")]);
    const controller = new AbortController();
    const session = memorySession();
    const stop = numberTool("stop", () => (controller.abort(), "stopped"));
    const agent = new Agent({ model: "test", client: stand.client, tools: [stop], history: { kind: "local", session } });
    await ends(failureOf(runIn(way, agent, "Go.", { signal: controller.signal })));
    expect(typesOf((await session.load()).items)).toEqual(["user", "function_call", "function_call_output"]);
    expect(await ends(runIn(way, agent, "Still there?"))).toMatchObject({ output: "Here again." });
  });
});

describe.each(waysAndHistories)("a conversation of several runs ($way, $kind)", ({ way, history }) => {
  it("sends what the owner of the history does not have, and nothing twice, over a pause as well", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Paid."), reply.text("Bye.")]);
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history });
    const { state } = await paused(runIn(way, agent, "Pay."));
    const result = await ends(agent.resume(JSON.stringify(state), { decisions: [{ callId: "call_1", approve: true }] }));
    await ends(runIn(way, agent, "Thanks.", { history: result.history }));
    const sent = [0, 1, 2].map((index) => typesOf(inputOf(stand.server.request(index))));
    const turn = ["user", "function_call", "function_call_output"];
    expect(sent).toEqual(
      history.kind === "local" ? [["user"], turn, [...turn, "assistant", "user"]] : [["user"], ["function_call_output"], ["user"]],
    );
    expect(stand.server.request(2).context.map(({ type }) => type)).toEqual([
      ...["message", "function_call", "function_call_output", "message", "message"],
    ]);
  });

  it("after a request that failed, the next one carries its question no more", async () => {
    await using stand = await serve([reply.text("One."), reply.http(400, { message: "No." }), reply.text("Three.")]);
    const agent = new Agent({ model: "test", client: stand.client, history });
    const first = await ends(runIn(way, agent, "First."));
    const error = await ends(failureOf(runIn(way, agent, "Second.", { history: first.history })));
    expect(error.code).toBe("MODEL_BAD_REQUEST");
    await ends(runIn(way, agent, "Third.", { history: error.result.history }));
    expect(JSON.stringify(stand.server.request(2).context)).not.toContain("Second.");
  });
});

it("a chain begins at a response that the application names, whoever made it", async () => {
  await using stand = await serve([reply.text("One.").with({ responseId: "resp_first" }), reply.text("Two.")]);
  const agent = new Agent({ model: "test", client: stand.client });
  await ends(agent.run("First.", { history: { kind: "chained" } }));
  await ends(agent.run("Second.", { history: { kind: "chained", previousResponseId: "resp_first" } }));
  expect(stand.server.request(1).body["previous_response_id"]).toBe("resp_first");
  expect(typesOf(inputOf(stand.server.request(1)))).toEqual(["user"]);
});

it("history and input of the application are copied: what it changes later changes no request", async () => {
  await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
  const items = [
    { type: "message", role: "user", content: "Before." },
    { type: "message", role: "assistant", content: "Yes?" },
  ];
  const look = numberTool("look", () => {
    items.length = 0;
    return "seen";
  });
  const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
  const result = await ends(agent.run("Go.", { history: { kind: "local", items } }));
  expect(typesOf(inputOf(stand.server.request(1)))).toEqual(["user", "assistant", "user", "function_call", "function_call_output"]);
  expect(localItems(result.history)).toHaveLength(6);
});

describe("a history from elsewhere", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: "{}", status: "completed" };
  const output = { type: "function_call_output", call_id: "call_1", output: "seen" };
  const user = { type: "message", role: "user", content: "Hi." };
  it.each<readonly [string, readonly { type: string }[]]>([
    ["a call without its output", [user, call]],
    ["an output without its call", [user, output]],
    ["an output before its call", [user, output, call]],
    ["two outputs of one call", [user, call, output, output]],
    ["reasoning without what it led to", [user, { type: "reasoning", id: "rs_1", summary: [] } as { type: string }]],
  ])("%s is refused before anything is sent, and can be mended", async (_, items) => {
    await using stand = await serve([reply.text("Hello.")]);
    const history = (list: readonly { type: string }[]): HistoryOption => ({ kind: "local", items: list });
    const agent = new Agent({ model: "test", client: stand.client });
    expect(await ends(failureOf(agent.run("Hi.", { history: history(items) })))).toMatchObject({ code: "RUN_HISTORY" });
    expect(stand.server.requests).toHaveLength(0);
    const mended = repairHistory(items);
    expect(mended.repairs.length).toBeGreaterThan(0);
    expect(await ends(agent.run("Hi.", { history: history(mended.items) }))).toMatchObject({ output: "Hello." });
  });

  it("a user's message at its end can be answered without new input", async () => {
    await using stand = await serve([reply.text("Hello.")]);
    const agent = new Agent({ model: "test", client: stand.client });
    expect(await ends(agent.run([], { history: { kind: "local", items: [user] } }))).toMatchObject({ output: "Hello." });
  });
});
