import { Agent, defineTool, type Middleware } from "@toolwright/core";
import { logging, type LoggingOptions, modelRetry, standard, stepBudget } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

const city = { type: "object", properties: { city: { type: "string" } } } as const;
const weather = defineTool({
  name: "get_weather",
  description: "The weather in a city.",
  effect: "read",
  parameters: city,
  execute: ({ city: name }) => (name === "Kazan" ? "+12 °C, cloudy" : "+3 °C, rain"),
});

function lines(options: LoggingOptions) {
  const written: string[] = [];
  return { written, log: logging({ format: "pretty", stream: { write: (line) => void written.push(line) }, ...options }) };
}

const agentOf = (url: string, middleware: readonly Middleware[], tools = [weather]): Agent =>
  new Agent({ model: "test", client: new OpenAI({ baseURL: url, apiKey: "test" }), tools, middleware });

const ms = String.raw`\d+ ms`;

describe("logging", () => {
  it.each(["run", "stream"] as const)("writes one line a reply, a call and a run: %s", async (way) => {
    await using server = await startResponsesServer([
      reply
        .calls(
          { callId: "call_1", name: "get_weather", arguments: { city: "Kazan" } },
          { callId: "call_2", name: "get_weather", arguments: { city: "Oslo" } },
        )
        .with({ responseId: "resp_a", usage: { inputTokens: 120, outputTokens: 30 } }),
      reply.text("Fine.").with({ responseId: "resp_b", usage: { inputTokens: 150, outputTokens: 5 } }),
    ]);
    const { written, log } = lines({});
    const agent = agentOf(server.url, [log, ...standard()]);
    await (way === "run" ? agent.run("Weather?") : agent.stream("Weather?").result);
    expect(written).toEqual([
      expect.stringMatching(new RegExp(`^step 0  test  2 calls  120 \\+ 30 tokens  ${ms}  resp_a\n$`)),
      expect.stringMatching(new RegExp(`^step 0  get_weather  ok  14 chars  ${ms}  call_1  resp_a\n$`)),
      expect.stringMatching(new RegExp(`^step 0  get_weather  ok  11 chars  ${ms}  call_2  resp_a\n$`)),
      expect.stringMatching(new RegExp(`^step 1  test  answer  150 \\+ 5 tokens  ${ms}  resp_b\n$`)),
      expect.stringMatching(new RegExp(`^run  completed  2 steps  2 requests  305 tokens  ${ms}\n$`)),
    ]);
  });

  it("shows a call with its arguments and its output when asked", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "get_weather", arguments: { city: "Kazan" } }),
      reply.text("Fine."),
    ]);
    const { written, log } = lines({ content: true });
    await agentOf(server.url, [log]).run("Weather?");
    expect(written[1]).toMatch(new RegExp(`^step 0  get_weather\\({"city":"Kazan"}\\) → \\+12 °C, cloudy  ${ms}\n$`));
  });

  it("counts the requests that a retry made, and tells of a failure once a layer", async () => {
    await using server = await startResponsesServer([reply.http(500), reply.text("Fine."), reply.http(400, { message: "No such thing." })]);
    const { written, log } = lines({});
    const agent = agentOf(server.url, [log, modelRetry({ minDelayMs: 1 })]);
    await agent.run("Weather?");
    expect(written[0]).toContain("2 requests");
    written.length = 0;
    await expect(agent.run("Weather?")).rejects.toMatchObject({ code: "MODEL_BAD_REQUEST" });
    expect(written).toEqual([
      expect.stringMatching(/^step 0 {2}test {2}failed {2}MODEL_BAD_REQUEST .*No such thing\.\n$/),
      expect.stringMatching(/^run {2}failed {2}MODEL_BAD_REQUEST /),
    ]);
  });

  it("has a line for every call, whatever became of it", async () => {
    await using server = await startResponsesServer([
      reply.calls(
        { callId: "call_1", name: "pay" },
        { callId: "call_2", name: "get_weather", arguments: "{" },
        { callId: "call_3", name: "missing" },
      ),
      reply.calls({ callId: "call_4", name: "get_weather", arguments: { city: "Oslo" } }),
    ]);
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      effect: "write",
      approval: true,
      parameters: { type: "object", properties: {} },
      execute: () => "paid",
    });
    const { written, log } = lines({});
    const agent = agentOf(server.url, [log, stepBudget(2), ...standard()], [weather, pay]);
    const paused = await agent.run("Pay.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const run = agent.resume(JSON.stringify(paused.state), { decisions: [{ callId: "call_1", approve: false, reason: "S-1" }] });
    await expect(run).rejects.toMatchObject({ code: "RUN_BUDGET" });
    const kinds = written.map((line) => /^(?:step \d {2}(\S+ {2}\S+)|run {2}(\S+))/.exec(line)?.slice(1).join(""));
    const calls = ["get_weather  invalid", "missing  invalid", "pay  interrupted", "pay  denied", "get_weather  skipped"];
    expect(kinds.toSorted()).toEqual(["test  3", "interrupted", "test  1", "failed", ...calls].toSorted());
    expect(written.join("")).not.toContain("S-1");
  });

  it("has a line for every call of a run that was aborted", async () => {
    await using server = await startResponsesServer([
      reply.calls({ callId: "call_1", name: "wait" }, { callId: "call_2", name: "get_weather", arguments: { city: "Oslo" } }),
    ]);
    const controller = new AbortController();
    const wait = defineTool({
      name: "wait",
      description: "Waits for ever.",
      effect: "write",
      parameters: { type: "object", properties: {} },
      execute: () => {
        setTimeout(() => controller.abort(), 20);
        return new Promise(() => {});
      },
    });
    const { written, log } = lines({});
    const run = agentOf(server.url, [log, ...standard()], [weather, wait]).run("Wait.", { signal: controller.signal });
    await expect(run).rejects.toMatchObject({ code: "RUN_ABORTED" });
    expect(written.filter((line) => line.includes("call_1"))).toEqual([expect.stringContaining("unknown  TOOL_ABORTED")]);
    expect(written.filter((line) => line.includes("call_2"))).toHaveLength(1);
    expect(written.filter((line) => line.startsWith("run"))).toEqual([expect.stringContaining("RUN_ABORTED")]);
  });

  it("changes nothing of a run", async () => {
    const results = [];
    for (const middleware of [[], [lines({ content: true }).log]]) {
      await using server = await startResponsesServer([
        reply.calls({ callId: "call_1", name: "get_weather", arguments: { city: "Oslo" } }),
        reply.text("Fine."),
      ]);
      const { output, stopReason, items } = await agentOf(server.url, middleware).run("Weather?");
      results.push({ output, stopReason, items: items.length, requests: server.requests.map(({ body }) => body["input"]).length });
    }
    expect(results[0]).toEqual(results[1]);
  });
});
