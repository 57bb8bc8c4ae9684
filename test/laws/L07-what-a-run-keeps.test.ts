import { Agent, defineMiddleware, type Middleware, type RunnableTool, type ToolSource } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, localItems, outputsIn, serve } from "../support/serve.js";
import { callOf, forgetful, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const thought = () => reply.reasoning("Hm.");
const twoCalls = reply.output(thought(), reply.calls(callOf("look", "call_1", 1)), thought(), reply.calls(callOf("write", "call_2", 2)));
const boom = (): never => {
  throw new Error("boom");
};
const wrap = (wrapToolCall: NonNullable<Middleware["wrapToolCall"]>): readonly Middleware[] => [
  defineMiddleware({ name: "odd", wrapToolCall }),
];

describe.each(ways)("L07: what a run keeps (%s)", (way) => {
  it("unknown item types come back verbatim and in order", async () => {
    const odd = { type: "hologram", id: "holo_1", depth: 3, nested: { list: [1, { two: 2 }] } };
    await using stand = await serve([reply.output(thought(), reply.items([odd]), twoCalls), reply.text("Done."), reply.text("Again.")]);
    const tools = [numberTool("look", (n) => n), numberTool("write", (n) => n)];
    const agent = new Agent({ model: "test", client: stand.client, tools });
    const result = await ends(runIn(way, agent, "Go."));
    expect(localItems(result.history).find((item) => item.type === "hologram")).toEqual(odd);
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    expect(inputOf(stand.server.request(2)).slice(0, -1)).toEqual(localItems(result.history));
    stand.server.assertDone();
  });

  it("input that got no reply is not history, so that it can be asked again", async () => {
    await using stand = await serve([reply.text("One."), reply.http(500), reply.text("Two.")]);
    const agent = new Agent({ model: "test", client: stand.client });
    const first = await runIn(way, agent, "First?");
    const error = await failureOf(runIn(way, agent, "Second?", { history: first.history }));
    expect(error.result.history).toEqual(first.history);
    await runIn(way, agent, "Second?", { history: error.result.history });
    expect(inputOf(stand.server.request(2)).filter((item) => item["role"] === "user")).toHaveLength(2);
    stand.server.assertDone();
  });

  it("an item of the input that its owner changes later is sent as it is then", async () => {
    await using stand = await serve([reply.text("One."), reply.text("Two.")]);
    const agent = new Agent({ model: "test", client: stand.client });
    const question = { type: "message", role: "user", content: [{ type: "input_text", text: "First?" }] };
    const first = await runIn(way, agent, [question]);
    question.content = [{ type: "input_text", text: "Second?" }];
    await runIn(way, agent, [question], { history: first.history });
    expect(inputOf(stand.server.request(1)).map((item) => JSON.stringify(item["content"]))).toEqual([
      expect.stringContaining("First?"),
      expect.stringContaining("One."),
      expect.stringContaining("Second?"),
    ]);
  });

  it("a wrap that repeats the whole run asks the question once", async () => {
    await using stand = await serve([reply.http(500), reply.text("Done.")]);
    const again = defineMiddleware({ name: "again", repeats: true, wrapRun: (call, next) => next(call).catch(() => next(call)) });
    const agent = new Agent({ model: "test", client: stand.client, middleware: [again] });
    const result = await ends(runIn(way, agent, "Go."));
    expect(stand.server.request(1).text).toBe(stand.server.request(0).text);
    expect(localItems(result.history)).toHaveLength(2);
  });

  it("what a tool came to is kept when a wrap around it throws", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1), callOf("look", "call_2", 2))]);
    const tools = [
      numberTool("write", (n) => `written ${n}`, { effect: "write" }),
      numberTool("look", (n) => sleep(10).then(() => `seen ${n}`)),
    ];
    const middleware = wrap((call, next) => (call.name === "write" ? next(call).then(boom) : next(call)));
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", details: { middleware: "odd", hook: "wrapToolCall" } });
    expect(outputsIn(error.result.items)).toEqual([
      ["call_1", "written 1"],
      ["call_2", "seen 2"],
    ]);
  });

  it("a tool that is at work when a wrap around it throws is waited for, and what it came to is kept", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1))]);
    const atWork = Promise.withResolvers<void>();
    const write = numberTool("write", async (n) => (atWork.resolve(), await sleep(30), `written ${n}`), { effect: "write" });
    const leaves = wrap(async (call, next) => {
      void next(call);
      await atWork.promise;
      return boom();
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [write], middleware: leaves });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error.code).toBe("RUN_MIDDLEWARE");
    expect(outputsIn(error.result.items)).toEqual([["call_1", "written 1"]]);
    expect(error.result.unknownCalls).toEqual([]);
  });

  it("a tool that breaks while its call is looked at leaves the call open, and the next run answers it", async () => {
    await using stand = await serve([twoCalls, reply.text("Here again.")]);
    const [runnable] = numberTool("look", (n) => n)["~toolwright.tools"].tools();
    const odd: ToolSource = { "~toolwright.tools": { tools: () => [{ ...(runnable as RunnableTool), check: boom }] } };
    const agent = new Agent({ model: "test", client: stand.client, tools: [odd, numberTool("write", (n) => n)] });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error.code).toBe("RUN_FAILED");
    expect(error.result.history.openCalls).toEqual(["call_1", "call_2"]);
    const plain = new Agent({ model: "test", client: stand.client });
    expect(await ends(plain.run("Go on.", { history: error.result.history }))).toMatchObject({ output: "Here again." });
    stand.server.assertDone();
  });

  it("a tool does not start behind the back of a wrap that has failed", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1), callOf("write", "call_2", 2))]);
    const ran: number[] = [];
    const write = numberTool("write", async (n) => void (await sleep(20), ran.push(n)), { effect: "write" });
    const forgets = wrap(forgetful(async (call, next) => (call.callId === "call_2" ? void next(call) : ((await next(call)) as never))));
    const agent = new Agent({ model: "test", client: stand.client, tools: [write], middleware: forgets });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    await sleep(40);
    // The second one waited for its turn when its wrap ended without it.
    expect(ran).toEqual([1]);
    expect(errorIn(outputsIn(error.result.items)[1]?.[1]).code).toBe("TOOL_SKIPPED");
  });

  it("a tool that a failing wrap has set going is waited for, and its outcome is kept", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1))]);
    const write = numberTool("write", async (n) => (await sleep(20), `wrote ${n}`), { effect: "write" });
    const forgets = wrap(forgetful(async (call, next) => void next(call)));
    const agent = new Agent({ model: "test", client: stand.client, tools: [write], middleware: forgets });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error.code).toBe("RUN_MIDDLEWARE");
    expect(outputsIn(error.result.items)).toEqual([["call_1", "wrote 1"]]);
  });
});
