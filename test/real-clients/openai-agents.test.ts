import {
  Agent,
  MemorySession,
  OpenAIConversationsSession,
  OpenAIProvider,
  Runner,
  tool,
  webSearchTool,
  type AgentInputItem,
  type AgentOptions,
  type NonStreamRunOptions,
} from "@openai/agents";
import { reply, startResponsesServer, type ResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
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

const clientOf = (server: ResponsesServer): OpenAI => new OpenAI({ baseURL: server.url, apiKey: "test", maxRetries: 0 });
const toolFor = (desk: DeliveryDesk) =>
  tool({ ...getDelivery, parameters: z.object({ orderId: z.string() }), execute: ({ orderId }) => desk.days(orderId) });
const agentFor = (desk: DeliveryDesk, options: Partial<AgentOptions> = {}): Agent =>
  new Agent({ name: "clerk", model: "test", tools: [toolFor(desk)], ...options });

interface Outcome {
  readonly finalOutput: unknown;
  readonly history: AgentInputItem[];
  readonly lastResponseId: string | undefined;
}

/** The two ways to run an agent; a stream is read to its end. */
const ways = {
  run: async (
    server: ResponsesServer,
    agent: Agent,
    input: string | AgentInputItem[],
    options: NonStreamRunOptions = {},
  ): Promise<Outcome> => runnerOf(server).run(agent, input, options),
  stream: async (
    server: ResponsesServer,
    agent: Agent,
    input: string | AgentInputItem[],
    options: NonStreamRunOptions = {},
  ): Promise<Outcome> => {
    const streamed = await runnerOf(server).run(agent, input, { ...options, stream: true });
    for await (const _ of streamed);
    await streamed.completed;
    return streamed;
  },
};

const runnerOf = (server: ResponsesServer): Runner =>
  new Runner({ tracingDisabled: true, modelProvider: new OpenAIProvider({ openAIClient: clientOf(server) }) });

const encrypted = { modelSettings: { store: false, providerData: { include: ["reasoning.encrypted_content"] } } };

describe.each(Object.keys(ways) as (keyof typeof ways)[])("@openai/agents, %s", (way) => {
  const run = ways[way];

  test.each([
    ["stored items", {}, {}],
    ["encrypted reasoning, unstored", encrypted, {}],
    ["a conversation", {}, { conversationId: "conv_1" }],
  ])("calls tools in parallel with %s", async (_name, agentOptions, runOptions) => {
    await using server = await startResponsesServer(deliveryModel(), { conversations: ["conv_1"] });
    const desk = new DeliveryDesk();
    const result = await run(server, agentFor(desk, agentOptions), question, runOptions);
    expect(result.finalOutput).toBe(answer);
    expect(desk.asked).toEqual(["A", "B"]);
    expect(readFor(server.request(1))).toEqual(answeredTurn);
    expect(server.request(1).body.store).toBe(agentOptions === encrypted ? false : undefined);
    server.assertDone();
  });

  test("chains responses, and sends new items alone", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const agent = agentFor(new DeliveryDesk());
    const first = await run(server, agent, "And B?");
    const second = await run(server, agent, question, { previousResponseId: first.lastResponseId ?? "" });
    expect(second.finalOutput).toBe(answer);
    expect(sent(server.request(3)).map((item) => item["type"])).toEqual(["function_call_output", "function_call_output"]);
    expect(server.requests.map((request) => typeof request.body.previous_response_id)).toEqual([
      "undefined",
      "undefined",
      "string",
      "string",
    ]);
    server.assertDone();
  });

  test("goes on from its own history", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const agent = agentFor(new DeliveryDesk(), encrypted);
    const first = await run(server, agent, question);
    const second = await run(server, agent, [...first.history, { role: "user", content: followUp }]);
    expect(second.finalOutput).toBe(followUpAnswer);
    expect(readFor(server.request(2))).toEqual(secondTurn);
    server.assertDone();
  });

  test.each([
    ["memory", () => new MemorySession()],
    ["a conversation of the API", (server: ResponsesServer) => new OpenAIConversationsSession({ client: clientOf(server) })],
  ])("keeps a session in %s", async (_name, open) => {
    await using server = await startResponsesServer(deliveryModel());
    const agent = agentFor(new DeliveryDesk());
    const session = open(server);
    await run(server, agent, question, { session });
    const second = await run(server, agent, followUp, { session });
    expect(second.finalOutput).toBe(followUpAnswer);
    expect(readFor(server.request(2))).toEqual(secondTurn);
    expect(await session.getItems()).toHaveLength(secondTurn.length + 1);
    server.assertDone();
  });

  test("tells the model that a tool failed, beside one that works", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const result = await run(server, agentFor(desk), "And X and A?");
    expect(desk.asked).toEqual(["X", "A"]);
    expect(result.finalOutput).toMatch(/^X: An error occurred.*, A: 2 days$/);
    server.assertDone();
  });

  test("parses structured output", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }),
      reply.text('{"days":2}'),
    ]);
    const agent = new Agent({
      name: "clerk",
      model: "test",
      tools: [toolFor(new DeliveryDesk())],
      outputType: z.object({ days: z.number() }),
    });
    expect((await run(server, agent as unknown as Agent, "And A?")).finalOutput).toEqual({ days: 2 }); // another output type, same agent
    expect(server.request(1).body).toMatchObject({ text: { format: { type: "json_schema", strict: true } } });
    server.assertDone();
  });

  test("takes up hosted web searches and their reasoning again", async () => {
    const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "Oslo" } };
    await using server = await startResponsesServer([
      reply.output(reply.reasoning("Search."), reply.items([search]), reply.reasoning("Read."), reply.text("Cold.")),
      reply.text("Yes."),
    ]);
    const agent = new Agent({ name: "clerk", model: "test", tools: [webSearchTool()] });
    const first = await run(server, agent, "Oslo?");
    const second = await run(server, agent, [...first.history, { role: "user", content: "Sure?" }]);
    expect(second.finalOutput).toBe("Yes.");
    expect(readFor(server.request(1))).toEqual(["user", "reasoning", "web_search_call", "reasoning", "assistant", "user"]);
    server.assertDone();
  });

  test("dies of an unknown tool; the other call of the reply is not answered either", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }, { name: "get_weather" }),
    ]);
    const desk = new DeliveryDesk();
    await expect(run(server, agentFor(desk), question)).rejects.toThrow("Tool get_weather not found");
    expect(desk.asked).toEqual([]);
    server.assertDone();
  });

  test("goes on after an unknown tool when it is told to", async () => {
    await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "get_weather" }), reply.text("Then not.")]);
    const result = await run(server, agentFor(new DeliveryDesk()), question, { toolNotFoundBehavior: "return_error_to_model" });
    expect(result.finalOutput).toBe("Then not.");
    expect(sent(server.request(1)).at(-1)).toMatchObject({
      type: "function_call_output",
      call_id: "call_1",
      output: expect.stringContaining("get_weather"),
    });
    server.assertDone();
  });

  test("dies of a call id that is there twice, before anything runs", async () => {
    const call = (orderId: string) => ({ callId: "call_1", name: "get_delivery", arguments: { orderId } });
    await using server = await startResponsesServer([reply.calls(call("A"), call("B"))]);
    const desk = new DeliveryDesk();
    await expect(run(server, agentFor(desk), question)).rejects.toThrow("call_1 was reused");
    expect(desk.asked).toEqual([]);
    server.assertDone();
  });

  test("runs nothing of a response that failed or was cut off", async () => {
    const call = reply.calls({ name: "get_delivery", arguments: { orderId: "A" } });
    await using server = await startResponsesServer([
      reply.failed({ code: "server_error", message: "Broken." }, call),
      reply.incomplete({}, call),
    ]);
    const desk = new DeliveryDesk();
    await expect(run(server, agentFor(desk), question)).rejects.toThrow("response.failed");
    await expect(run(server, agentFor(desk), question)).rejects.toThrow("response.incomplete");
    expect(desk.asked).toEqual([]);
    server.assertDone();
  });

  test("is refused reasoning that was neither stored nor encrypted", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const started = run(server, agentFor(new DeliveryDesk(), { modelSettings: { store: false } }), question);
    await expect(started).rejects.toMatchObject({
      status: 404,
      param: "input",
      message: expect.stringContaining("Items are not persisted"),
    });
    expect(statuses(server)).toEqual([200, 404]);
  });

  test("is refused a history that the chain holds already", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const agent = agentFor(new DeliveryDesk());
    const first = await run(server, agent, question);
    const options = { previousResponseId: first.lastResponseId ?? "" };
    const doubled = run(server, agent, [...first.history, { role: "user", content: followUp }], options);
    await expect(doubled).rejects.toMatchObject({
      status: 400,
      param: "input",
      message: expect.stringContaining("Duplicate item found with id rs_"),
    });
    expect(statuses(server)).toEqual([200, 200, 400]);
  });

  test("is refused a chain that does not exist", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const started = run(server, agentFor(new DeliveryDesk()), question, { previousResponseId: "resp_gone" });
    await expect(started).rejects.toMatchObject({ status: 400, code: "previous_response_not_found", param: "previous_response_id" });
  });
});

test("@openai/agents runs a call that a person approves", async () => {
  await using server = await startResponsesServer(deliveryModel());
  const desk = new DeliveryDesk();
  const asking = tool({
    ...getDelivery,
    parameters: z.object({ orderId: z.string() }),
    needsApproval: true,
    execute: ({ orderId }) => desk.days(orderId),
  });
  const agent = new Agent({ name: "clerk", model: "test", tools: [asking] });
  const runner = runnerOf(server);
  const paused = await runner.run(agent, question);
  expect(paused.interruptions).toHaveLength(2);
  expect(desk.asked).toEqual([]);
  const [first, second] = paused.interruptions;
  if (first === undefined || second === undefined) throw new Error("There were two.");
  paused.state.approve(first);
  paused.state.reject(second);
  const result = await runner.run(agent, paused.state);
  expect(desk.asked).toEqual(["A"]);
  expect(result.finalOutput).toMatch(/^A: 2 days, B: .*not approved/);
  expect(readFor(server.request(1))).toEqual(answeredTurn);
  server.assertDone();
});

test("@openai/agents sends images, its own and a tool's", async () => {
  const image = "data:image/png;base64,iVBORw0KGgo=";
  await using server = await startResponsesServer([reply.calls({ name: "photograph" }), reply.text("A parcel.")]);
  const photograph = tool({
    name: "photograph",
    description: "Takes a picture.",
    parameters: z.object({}),
    execute: () => ({ type: "image" as const, image }),
  });
  const agent = new Agent({ name: "clerk", model: "test", tools: [photograph] });
  const content = [
    { type: "input_text" as const, text: "Like this?" },
    { type: "input_image" as const, image },
  ];
  expect((await runnerOf(server).run(agent, [{ role: "user", content }])).finalOutput).toBe("A parcel.");
  expect(sent(server.request(1)).at(-1)?.["output"]).toMatchObject([{ type: "input_image", image_url: image }]);
  server.assertDone();
});

test("@openai/agents reads interleaved calls in single bytes, past events that it does not know", async () => {
  await using server = await startResponsesServer(
    deliveryModel({ chunk: "byte", interleave: true, deltaSize: 1, keepalive: true, unknownEvents: true }),
  );
  const desk = new DeliveryDesk();
  expect((await ways.stream(server, agentFor(desk), question)).finalOutput).toBe(answer);
  expect(desk.asked).toEqual(["A", "B"]);
  server.assertDone();
});

test("@openai/agents takes a stream that just ends for an error", async () => {
  await using server = await startResponsesServer([reply.end({}, reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }))]);
  const desk = new DeliveryDesk();
  await expect(ways.stream(server, agentFor(desk), question)).rejects.toThrow("did not produce a final response");
  expect(desk.asked).toEqual([]);
  server.assertDone();
});
