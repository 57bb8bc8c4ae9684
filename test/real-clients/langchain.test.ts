import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI, type ChatOpenAIFields } from "@langchain/openai";
import { reply, startResponsesServer, type ResponsesServer } from "@toolwright/testing";
import { createAgent, providerStrategy, tool, toolStrategy } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answer,
  answeredTurn,
  DeliveryDesk,
  deliveryModel,
  followUp,
  followUpAnswer,
  getDelivery,
  question,
  readFor,
  secondTurn,
  sent,
  statuses,
} from "./support/delivery.js";
import { loopbackOnly } from "./support/loopback-only.js";

loopbackOnly();

const modelFor = (server: ResponsesServer, fields: ChatOpenAIFields = {}): ChatOpenAI =>
  new ChatOpenAI({
    model: "gpt-5.4-mini",
    apiKey: "test",
    useResponsesApi: true,
    maxRetries: 0,
    configuration: { baseURL: server.url },
    ...fields,
  });
const toolFor = (desk: DeliveryDesk) =>
  tool(({ orderId }) => desk.days(orderId), { ...getDelivery, schema: z.object({ orderId: z.string() }) });

const encrypted = { zdrEnabled: true, modelKwargs: { include: ["reasoning.encrypted_content"] } };

describe.each([false, true])("langchain, streaming: %s", (streaming) => {
  const agentFor = (server: ResponsesServer, desk: DeliveryDesk, fields: ChatOpenAIFields = {}) =>
    createAgent({ model: modelFor(server, { streaming, ...fields }), tools: [toolFor(desk)] });
  /** The whole list of messages, the answer last. */
  const ask = async (agent: ReturnType<typeof agentFor>, messages: BaseMessage[]): Promise<BaseMessage[]> =>
    (await agent.invoke({ messages })).messages;

  test.each<[string, ChatOpenAIFields]>([
    ["stored items", {}],
    ["encrypted reasoning, unstored", encrypted],
  ])("calls tools in parallel with %s", async (_name, fields) => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const messages = await ask(agentFor(server, desk, fields), [new HumanMessage(question)]);
    expect(messages.at(-1)?.text).toBe(answer);
    expect(desk.asked).toEqual(["A", "B"]);
    expect(readFor(server.request(1))).toEqual(answeredTurn);
    expect(server.request(1).body.store).toBe(fields === encrypted ? false : undefined);
    server.assertDone();
  });

  test("makes a single call", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    expect((await ask(agentFor(server, desk), [new HumanMessage("And B?")])).at(-1)?.text).toBe("B: 5 days");
    expect(desk.asked).toEqual(["B"]);
    server.assertDone();
  });

  test.each<[string, ChatOpenAIFields]>([
    ["stored", {}],
    ["encrypted", encrypted],
  ])("goes on from its own messages, %s", async (_name, fields) => {
    await using server = await startResponsesServer(deliveryModel());
    const agent = agentFor(server, new DeliveryDesk(), fields);
    const first = await ask(agent, [new HumanMessage(question)]);
    const second = await ask(agent, [...first, new HumanMessage(followUp)]);
    expect(second.at(-1)?.text).toBe(followUpAnswer);
    expect(readFor(server.request(2))).toEqual(secondTurn);
    server.assertDone();
  });

  test("chains responses by hand", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const get = toolFor(desk);
    const model = modelFor(server, { streaming }).bindTools([get]);
    const first = await model.invoke([new HumanMessage(question)]);
    const outputs = await Promise.all((first.tool_calls ?? []).map((call) => get.invoke({ ...call, type: "tool_call" })));
    const second = await model.invoke(outputs, { previous_response_id: String(first.response_metadata["id"]) });
    expect(second.text).toBe(answer);
    expect(sent(server.request(1)).map((item) => item["type"])).toEqual(["function_call_output", "function_call_output"]);
    expect(readFor(server.request(1))).toEqual(answeredTurn);
    server.assertDone();
  });

  test("tells the model of a failing tool beside one that works", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const messages = await ask(agentFor(server, desk), [new HumanMessage("And X and A?")]);
    expect(messages.at(-1)?.text).toMatch(/^X: Error: Order X is lost\.[^]*, A: 2 days$/);
    expect(desk.asked).toEqual(["X", "A"]);
    server.assertDone();
  });

  test("tells the model of an unknown tool", async () => {
    await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "get_weather" }), reply.text("Then not.")]);
    expect((await ask(agentFor(server, new DeliveryDesk()), [new HumanMessage(question)])).at(-1)?.text).toBe("Then not.");
    expect(sent(server.request(1)).at(-1)).toMatchObject({ call_id: "call_1", output: expect.stringContaining("get_delivery") });
    server.assertDone();
  });

  test("shows the model where it lives when arguments are wrong, which the server cannot know", async () => {
    await using server = await startResponsesServer([reply.calls({ name: "get_delivery", arguments: { order: "A" } }), reply.text("Oh.")]);
    const desk = new DeliveryDesk();
    expect((await ask(agentFor(server, desk), [new HumanMessage(question)])).at(-1)?.text).toBe("Oh.");
    expect(sent(server.request(1)).at(-1)?.["output"]).toContain("node_modules");
    expect(desk.asked).toEqual([]);
    server.assertDone();
  });

  test("runs both calls of one id, and is refused the second output", async () => {
    const call = (orderId: string) => ({ callId: "call_1", name: "get_delivery", arguments: { orderId } });
    await using server = await startResponsesServer([reply.calls(call("A"), call("B")), reply.text("Never.")]);
    const desk = new DeliveryDesk();
    const asked = ask(agentFor(server, desk), [new HumanMessage(question)]);
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param: "input",
      code: null,
      message: expect.stringContaining("No tool call found for function call output with call_id call_1."),
    });
    expect(desk.asked).toEqual(["A", "B"]);
  });

  test("is refused reasoning that was neither stored nor encrypted", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const asked = ask(agentFor(server, new DeliveryDesk(), { zdrEnabled: true }), [new HumanMessage(question)]);
    await expect(asked).rejects.toMatchObject({ status: 404, param: "input", message: expect.stringContaining("Items are not persisted") });
    expect(statuses(server)).toEqual([200, 404]);
  });

  test("is refused a history that the chain holds already", async () => {
    await using server = await startResponsesServer([reply.text("Hello."), reply.text("Never.")]);
    const model = modelFor(server, { streaming });
    const greeting = new HumanMessage("Hi");
    const first = await model.invoke([greeting]);
    const options = { previous_response_id: String(first.response_metadata["id"]) };
    const doubled = model.invoke([greeting, first, new HumanMessage("Again.")], options);
    await expect(doubled).rejects.toMatchObject({ status: 400, message: expect.stringContaining("Duplicate item found with id msg_") });
  });

  test("is refused a chain that does not exist", async () => {
    await using server = await startResponsesServer([reply.text("Never.")]);
    const asked = modelFor(server, { streaming }).invoke("Hi", { previous_response_id: "resp_gone" });
    await expect(asked).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  });

  test("takes up hosted web searches and their reasoning again", async () => {
    const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "Oslo" } };
    await using server = await startResponsesServer([
      reply.output(reply.reasoning("Search."), reply.items([search]), reply.reasoning("Read."), reply.text("Cold.")),
      reply.text("Yes."),
    ]);
    const agent = createAgent({ model: modelFor(server, { streaming }), tools: [{ type: "web_search" }] });
    const first = await agent.invoke({ messages: [new HumanMessage("Oslo?")] });
    const second = await agent.invoke({ messages: [...first.messages, new HumanMessage("Sure?")] });
    expect(second.messages.at(-1)?.text).toBe("Yes.");
    expect(readFor(server.request(1))).toEqual(["user", "reasoning", "web_search_call", "reasoning", "assistant", "user"]);
    server.assertDone();
  });
});

const Days = z.object({ days: z.number() });

test("langchain parses structured output in the provider's format", async () => {
  await using server = await startResponsesServer([
    reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }),
    reply.text('{"days":2}'),
  ]);
  const agent = createAgent({ model: modelFor(server), tools: [toolFor(new DeliveryDesk())], responseFormat: providerStrategy(Days) });
  const result = await agent.invoke({ messages: [new HumanMessage("And A?")] });
  expect(result.structuredResponse).toEqual({ days: 2 });
  expect(server.request(1).body).toMatchObject({ text: { format: { type: "json_schema", strict: true } } });
  server.assertDone();
});

test("langchain parses structured output in a tool of its own", async () => {
  await using server = await startResponsesServer([
    reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }),
    ({ body }) => reply.calls({ name: String(body.tools?.find(({ name }) => name !== "get_delivery")?.name), arguments: { days: 2 } }),
  ]);
  const agent = createAgent({ model: modelFor(server), tools: [toolFor(new DeliveryDesk())], responseFormat: toolStrategy(Days) });
  const result = await agent.invoke({ messages: [new HumanMessage("And A?")] });
  expect(result.structuredResponse).toEqual({ days: 2 });
  server.assertDone();
});

test("langchain sends images, its own and a tool's", async () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  await using server = await startResponsesServer([reply.calls({ name: "photograph" }), reply.text("A parcel.")]);
  const photograph = tool(() => [{ type: "image_url", image_url: { url } }], {
    name: "photograph",
    description: "Takes a picture.",
    schema: z.object({}),
  });
  const agent = createAgent({ model: modelFor(server), tools: [photograph] });
  const content = [
    { type: "text", text: "Like this?" },
    { type: "image_url", image_url: { url } },
  ];
  const result = await agent.invoke({ messages: [new HumanMessage({ content })] });
  expect(result.messages.at(-1)?.text).toBe("A parcel.");
  expect(sent(server.request(1)).at(-1)?.["output"]).toMatchObject([{ type: "input_image", image_url: url }]);
  server.assertDone();
});

test("langchain reads interleaved calls in single bytes, past events that it does not know", async () => {
  await using server = await startResponsesServer(
    deliveryModel({ chunk: "byte", interleave: true, deltaSize: 1, keepalive: true, unknownEvents: true }),
  );
  const desk = new DeliveryDesk();
  const agent = createAgent({ model: modelFor(server, { streaming: true }), tools: [toolFor(desk)] });
  const result = await agent.invoke({ messages: [new HumanMessage(question)] });
  expect(result.messages.at(-1)?.text).toBe(answer);
  expect(desk.asked).toEqual(["A", "B"]);
  server.assertDone();
});

test("langchain takes a stream that fails or just ends for a success, and only a JSON failure for one", async () => {
  const failed = reply.failed({ code: "server_error", message: "Broken." }, reply.text("Half"));
  await using server = await startResponsesServer([failed, reply.end({}, reply.text("Half")), failed]);
  const streamed = modelFor(server, { streaming: true });
  expect((await streamed.invoke("Hi")).text).toBe("Half");
  expect((await streamed.invoke("Hi")).text).toBe("Half");
  await expect(modelFor(server).invoke("Hi")).rejects.toThrow("Broken.");
  server.assertDone();
});
