import OpenAI from "openai";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import { expect, test } from "vitest";
import { autoModel } from "./auto-model.js";
import { reply } from "./reply.js";
import { startResponsesServer, type ResponsesServer } from "./server.js";

const clientOf = (server: ResponsesServer): OpenAI => new OpenAI({ baseURL: server.url, apiKey: "test", maxRetries: 0 });

const deliveryTool = {
  type: "function" as const,
  name: "get_delivery",
  description: "Days until an order is delivered.",
  strict: true,
  parameters: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"], additionalProperties: false },
};

const rich = reply.output(
  reply.reasoning("Two orders.", "Ask for both."),
  reply.reasoning({ text: "raw thoughts" }),
  reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }, { name: "get_delivery", arguments: { orderId: "B – ☂️ 𝄞" } }),
  reply.text("One moment, 𝄞 please.", { phase: "commentary" }),
  reply.refusal("Not that."),
);

test("answers create() with two calls and then a text", async () => {
  await using server = await startResponsesServer([
    reply.calls(
      { callId: "call_A", name: "get_delivery", arguments: { orderId: "A" } },
      { callId: "call_B", name: "get_delivery", arguments: { orderId: "B" } },
    ),
    reply.text("A takes 2 days, B takes 5."),
  ]);
  const client = clientOf(server);
  const first = await client.responses.create({ model: "test", input: "When do A and B come?", tools: [deliveryTool] });
  expect(first.output.map((item) => item.type)).toEqual(["function_call", "function_call"]);
  const outputs = [
    { type: "function_call_output" as const, call_id: "call_A", output: "2" },
    { type: "function_call_output" as const, call_id: "call_B", output: "5" },
  ];
  const second = await client.responses.create({ model: "test", previous_response_id: first.id, input: outputs, tools: [deliveryTool] });
  expect(second.output_text).toBe("A takes 2 days, B takes 5.");
  expect(second).toHaveProperty("_request_id", expect.stringMatching(/^req_/));
  expect(server.request(1).body.input).toEqual(outputs);
  server.assertDone();
});

test.each(["byte", "random", 7, undefined] as const)(
  "streams to the raw iterator the response that create() gives, in pieces of %s",
  async (chunk) => {
    const options = { deltaSize: 3, responseId: "resp_1", chunk };
    await using server = await startResponsesServer([rich.with(options)]);
    const types: string[] = [];
    let text = "";
    let completed: OpenAI.Responses.Response | undefined;
    const stream = await clientOf(server).responses.create({ model: "test", input: "Hi", stream: true });
    for await (const event of stream) {
      types.push(event.type);
      expect(event.sequence_number).toBe(types.length - 1);
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") completed = event.response;
    }
    expect(text).toBe("One moment, 𝄞 please.");
    expect(types.slice(0, 3)).toEqual(["response.created", "response.in_progress", "response.output_item.added"]);
    expect(types.at(-1)).toBe("response.completed");
    expect(completed?.output.map((item) => item.type)).toEqual([
      "reasoning",
      "reasoning",
      "function_call",
      "function_call",
      "message",
      "message",
    ]);
    expect(completed?.status).toBe("completed");
    server.assertDone();
  },
);

test.each([
  ["plain", rich],
  ["interleaved", rich.with({ interleave: true, deltaSize: 2 })],
  ["with keepalive events after the first", rich.with({ keepalive: true })],
  ["without done events", rich.with({ omitDone: true })],
])("satisfies the strict responses.stream() helper: %s", async (_name, scripted) => {
  await using server = await startResponsesServer([scripted]);
  const stream = clientOf(server).responses.stream({ model: "test", input: "Hi", include: ["reasoning.encrypted_content"] });
  const final = await stream.finalResponse();
  const calls = final.output.filter((item) => item.type === "function_call");
  expect(calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([{ orderId: "A" }, { orderId: "B – ☂️ 𝄞" }]);
  expect(final.output_text).toBe("One moment, 𝄞 please.");
  expect(final.output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.stringMatching(/^gAAA/) });
});

test.each([false, true])("serves the client's own tool runner, stream: %s", async (stream) => {
  await using server = await startResponsesServer(
    autoModel((view) =>
      view.step === 0
        ? reply.output(
            reply.reasoning("Look it up."),
            reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }, { name: "get_delivery", arguments: { orderId: "B" } }),
          )
        : reply.text(`A: ${String(view.outputs[0]?.value)}, B: ${String(view.outputs[1]?.value)}`),
    ),
  );
  const functions = [{ tool: deliveryTool, execute: ({ orderId }: Record<string, unknown>) => (orderId === "A" ? "2" : "5") }];
  const runner = new ResponsesToolRunner({ functions });
  const response = await runner.run(clientOf(server), { model: "test", input: "When?", store: false }, { stream });
  expect(response.output_text).toBe("A: 2, B: 5");
  expect(server.requests.map((request) => request.status)).toEqual([200, 200]);
  server.assertDone();
});

test("gives errors the client's classes", async () => {
  await using server = await startResponsesServer([
    reply.http(429, { code: "rate_limit_exceeded", message: "Slow down.", headers: { "retry-after": "1", "x-should-retry": "false" } }),
    reply.http(503, { code: "server_is_overloaded", type: "service_unavailable_error" }),
    reply.error({ code: "server_error", message: "Broken." }, reply.text("Hel")),
  ]);
  const client = clientOf(server);
  const ask = { model: "test", input: "Hi" };
  await expect(client.responses.create(ask)).rejects.toMatchObject({
    status: 429,
    code: "rate_limit_exceeded",
    message: "429 Slow down.",
    headers: expect.any(Headers),
  });
  await expect(client.responses.create(ask)).rejects.toMatchObject({
    status: 503,
    code: "server_is_overloaded",
    type: "service_unavailable_error",
  });
  const stream = await client.responses.create({ ...ask, stream: true });
  const seen: string[] = [];
  await expect(
    (async () => {
      for await (const event of stream) seen.push(event.type);
    })(),
  ).rejects.toBeInstanceOf(OpenAI.APIError);
  expect(seen.at(-1)).toBe("response.output_text.delta");
});

test("serves conversations, stored responses and their items", async () => {
  await using server = await startResponsesServer([reply.text("One."), reply.text("Two.")]);
  const client = clientOf(server);
  const conversation = await client.conversations.create({ metadata: { topic: "test" } });
  const first = await client.responses.create({ model: "test", input: "1", conversation: conversation.id });
  expect(first.conversation).toEqual({ id: conversation.id });
  await client.responses.create({ model: "test", input: "2", conversation: { id: conversation.id } });
  const items = await client.conversations.items.list(conversation.id, { order: "asc" });
  expect(items.data.map((item) => ("role" in item ? item.role : item.type))).toEqual(["user", "assistant", "user", "assistant"]);
  expect((await client.responses.retrieve(first.id)).output_text).toBe("One.");
  expect((await client.responses.inputItems.list(first.id)).data).toMatchObject([{ role: "user" }]);
  await client.responses.delete(first.id);
  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  await client.conversations.delete(conversation.id);
  await expect(client.conversations.retrieve(conversation.id)).rejects.toMatchObject({ status: 404 });
});
