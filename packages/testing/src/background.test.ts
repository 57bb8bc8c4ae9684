import { OpenAI } from "openai";
import { describe, expect, test } from "vitest";
import { reply } from "./reply.js";
import { startResponsesServer, type ResponsesServer } from "./server.js";

const clientOf = (server: ResponsesServer): OpenAI => new OpenAI({ baseURL: server.url, apiKey: "test", maxRetries: 0 });
const question = { model: "test", input: "Hi", background: true } as const;

async function eventsOf(stream: AsyncIterable<unknown>): Promise<readonly { type: string; sequence_number: number; delta?: string }[]> {
  const events: { type: string; sequence_number: number; delta?: string }[] = [];
  for await (const event of stream) events.push(event as (typeof events)[number]);
  return events;
}

describe("a response in the background", () => {
  test("is queued, then in progress, then done", async () => {
    await using server = await startResponsesServer([reply.text("Done.").with({ background: { looks: 2 } })]);
    const client = clientOf(server);
    const { id, status, output, background } = await client.responses.create(question);
    expect({ status, output, background }).toEqual({ status: "queued", output: [], background: true });
    const statuses: unknown[] = [];
    for (let look = 0; look < 4; look += 1) statuses.push((await client.responses.retrieve(id)).status);
    expect(statuses).toEqual(["queued", "in_progress", "completed", "completed"]);
    expect((await client.responses.retrieve(id)).output_text).toBe("Done.");
    // Its items are there for what comes next.
    await expect(client.responses.create({ ...question, previous_response_id: id })).rejects.toMatchObject({ code: "script_exhausted" });
  });

  test("is not done before what it waits for, looked at or streamed", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startResponsesServer([
      reply.text("Done.").with({ background: { looks: 0, until: gate.promise } }),
      reply.text("Done.").with({ background: { until: gate.promise } }),
    ]);
    const client = clientOf(server);
    const { id } = await client.responses.create(question);
    expect((await client.responses.retrieve(id)).status).toBe("queued");
    expect((await client.responses.retrieve(id)).status).toBe("in_progress");
    const stream = await client.responses.create({ ...question, stream: true });
    const types: string[] = [];
    for await (const { type } of stream) {
      types.push(type);
      if (type === "response.output_item.done") gate.resolve();
    }
    expect(types.slice(0, 3)).toEqual(["response.created", "response.queued", "response.in_progress"]);
    expect(types.at(-1)).toBe("response.completed");
    expect((await client.responses.retrieve(id)).status).toBe("completed");
  });

  test("goes on when its stream breaks, and is streamed again from where it broke", async () => {
    const cut = reply.cut({ afterEvents: 5 }, reply.text("A story of some words."));
    await using server = await startResponsesServer([cut.with({ deltaSize: 4, background: { faults: [{ cutAfterEvents: 2 }] } })]);
    const client = clientOf(server);
    const seen: { type: string; sequence_number: number; delta?: string }[] = [];
    let id = "";
    const take = async (stream: AsyncIterable<unknown>): Promise<void> => {
      for await (const event of stream) {
        seen.push(event as (typeof seen)[number]);
        id ||= (event as { response?: { id: string } }).response?.id ?? "";
      }
    };
    await expect(take(await client.responses.create({ ...question, stream: true }))).rejects.toThrow("terminated");
    const again = () => client.responses.retrieve(id, { stream: true, starting_after: seen.at(-1)?.sequence_number ?? -1 });
    await expect(take(await again())).rejects.toThrow("terminated");
    expect(seen).toHaveLength(7);
    await take(await again());
    expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, index) => index));
    expect(seen.map(({ type, delta }) => (type === "response.output_text.delta" ? delta : "")).join("")).toBe("A story of some words.");
    const whole = await eventsOf(await client.responses.retrieve(id, { stream: true }));
    expect(whole).toEqual(seen);
  });

  test("is cancelled, once or twice, and cuts off who is connected", async () => {
    const until = new Promise(() => {});
    await using server = await startResponsesServer([
      reply.text("Never.").with({ background: { until } }),
      reply.text("Never.").with({ responseId: "resp_2", background: { until } }),
      reply.text("Done.").with({ background: { looks: 0 } }),
    ]);
    const client = clientOf(server);
    const { id } = await client.responses.create(question);
    expect(await client.responses.cancel(id)).toMatchObject({ status: "cancelled", output: [] });
    expect(await client.responses.cancel(id)).toMatchObject({ status: "cancelled" });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: "cancelled", usage: null });
    const stream = await client.responses.create({ ...question, stream: true });
    const read = eventsOf(stream);
    await client.responses.cancel("resp_2");
    await expect(read).rejects.toThrow("terminated");
    const done = await client.responses.create(question);
    await client.responses.retrieve(done.id);
    expect(await client.responses.cancel(done.id)).toMatchObject({ status: "completed" });
  });

  test("can fail, be incomplete, or be of scripted events", async () => {
    const response = { id: "resp_9", object: "response", status: "completed", output: [] };
    await using server = await startResponsesServer([
      reply.failed({ code: "server_error", message: "Broken." }).with({ background: { looks: 0 } }),
      reply.incomplete({}, reply.text("Half")).with({ background: { looks: 0 } }),
      reply.events([{ type: "response.completed", response }]).with({ background: { looks: 1 } }),
    ]);
    const client = clientOf(server);
    const statuses: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { id } = await client.responses.create(question);
      statuses.push((await client.responses.retrieve(id)).status, (await client.responses.retrieve(id)).status);
    }
    expect(statuses).toEqual(["failed", "failed", "incomplete", "incomplete", "queued", "completed"]);
  });

  test("holds its conversation until it is done, and is then part of it", async () => {
    await using server = await startResponsesServer([reply.text("Done."), reply.text("Yes.")], {
      conversations: ["conv_1"],
      allowRefusals: true,
    });
    const client = clientOf(server);
    const { id } = await client.responses.create({ ...question, conversation: "conv_1" });
    const ask = () => client.responses.create({ model: "test", input: "Sure?", conversation: "conv_1" });
    await expect(ask()).rejects.toMatchObject({ code: "conversation_locked" });
    while ((await client.responses.retrieve(id)).status !== "completed");
    await ask();
    expect(server.request(2).context.map((item) => item["role"])).toEqual(["user", "assistant", "user"]);
  });

  test("shows encrypted reasoning to who asks for it", async () => {
    await using server = await startResponsesServer([
      reply.output(reply.reasoning("Hm."), reply.text("Done.")).with({ background: { looks: 0 } }),
    ]);
    const client = clientOf(server);
    const include = ["reasoning.encrypted_content"] as const;
    const { id } = await client.responses.create({ ...question, include: [...include] });
    expect((await client.responses.retrieve(id)).output[0]).not.toHaveProperty("encrypted_content");
    expect((await client.responses.retrieve(id, { include: [...include] })).output[0]).toHaveProperty("encrypted_content");
  });

  test("answers with what the script says goes wrong, in its order", async () => {
    const faults = [{ status: 503, code: "server_error", headers: { "retry-after": "1" } }, { cutAfterEvents: 0 }, undefined];
    await using server = await startResponsesServer([reply.text("Done.").with({ background: { looks: 0, faults } })]);
    const client = clientOf(server);
    const { id } = await client.responses.create(question);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 503, code: "server_error" });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ name: "Error", status: undefined });
    expect((await client.responses.retrieve(id)).status).toBe("completed");
  });
});

describe("what the API refuses", () => {
  test("about responses in the background", async () => {
    await using server = await startResponsesServer([
      reply.text("Hi."),
      reply.text("Done.").with({ background: { looks: 0 } }),
      reply.text("Done.").with({ responseId: "resp_old", background: { tooOld: true } }),
    ]);
    const client = clientOf(server);
    const plain = await client.responses.create({ model: "test", input: "Hi" });
    const looked = await client.responses.create(question);
    await eventsOf(await client.responses.create({ ...question, stream: true }));
    const refusals: readonly (readonly [() => Promise<unknown>, number, RegExp])[] = [
      [() => client.responses.cancel(plain.id), 400, /Cannot cancel a synchronous response/],
      [() => client.responses.cancel("resp_none"), 404, /not found/],
      [() => client.responses.retrieve("resp_none"), 404, /not found/],
      [() => client.responses.retrieve(plain.id, { stream: true }), 400, /cannot be streamed/],
      [() => client.responses.retrieve(looked.id, { stream: true }), 400, /cannot be streamed/],
      [() => client.responses.retrieve("resp_old", { stream: true }), 400, /more than 5 minutes old/],
      [() => client.responses.create({ ...question, store: false }), 400, /'store' must be true/],
      [
        () => client.responses.create({ ...question, stream: true, background_options: { completion_window: "8h" } }),
        400,
        /completion_window/,
      ],
      [
        () => client.responses.create({ model: "test", input: "Hi", background_options: { completion_window: "2h" } }),
        400,
        /completion_window/,
      ],
    ];
    for (const [refused, status, message] of refusals) {
      await expect(refused()).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
    }
  });
});
