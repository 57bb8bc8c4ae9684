import { reply, startResponsesServer } from "@toolwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { type Finished, runCompiled, standInLine } from "../test-support/run-compiled.js";

describe("10-agents", () => {
  let result: Finished;
  beforeAll(async () => {
    result = await runCompiled("10-agents");
  });
  const section = (index: number): string[] | undefined => result.stdout.split(/\n== /)[index]?.trimEnd().split("\n");

  it("says that a stand-in answers, and ends well", () => {
    expect(result.stderr).toBe("");
    expect(result.exitCode).toBe(0);
    expect(result.stdout.startsWith(standInLine)).toBe(true);
  });

  it("has two agents work, tells what happens inside of them, and asks at the top for what waits there", () => {
    expect(section(1)).toEqual([
      "agents as tools",
      "> Cancel order F because I moved. What is the weather in Kazan?",
      'ask_orders({"input":"Cancel order F because I moved."})',
      'ask_weather({"input":"What is the weather in Kazan?"})',
      '    get_weather({"city":"Kazan"})',
      "    get_weather: ok",
      "ask_weather: ok",
      'a person says yes to ask_orders › cancel_order {"orderId":"F","reason":"I moved"}',
      '    cancel_order({"orderId":"F","reason":"I moved"})',
      "    cancel_order: ok",
      "ask_orders: ok",
      "Order F is cancelled.",
      "Kazan: +12 °C, cloudy.",
      "requests: 6, those of the agents below included",
    ]);
  });

  it("hands a complaint over", () => {
    expect(section(2)).toEqual([
      "a handoff",
      "> I want to complain. When does order B arrive?",
      "transfer_to_complaints({})",
      "transfer_to_complaints: ok",
      "desk hands over to complaints",
      'get_delivery({"orderId":"B"})',
      "get_delivery: ok",
      "Order B arrives in 5 days.",
      "answered by complaints",
    ]);
  });

  it("holds a budget over all agents", () => {
    expect(section(3)).toEqual([
      "a budget of three requests over all",
      "> When does order A arrive? What is the weather in Sochi?",
      "RUN_BUDGET: The budget of 3 requests is used up.",
      "Fix: Raise it, or continue from `error.result.history`.",
      "requests: 3",
    ]);
  });

  it("asks the model of the key for all of them", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "ask_weather", arguments: { input: "The weather in Sochi?" } }),
      reply.text("Warm."),
      reply.text("It is warm."),
      reply.calls({ name: "transfer_to_complaints", arguments: {} }),
      reply.text("Sorry."),
      reply.text("At once."),
    ]);
    const env = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url };
    const { exitCode, stdout } = await runCompiled("10-agents", ["How is Sochi?"], env);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("stand-in");
    for (const line of ["It is warm.", "requests: 3,", "answered by complaints", "three were enough"]) expect(stdout).toContain(line);
    server.assertDone();
  });
});
