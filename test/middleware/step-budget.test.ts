import { Agent, type AgentOptions, defineTool, type FailedResult, ToolwrightError } from "@toolwright/core";
import { standard, stepBudget } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

function counting() {
  const counter = { runs: 0 };
  const look = defineTool({
    name: "look",
    description: "Looks something up.",
    effect: "read",
    parameters: { type: "object", properties: {} },
    execute: () => {
      counter.runs += 1;
      return "nothing";
    },
  });
  return { counter, look };
}

/** A model that always calls the tool, unless tools are off. */
const insatiable = () =>
  startResponsesServer(({ body }) => (body["tool_choice"] === "none" ? reply.text("That is all.") : reply.calls({ name: "look" })));

function agentOf(url: string, options: Partial<AgentOptions>): Agent {
  return new Agent({ model: "test", client: new OpenAI({ baseURL: url, apiKey: "test" }), ...options });
}

describe("stepBudget", () => {
  it.each(["run", "stream"] as const)("ends %s with an error that holds the work done", async (way) => {
    await using server = await insatiable();
    const { counter, look } = counting();
    const agent = agentOf(server.url, { tools: [look], middleware: [stepBudget(3), ...standard()] });
    const error: unknown = await (way === "run" ? agent.run("Look.") : agent.stream("Look.").result).catch((caught: unknown) => caught);
    if (!ToolwrightError.is(error, "RUN_BUDGET")) throw error;
    expect(error.details).toEqual({ budget: "steps", limit: 3 });
    const { steps, usage, history } = error.result as FailedResult;
    expect(server.requests).toHaveLength(3);
    expect(usage.requests).toBe(3);
    expect(counter.runs).toBe(2);
    expect(steps.map(({ calls }) => calls.map(({ outcome }) => outcome.kind))).toEqual([["ok"], ["ok"], ["skipped"]]);
    // The kept history is accepted as it is.
    const again = agentOf(server.url, { tools: [look], middleware: [stepBudget(1, { onExhausted: "answer" })] });
    expect(await again.run("Sum it up.", { history })).toMatchObject({ stopReason: "completed", output: "That is all." });
  });

  it("keeps the last step for an answer, whatever else is set", async () => {
    await using server = await insatiable();
    const { counter, look } = counting();
    const agent = agentOf(server.url, {
      tools: [look],
      settings: { tool_choice: "required" },
      middleware: [
        stepBudget(3, { onExhausted: "answer" }),
        { name: "force", wrapModelCall: (call, next) => next({ ...call, request: { ...call.request, toolChoice: "required" } }) },
      ],
    });
    const result = await agent.run("Look.");
    expect(result).toMatchObject({ stopReason: "completed", output: "That is all." });
    expect(server.requests.map(({ body }) => body["tool_choice"])).toEqual(["required", "required", "none"]);
    expect(counter.runs).toBe(2);
  });

  it("skips calls of a model that calls with its tools off, and asks no more", async () => {
    await using server = await startResponsesServer(() => reply.calls({ name: "look" }));
    const { counter, look } = counting();
    const agent = agentOf(server.url, { tools: [look], middleware: [stepBudget(2, { onExhausted: "answer" })] });
    await expect(agent.run("Look.")).rejects.toMatchObject({ code: "RUN_BUDGET" });
    expect(server.requests).toHaveLength(2);
    expect(counter.runs).toBe(1);
  });

  it("stops without an error, and the history goes on", async () => {
    await using server = await insatiable();
    const { look } = counting();
    const agent = agentOf(server.url, { tools: [look], middleware: [stepBudget(2, { onExhausted: "stop" }), ...standard()] });
    const result = await agent.run("Look.");
    expect(result).toMatchObject({ stopReason: "budget", reason: "The budget of 2 steps is used up.", usage: { requests: 2 } });
    const again = await agent.run("Once more.", { history: result.history });
    expect(again.stopReason).toBe("budget");
    expect(server.requests).toHaveLength(4);
  });

  it("may be larger than the kernel's own limit, which then gives way", async () => {
    await using server = await insatiable();
    const { look } = counting();
    const agent = agentOf(server.url, { tools: [look], middleware: [stepBudget(23, { onExhausted: "stop" })] });
    expect(await agent.run("Look.")).toMatchObject({ stopReason: "budget", usage: { requests: 23 } });
  });

  it("costs nothing where the model answers in time", async () => {
    await using server = await startResponsesServer([reply.text("Here.")]);
    const agent = agentOf(server.url, { middleware: [stepBudget(1)] });
    expect(await agent.run("Hello?")).toMatchObject({ stopReason: "completed", output: "Here." });
  });
});
