import { Agent, defineTool, ToolwrightError } from "@toolwright/core";
import { modelRetry, standard } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

function charging() {
  const charges: number[] = [];
  const charge = defineTool({
    name: "charge",
    description: "Charges the card.",
    effect: "write",
    parameters: { type: "object", properties: { amount: { type: "integer" } } },
    execute: ({ amount }) => {
      charges.push(amount as number);
      return "charged";
    },
  });
  return { charges, charge };
}

const callCharge = reply.calls({ callId: "call_1", name: "charge", arguments: { amount: 5 } });
const serverError = reply.http(500, { code: "server_error", message: "The server had an error." });

describe("M01: a model retry repeats the failed request alone", () => {
  it.each(["run", "stream"] as const)("never runs a tool again: %s", async (way) => {
    await using server = await startResponsesServer([callCharge, serverError, reply.text("Charged.")]);
    const { charges, charge } = charging();
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools: [charge],
      middleware: [modelRetry({ minDelayMs: 1 }), ...standard().filter(({ name }) => name !== "modelRetry")],
    });
    const result = await (way === "run" ? agent.run("Charge 5.") : agent.stream("Charge 5.").result);
    expect(result).toMatchObject({ stopReason: "completed", output: "Charged.", usage: { requests: 3 } });
    expect(charges).toEqual([5]);
    expect(result.steps).toHaveLength(2);
    // The repeated request is the failed one, byte for byte.
    expect(server.request(2).text).toBe(server.request(1).text);
    server.assertDone();
  });

  it("keeps the tool's outcome when the retries are used up, so that a later run goes on from it", async () => {
    await using server = await startResponsesServer([callCharge, serverError, serverError, reply.text("Charged.")]);
    const { charges, charge } = charging();
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools: [charge],
      middleware: [modelRetry({ attempts: 2, minDelayMs: 1 })],
    });
    const error: unknown = await agent.run("Charge 5.").catch((caught: unknown) => caught);
    if (!ToolwrightError.is(error, "MODEL_SERVER")) throw error;
    const { history, steps } = error.result as { history: { kind: "local" }; steps: readonly unknown[] };
    expect(steps).toHaveLength(1);
    const result = await agent.run("Go on.", { history });
    expect(result).toMatchObject({ stopReason: "completed", output: "Charged." });
    expect(charges).toEqual([5]);
    server.assertDone();
  });

  it.each([
    ["fail", "MODEL_CONNECTION", 1],
    ["restart", "completed", 2],
  ] as const)("heeds what was seen of a broken stream: %s", async (afterOutput, ended, requests) => {
    const broken = reply.cut({ afterEvents: 5 }, reply.text("The answer is forty-two."));
    await using server = await startResponsesServer([broken, reply.text("The answer is 42.")]);
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      middleware: [modelRetry({ minDelayMs: 1, afterOutput })],
    });
    const stream = agent.stream("What is the answer?");
    let text = "";
    const read = async (): Promise<void> => {
      for await (const event of stream) {
        if (event.type === "text-delta") text += event.text;
        if (event.type === "step-restart") text = "";
      }
    };
    // Whether the iterator throws too is not the matter here.
    await read().catch(() => {});
    const result = await stream.result.catch((error: ToolwrightError) => error);
    expect("code" in result ? result.code : result.stopReason).toBe(ended);
    expect(server.requests).toHaveLength(requests);
    expect(text).toBe(afterOutput === "fail" ? "The answer is fo" : "The answer is 42.");
  });
});
