import { createOpenAI, type OpenAILanguageModelResponsesOptions } from "@ai-sdk/openai";
import { reply, startResponsesServer, type ResponsesServer } from "@toolwright/testing";
import { generateText, isStepCount, Output, streamText, tool, type ModelMessage, type ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answer,
  answeredTurn,
  DeliveryDesk,
  deliveryModel,
  followUp,
  getDelivery,
  question,
  readFor,
  sent,
  statuses,
} from "./support/delivery.js";
import { loopbackOnly } from "./support/loopback-only.js";

loopbackOnly();

const providerFor = (server: ResponsesServer) => createOpenAI({ baseURL: server.url, apiKey: "test" });
const toolsFor = (desk: DeliveryDesk) => ({
  [getDelivery.name]: tool({
    description: getDelivery.description,
    inputSchema: z.object({ orderId: z.string() }),
    execute: ({ orderId }) => desk.days(orderId),
  }),
});

interface Asking {
  readonly messages: ModelMessage[];
  readonly tools: ToolSet;
  readonly options?: OpenAILanguageModelResponsesOptions;
  readonly steps?: number;
}

interface Outcome {
  readonly text: string;
  readonly finishReason: string;
  readonly messages: readonly ModelMessage[];
  readonly responseId: unknown;
}

/** The package takes names of models for their abilities: this one reasons. */
const modelName = "gpt-5.4-mini";

const parameters = (server: ResponsesServer, { messages, tools, options = {}, steps = 5 }: Asking) => ({
  model: providerFor(server).responses(modelName),
  messages,
  tools,
  stopWhen: isStepCount(steps),
  maxRetries: 0,
  providerOptions: { openai: { ...options } },
});

/** The two ways to ask; a stream is read to its end, and rejects with the error that it tells of. */
const ways = {
  generateText: async (server: ResponsesServer, asking: Asking): Promise<Outcome> => {
    const { text, finishReason, responseMessages, finalStep } = await generateText(parameters(server, asking));
    return { text, finishReason, messages: responseMessages, responseId: finalStep.providerMetadata?.["openai"]?.["responseId"] };
  },
  streamText: async (server: ResponsesServer, asking: Asking): Promise<Outcome> => {
    const streamed = streamText({ ...parameters(server, asking), onError: () => {} });
    for await (const part of streamed.stream) if (part.type === "error") throw part.error;
    const finalStep = await streamed.finalStep;
    const responseId = finalStep.providerMetadata?.["openai"]?.["responseId"];
    return { text: await streamed.text, finishReason: await streamed.finishReason, messages: await streamed.responseMessages, responseId };
  },
};

const user = (content: string): ModelMessage => ({ role: "user", content });

describe.each(Object.keys(ways) as (keyof typeof ways)[])("ai, %s", (way) => {
  const ask = ways[way];

  test.each<[string, OpenAILanguageModelResponsesOptions]>([
    ["stored items", {}],
    ["encrypted reasoning, unstored", { store: false }],
  ])("calls tools in parallel with %s", async (_name, options) => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const { text, finishReason } = await ask(server, { messages: [user(question)], tools: toolsFor(desk), options });
    expect({ text, finishReason }).toEqual({ text: answer, finishReason: "stop" });
    expect(desk.asked).toEqual(["A", "B"]);
    expect(readFor(server.request(1))).toEqual(answeredTurn);
    server.assertDone();
  });

  test("says the user's message to a conversation again with each step", async () => {
    const calls = ["A", "B"].map((orderId) => ({ name: "get_delivery", arguments: { orderId } }));
    await using server = await startResponsesServer([reply.calls(...calls), reply.text("In 2 and 5 days.")], { conversations: ["conv_1"] });
    const asking = { messages: [user(question)], tools: toolsFor(new DeliveryDesk()), options: { conversation: "conv_1" } };
    expect((await ask(server, asking)).text).toBe("In 2 and 5 days.");
    expect(readFor(server.request(1))).toEqual([
      "user",
      "function_call",
      "function_call",
      "user",
      "function_call_output",
      "function_call_output",
    ]);
    server.assertDone();
  });

  test("refers to stored reasoning by its id, and sends encrypted reasoning in full", async () => {
    await using server = await startResponsesServer(deliveryModel());
    await ask(server, { messages: [user(question)], tools: toolsFor(new DeliveryDesk()) });
    await ask(server, { messages: [user(question)], tools: toolsFor(new DeliveryDesk()), options: { store: false } });
    expect(sent(server.request(1))[1]).toEqual({ type: "item_reference", id: expect.stringMatching(/^rs_/) });
    expect(sent(server.request(3))[1]).toMatchObject({ type: "reasoning", encrypted_content: expect.stringMatching(/^gAAAA/) });
    expect(server.request(2).body.include).toEqual(["reasoning.encrypted_content"]);
    server.assertDone();
  });

  test("makes a single call", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    expect((await ask(server, { messages: [user("And B?")], tools: toolsFor(desk) })).text).toBe("B: 5 days");
    expect(desk.asked).toEqual(["B"]);
    server.assertDone();
  });

  test.each([true, false])("goes on from its own messages, store: %s", async (store) => {
    await using server = await startResponsesServer(deliveryModel());
    const tools = toolsFor(new DeliveryDesk());
    const first = await ask(server, { messages: [user(question)], tools, options: { store } });
    const second = await ask(server, { messages: [user(question), ...first.messages, user(followUp)], tools, options: { store } });
    expect(second.text).toBe("2 orders");
    expect(readFor(server.request(2))).toEqual([...answeredTurn, "assistant", "user"]);
    server.assertDone();
  });

  test("never moves along a chain, and drops the reasoning of its steps there", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const tools = toolsFor(new DeliveryDesk());
    const first = await ask(server, { messages: [user("And B?")], tools });
    const options = { previousResponseId: String(first.responseId) };
    expect((await ask(server, { messages: [user(question)], tools, options })).text).toBe(answer);
    expect(server.requests.slice(2).map((request) => request.body.previous_response_id)).toEqual([first.responseId, first.responseId]);
    expect(readFor(server.request(3)).slice(-5)).toEqual([
      "user",
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
    ]);
    server.assertDone();
  });

  test("tells the model of a failing tool beside one that works", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const { text } = await ask(server, { messages: [user("And X and A?")], tools: toolsFor(desk) });
    expect(text).toMatch(/^X: .*Order X is lost\..*, A: 2 days$/);
    expect(desk.asked).toEqual(["X", "A"]);
    server.assertDone();
  });

  test("tells the model of an unknown tool", async () => {
    await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "get_weather" }), reply.text("Then not.")]);
    expect((await ask(server, { messages: [user(question)], tools: toolsFor(new DeliveryDesk()) })).text).toBe("Then not.");
    expect(sent(server.request(1)).at(-1)).toMatchObject({ call_id: "call_1", output: expect.stringContaining("get_delivery") });
    server.assertDone();
  });

  test("runs both calls of one id, and is refused the second output", async () => {
    const call = (orderId: string) => ({ callId: "call_1", name: "get_delivery", arguments: { orderId } });
    await using server = await startResponsesServer([reply.calls(call("A"), call("B")), reply.text("Never.")]);
    const desk = new DeliveryDesk();
    const asked = ask(server, { messages: [user(question)], tools: toolsFor(desk) });
    await expect(asked).rejects.toThrow("No tool call found for function call output with call_id call_1.");
    expect(desk.asked).toEqual(["A", "B"]);
    expect(server.request(1).refusal).toMatchObject({ status: 400, param: "input", code: null });
  });

  test("is refused a chain that does not exist", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const asked = ask(server, { messages: [user(question)], tools: {}, options: { previousResponseId: "resp_gone" } });
    await expect(asked).rejects.toMatchObject({ statusCode: 400, data: { error: { code: "previous_response_not_found" } } });
  });

  test("ends without a word at its budget, and its history can be taken up again", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const tools = toolsFor(new DeliveryDesk());
    const first = await ask(server, { messages: [user(question)], tools, steps: 1 });
    expect(first).toMatchObject({ text: "", finishReason: "tool-calls" });
    const second = await ask(server, { messages: [user(question), ...first.messages], tools });
    expect(second.text).toBe(answer);
    server.assertDone();
  });

  test("takes up hosted web searches and their reasoning again", async () => {
    const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "Oslo" } };
    const citation = { type: "url_citation", start_index: 0, end_index: 4, url: "https://example.com/", title: "Oslo" };
    await using server = await startResponsesServer([
      reply.output(
        reply.reasoning("Search."),
        reply.items([search]),
        reply.reasoning("Read."),
        reply.text("Cold.", { annotations: [citation] }),
      ),
      reply.text("Yes."),
    ]);
    const tools = { web_search: providerFor(server).tools.webSearch({}) };
    const first = await ask(server, { messages: [user("Oslo?")], tools });
    expect(first.text).toBe("Cold.");
    expect((await ask(server, { messages: [user("Oslo?"), ...first.messages, user("Sure?")], tools })).text).toBe("Yes.");
    expect(readFor(server.request(1))).toEqual(["user", "reasoning", "web_search_call", "reasoning", "assistant", "user"]);
    server.assertDone();
  });
});

test("ai parses structured output after a call", async () => {
  await using server = await startResponsesServer([
    reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }),
    reply.text('{"days":2}'),
  ]);
  const { output } = await generateText({
    ...parameters(server, { messages: [user("And A?")], tools: toolsFor(new DeliveryDesk()) }),
    output: Output.object({ schema: z.object({ days: z.number() }) }),
  });
  expect(output).toEqual({ days: 2 });
  expect(server.request(1).body).toMatchObject({ text: { format: { type: "json_schema", strict: true } } });
  server.assertDone();
});

test("ai sends images, its own and a tool's", async () => {
  const data = "iVBORw0KGgo=";
  const image = { type: "file" as const, mediaType: "image/png", data: { type: "data" as const, data } };
  await using server = await startResponsesServer([reply.calls({ name: "photograph" }), reply.text("A parcel.")]);
  const photograph = tool({
    inputSchema: z.object({}),
    execute: () => "Click.",
    toModelOutput: () => ({ type: "content", value: [image] }),
  });
  const messages: ModelMessage[] = [{ role: "user", content: [{ type: "text", text: "Like this?" }, image] }];
  expect((await generateText(parameters(server, { messages, tools: { photograph } }))).text).toBe("A parcel.");
  expect(sent(server.request(1)).at(-1)?.["output"]).toMatchObject([{ type: "input_image", image_url: `data:image/png;base64,${data}` }]);
  server.assertDone();
});

test("ai forces and forbids tools", async () => {
  const call = reply.calls({ name: "get_delivery", arguments: { orderId: "A" } });
  await using server = await startResponsesServer([call, call, reply.text("No idea.")]);
  const asking = parameters(server, { messages: [user("And A?")], tools: toolsFor(new DeliveryDesk()), steps: 1 });
  await generateText({ ...asking, toolChoice: { type: "tool", toolName: "get_delivery" } });
  await generateText({ ...asking, toolChoice: "required" });
  await generateText({ ...asking, toolChoice: "none" });
  expect(server.requests.map((request) => request.body.tool_choice)).toEqual([
    { type: "function", name: "get_delivery" },
    "required",
    "none",
  ]);
  server.assertDone();
});

test("ai retries 429", async () => {
  await using server = await startResponsesServer([
    reply.http(429, { code: "rate_limit_exceeded", headers: { "retry-after-ms": "1" } }),
    reply.text("At last."),
  ]);
  const { text } = await generateText({ ...parameters(server, { messages: [user("Hi")], tools: {} }), maxRetries: 1 });
  expect(text).toBe("At last.");
  expect(statuses(server)).toEqual([429, 200]);
  server.assertDone();
});

test("ai reads interleaved calls in single bytes, past events that it does not know", async () => {
  await using server = await startResponsesServer(
    deliveryModel({ chunk: "byte", interleave: true, deltaSize: 1, keepalive: true, unknownEvents: true }),
  );
  const desk = new DeliveryDesk();
  expect((await ways.streamText(server, { messages: [user(question)], tools: toolsFor(desk) })).text).toBe(answer);
  expect(desk.asked).toEqual(["A", "B"]);
  server.assertDone();
});

test("ai tells a failed response from one that just ends, and neither from success by throwing", async () => {
  await using server = await startResponsesServer([
    reply.failed({ code: "server_error", message: "Broken." }, reply.text("Half")),
    reply.end({}, reply.text("Half")),
  ]);
  const asking: Asking = { messages: [user("Hi")], tools: {} };
  await expect(ways.streamText(server, asking)).rejects.toThrow("Broken.");
  expect(await ways.streamText(server, asking)).toMatchObject({ text: "Half", finishReason: "interrupted" });
  expect(await server.request(1).ended).toBe("finished");
  server.assertDone();
});
