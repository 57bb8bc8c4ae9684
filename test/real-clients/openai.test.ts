import { reply, startResponsesServer, type ResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answer, answeredTurn, DeliveryDesk, deliveryModel, getDelivery, question, readFor, sent, statuses } from "./support/delivery.js";
import { loopbackOnly } from "./support/loopback-only.js";

loopbackOnly();

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Response = OpenAI.Responses.Response;
type InputItem = OpenAI.Responses.ResponseInputItem;

const clientOf = (server: ResponsesServer): OpenAI => new OpenAI({ baseURL: server.url, apiKey: "test", maxRetries: 0 });

const tool = zodResponsesFunction({ ...getDelivery, parameters: z.object({ orderId: z.string() }) });

/** The client's three ways to ask for a response. */
const ways = {
  create: (client: OpenAI, params: Params): Promise<Response> => client.responses.create(params),
  "stream helper": (client: OpenAI, params: Params): Promise<Response> =>
    client.responses.stream({ ...params, stream: true }).finalResponse(),
  "raw iterator": async (client: OpenAI, params: Params): Promise<Response> => {
    let completed: Response | undefined;
    for await (const event of await client.responses.create({ ...params, stream: true })) {
      if (event.type === "response.completed") completed = event.response;
    }
    if (completed === undefined) throw new Error("The stream ended without response.completed.");
    return completed;
  },
};

/** Who keeps the history, and what a request after `last` then says of it. */
const histories = {
  "the caller, unstored": (all: readonly InputItem[]) => ({
    input: [...all],
    store: false,
    include: ["reasoning.encrypted_content" as const],
  }),
  "the caller, stored": (all: readonly InputItem[]) => ({ input: [...all] }),
  "a chain": (_all: readonly InputItem[], fresh: readonly InputItem[], last?: Response) => ({
    input: [...fresh],
    previous_response_id: last?.id ?? null,
  }),
  "a conversation": (_all: readonly InputItem[], fresh: readonly InputItem[]) => ({ input: [...fresh], conversation: "conv_1" }),
};

interface Conversing {
  readonly ask: (params: Params) => Promise<Response>;
  readonly history: (all: readonly InputItem[], fresh: readonly InputItem[], last?: Response) => Omit<Params, "model">;
  readonly desk: DeliveryDesk;
}

/** The loop that the client's documentation has its users write. */
async function converse({ ask, history, desk }: Conversing, text: string): Promise<Response> {
  let fresh: InputItem[] = [{ role: "user", content: text }];
  let all = fresh;
  let last: Response | undefined;
  for (;;) {
    last = await ask({ model: "test", tools: [tool], ...history(all, fresh, last) });
    const calls = last.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return last;
    fresh = calls.map(({ call_id, arguments: given }) => ({ type: "function_call_output", call_id, output: outputOf(desk, given) }));
    all = [...all, ...toResponseInputItems(last.output), ...fresh];
  }
}

/** The raw iterator gives responses as they come, without the client's `output_text`. */
const textOf = (response: Response): string =>
  response.output
    .flatMap((item) => (item.type === "message" ? item.content.map((part) => ("text" in part ? part.text : "")) : []))
    .join("");

function outputOf(desk: DeliveryDesk, given: string): string {
  try {
    return desk.days((JSON.parse(given) as { orderId: string }).orderId);
  } catch (error) {
    return error instanceof Error ? error.message : "It failed.";
  }
}

const wayNames = Object.keys(ways) as (keyof typeof ways)[];
const historyNames = Object.keys(histories) as (keyof typeof histories)[];

describe.each(wayNames)("openai, %s", (way) => {
  test.each(historyNames)("calls tools in parallel; the history is kept by %s", async (history) => {
    await using server = await startResponsesServer(deliveryModel(), { conversations: ["conv_1"] });
    const desk = new DeliveryDesk();
    const client = clientOf(server);
    const response = await converse({ ask: (params) => ways[way](client, params), history: histories[history], desk }, question);
    expect(textOf(response)).toBe(answer);
    expect(desk.asked).toEqual(["A", "B"]);
    expect(readFor(server.request(1))).toEqual(answeredTurn);
    expect(statuses(server)).toEqual([200, 200]);
    server.assertDone();
  });

  test("makes a single call", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const client = clientOf(server);
    const desk = new DeliveryDesk();
    const response = await converse(
      { ask: (params) => ways[way](client, params), history: histories["the caller, stored"], desk },
      "And B?",
    );
    expect(textOf(response)).toBe("B: 5 days");
    expect(desk.asked).toEqual(["B"]);
    server.assertDone();
  });

  test("tells the model of a failing tool beside one that works", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const client = clientOf(server);
    const desk = new DeliveryDesk();
    const response = await converse({ ask: (params) => ways[way](client, params), history: histories["a chain"], desk }, "And X and A?");
    expect(textOf(response)).toBe("X: Order X is lost., A: 2 days");
    expect(sent(server.request(1)).map((item) => item["output"])).toEqual(["Order X is lost.", "2 days"]);
    server.assertDone();
  });

  test("is refused reasoning that was neither stored nor encrypted", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const client = clientOf(server);
    const history = (all: readonly InputItem[]): Omit<Params, "model"> => ({ input: [...all], store: false });
    const run = converse({ ask: (params) => ways[way](client, params), history, desk: new DeliveryDesk() }, question);
    await expect(run).rejects.toThrow(OpenAI.NotFoundError);
    await expect(run).rejects.toMatchObject({
      status: 404,
      param: "input",
      code: null,
      message: expect.stringContaining("Items are not persisted"),
    });
  });

  test("is refused a history that the chain holds already", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const client = clientOf(server);
    const history = (all: readonly InputItem[], _fresh: readonly InputItem[], last?: Response): Omit<Params, "model"> => ({
      input: [...all],
      previous_response_id: last?.id ?? null,
    });
    const run = converse({ ask: (params) => ways[way](client, params), history, desk: new DeliveryDesk() }, question);
    await expect(run).rejects.toThrow(OpenAI.BadRequestError);
    await expect(run).rejects.toMatchObject({
      status: 400,
      param: "input",
      message: expect.stringContaining("Duplicate item found with id rs_"),
    });
  });
});

test("openai parses arguments and structured output", async () => {
  await using server = await startResponsesServer([
    reply.output(reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }), reply.text('{"days":2,"order":"A"}')),
  ]);
  const Answer = z.object({ order: z.enum(["A", "B"]), days: z.int().min(0) });
  const params = { model: "test", input: "A?", tools: [tool], text: { format: zodTextFormat(Answer, "answer") } };
  const response = await clientOf(server).responses.parse(params);
  expect(response.output_parsed).toEqual({ order: "A", days: 2 });
  expect(response.output[0]).toMatchObject({ type: "function_call", parsed_arguments: { orderId: "A" } });
  server.assertDone();
});

test("openai's own fields of a parsed call are refused when they are sent back as they are", async () => {
  await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "get_delivery", arguments: { orderId: "A" } })]);
  const client = clientOf(server);
  const { output } = await client.responses.parse({ model: "test", input: "A?", tools: [tool] });
  const input = [
    { role: "user", content: "A?" },
    ...output,
    { type: "function_call_output", call_id: "call_1", output: "2" },
  ] as InputItem[]; // the types allow it
  const run = client.responses.create({ model: "test", input, tools: [tool] });
  await expect(run).rejects.toMatchObject({ status: 400, code: "unknown_parameter", param: "input[1].parsed_arguments" });
});

test("openai uses a custom tool with a grammar, and takes its output back", async () => {
  const call = { type: "custom_tool_call", call_id: "call_1", name: "date", input: "2026-11-30" };
  await using server = await startResponsesServer([reply.output(reply.reasoning("A date."), reply.items([call])), reply.text("Monday.")]);
  const date = {
    type: "custom" as const,
    name: "date",
    format: { type: "grammar" as const, syntax: "regex" as const, definition: "\\d{4}-\\d\\d-\\d\\d" },
  };
  const client = clientOf(server);
  const first = await client.responses.create({ model: "test", input: "Today?", tools: [date] });
  expect(first.output.at(-1)).toMatchObject({ ...call, id: expect.stringMatching(/^ctc_/) });
  const input: InputItem[] = [{ type: "custom_tool_call_output", call_id: "call_1", output: "Monday" }];
  const second = await client.responses.create({ model: "test", input, previous_response_id: first.id, tools: [date] });
  expect(second.output_text).toBe("Monday.");
  server.assertDone();
});

test("openai pages through a conversation's items", async () => {
  await using server = await startResponsesServer([]);
  const client = clientOf(server);
  const messages = Array.from({ length: 25 }, (_, index) => ({ role: "user" as const, content: `Message ${index}` }));
  const { id } = await client.conversations.create({ items: messages.slice(0, 20) });
  await client.conversations.items.create(id, { items: messages.slice(20) });
  const texts: unknown[] = [];
  for await (const item of client.conversations.items.list(id, { order: "asc", limit: 10 })) {
    if (item.type === "message") texts.push(item.content.map((part) => ("text" in part ? part.text : part.type)).join(""));
  }
  expect(texts).toEqual(messages.map((message) => message.content));
  expect(server.otherRequests.filter((request) => request.method === "GET")).toHaveLength(3);
  server.assertDone();
});

test("openai retries 429 and 503 as it always does, and says so", async () => {
  const soon = { "retry-after-ms": "1" };
  await using server = await startResponsesServer([
    reply.http(429, { code: "rate_limit_exceeded", headers: soon }),
    reply.http(503, { code: "server_is_overloaded", headers: soon }),
    reply.text("At last."),
  ]);
  const response = await clientOf(server).responses.create({ model: "test", input: "Hi" }, { maxRetries: 2 });
  expect(response.output_text).toBe("At last.");
  expect(server.requests.map((request) => request.headers["x-stainless-retry-count"])).toEqual(["0", "1", "2"]);
  server.assertDone();
});

describe("openai, what its streams make of a reply that ends too early", () => {
  test("the raw iterator ends in silence", async () => {
    await using server = await startResponsesServer([reply.end({}, reply.text("Half"))]);
    const types: string[] = [];
    for await (const event of await clientOf(server).responses.create({ model: "test", input: "Hi", stream: true })) types.push(event.type);
    expect(types.at(-1)).toBe("response.output_item.done");
    expect(await server.request(0).ended).toBe("finished");
  });

  test("the helper gives an unfinished response", async () => {
    await using server = await startResponsesServer([reply.end({}, reply.text("Half"))]);
    const response = await clientOf(server).responses.stream({ model: "test", input: "Hi" }).finalResponse();
    expect(response.status).toBe("in_progress");
  });

  test("a broken connection is an error", async () => {
    await using server = await startResponsesServer([reply.cut({}, reply.text("Half of a text."))]);
    const read = async (): Promise<void> => {
      for await (const _ of await clientOf(server).responses.create({ model: "test", input: "Hi", stream: true }));
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(await server.request(0).ended).toBe("cut");
  });
});

test("openai's helper stops at an event that it does not know, its raw iterator passes it on", async () => {
  await using server = await startResponsesServer([
    reply.text("Hi.").with({ unknownEvents: true }),
    reply.text("Hi.").with({ unknownEvents: true }),
  ]);
  const client = clientOf(server);
  const helper = client.responses.stream({ model: "test", input: "Hi" }).finalResponse();
  await expect(helper).rejects.toThrow("Unhandled response stream event");
  const types: string[] = [];
  for await (const event of await client.responses.create({ model: "test", input: "Hi", stream: true })) types.push(event.type);
  expect(types).toContain("response.hologram.delta");
  expect(types.at(-1)).toBe("response.completed");
});
