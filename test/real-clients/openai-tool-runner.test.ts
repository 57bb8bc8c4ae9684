import { reply, startResponsesServer, type ResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import {
  ResponsesToolRunner,
  ResponsesToolRunnerError,
  runnerFunction,
  type ResponsesRunnerOptions,
} from "openai/helpers/responses-tool-runner";
import { zodResponsesFunction } from "openai/helpers/zod";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answer, answeredTurn, DeliveryDesk, deliveryModel, getDelivery, question, readFor, sent, statuses } from "./support/delivery.js";
import { loopbackOnly } from "./support/loopback-only.js";

loopbackOnly();

const parameters = z.object({ orderId: z.string() });

function runnerFor(desk: DeliveryDesk): ResponsesToolRunner {
  const tool = zodResponsesFunction({ ...getDelivery, parameters, function: ({ orderId }) => desk.days(orderId) });
  return new ResponsesToolRunner({ functions: [runnerFunction(tool)] });
}

const clientOf = (server: ResponsesServer): OpenAI => new OpenAI({ baseURL: server.url, apiKey: "test", maxRetries: 0 });

const modes: readonly (ResponsesRunnerOptions & { readonly name: string })[] = [
  { name: "plain" },
  { name: "streamed", stream: true },
  { name: "eager", stream: true, eager: true },
];

describe.each(modes)("openai's tool runner, $name", ({ name: _, ...options }) => {
  test.each([undefined, false])("calls tools in parallel and replays encrypted reasoning; store: %s", async (store) => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const params = { model: "test", input: question, ...(store !== undefined && { store }) };
    const response = await runnerFor(desk).run(clientOf(server), params, options);
    expect(response.output_text).toBe(answer);
    expect(desk.asked).toEqual(["A", "B"]);
    expect(readFor(server.request(1))).toEqual(answeredTurn);
    expect(sent(server.request(1))[1]).toMatchObject({ type: "reasoning", encrypted_content: expect.stringMatching(/^gAAAA/) });
    server.assertDone();
  });

  test("makes a single call, and shows each turn", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const turns: (readonly [final: boolean, text: string])[] = [];
    for await (const { final, response } of runnerFor(desk).iterate(clientOf(server), { model: "test", input: "And B?" }, options)) {
      turns.push([final, response.output_text]);
    }
    expect(turns).toEqual([
      [false, ""],
      [true, "B: 5 days"],
    ]);
    server.assertDone();
  });

  test("a failing tool stops it, so that nothing more is asked", async () => {
    await using server = await startResponsesServer(deliveryModel());
    const desk = new DeliveryDesk();
    const run = runnerFor(desk).run(clientOf(server), { model: "test", input: "And A and X?" }, options);
    await expect(run).rejects.toThrow(ResponsesToolRunnerError);
    await expect(run).rejects.toMatchObject({
      attemptedCallIds: [expect.any(String), expect.any(String)],
      completedCallIds: [expect.any(String)],
    });
    expect(desk.asked).toEqual(["A", "X"]);
    expect(statuses(server)).toEqual([200]);
  });

  test.each([
    // Told to start calls before the response is complete, it has run the first one by then.
    ["an unknown tool", reply.calls({ name: "get_delivery", arguments: { orderId: "A" } }, { name: "get_weather" }), ["A"]],
    [
      "a call id that is there twice",
      reply.calls(
        { callId: "call_1", name: "get_delivery", arguments: { orderId: "A" } },
        { callId: "call_1", name: "get_delivery", arguments: { orderId: "B" } },
      ),
      ["A"],
    ],
    ["a response that is cut off", reply.incomplete({}, reply.calls({ name: "get_delivery", arguments: '{"orderId":"A"' })), []],
    ["a failed response", reply.failed({ code: "server_error", message: "Broken." }, reply.text("Hm")), []],
  ])("refuses %s", async (_what, scripted, ranEarly) => {
    await using server = await startResponsesServer([scripted]);
    const desk = new DeliveryDesk();
    const run = runnerFor(desk).run(clientOf(server), { model: "test", input: question }, options);
    await expect(run).rejects.toThrow(ResponsesToolRunnerError);
    expect(desk.asked).toEqual(options.eager === true ? ranEarly : []);
    server.assertDone();
  });
});

test.each(["byte", "random"] as const)("openai's tool runner reads interleaved calls in pieces of a %s", async (chunk) => {
  await using server = await startResponsesServer(deliveryModel({ chunk, interleave: true, deltaSize: 1 }));
  const desk = new DeliveryDesk();
  const types = new Set<string>();
  const onEvent = ({ type }: { readonly type: string }): void => void types.add(type);
  const response = await runnerFor(desk).run(clientOf(server), { model: "test", input: question }, { stream: true, onEvent });
  expect(response.output_text).toBe(answer);
  expect(desk.asked).toEqual(["A", "B"]);
  expect([...types]).toContain("response.function_call_arguments.delta");
  server.assertDone();
});

test("openai's tool runner stops at its last step without running what that asks for", async () => {
  await using server = await startResponsesServer(deliveryModel());
  const desk = new DeliveryDesk();
  const run = runnerFor(desk).run(clientOf(server), { model: "test", input: question }, { maxSteps: 1 });
  await expect(run).rejects.toThrow("reached maxSteps");
  expect(desk.asked).toEqual([]);
  expect(statuses(server)).toEqual([200]);
});
