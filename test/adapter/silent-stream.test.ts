import { Agent } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { OpenAI } from "openai";
import { expect, it } from "vitest";

it("gives up a stream that is silent for too long, telling what had come", async () => {
  await using server = await startResponsesServer([reply.hang({ afterEvents: 5 }, reply.text("Never finished."))]);
  const agent = new Agent({ model: "test", streamIdleMs: 100, client: new OpenAI({ baseURL: server.url, apiKey: "test" }) });
  const stream = agent.stream("Hello?");
  await expect(stream.result).rejects.toMatchObject({
    code: "MODEL_TIMEOUT",
    retryable: true,
    details: { partialText: expect.stringMatching(/^N/) },
  });
  await expect(server.requests[0]?.ended).resolves.toBe("aborted");
});

it("does not hold a slow consumer against the stream", async () => {
  await using server = await startResponsesServer([reply.text("word ".repeat(600)).with({ deltaSize: 5 })]);
  const agent = new Agent({ model: "test", streamIdleMs: 60, client: new OpenAI({ baseURL: server.url, apiKey: "test" }) });
  const stream = agent.stream("Hello?");
  let text = "";
  let waited = false;
  for await (const event of stream) {
    if (event.type !== "text-delta") continue;
    text += event.text;
    if (!waited) await new Promise((resolve) => setTimeout(resolve, 300));
    waited = true;
  }
  expect(text).toBe("word ".repeat(600));
  await expect(stream.result).resolves.toMatchObject({ stopReason: "completed" });
});
