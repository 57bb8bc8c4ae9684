import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, defineMiddleware, defineTool, type Item, type RunEvent } from "@toolwright/core";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { ends, sleep, until } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const deltas = 20_000;
const word = "word ".repeat(400);

/** A server that streams 40 MB of deltas, as fast as they are taken, and knows how many it could write. */
async function fastServer() {
  const state = { written: 0, closed: false };
  const server = createServer((request, response) => {
    request.resume();
    void write(response);
  });
  async function write(response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let wake = (): void => {};
    response.on("drain", () => wake());
    response.on("close", () => {
      state.closed = true;
      wake();
    });
    const send = async (event: { readonly type: string; readonly [key: string]: unknown }): Promise<void> => {
      const more = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (!more && !state.closed) await new Promise<void>((resolve) => (wake = resolve));
    };
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [] };
    await send({ type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } });
    await send({ type: "response.output_item.added", output_index: 0, item });
    for (; state.written < deltas && !state.closed; state.written += 1) {
      await send({ type: "response.output_text.delta", output_index: 0, item_id: "msg_1", content_index: 0, delta: word });
    }
    const content = [{ type: "output_text", text: "The end.", annotations: [] }];
    await send({ type: "response.completed", response: { id: "resp_1", status: "completed", output: [{ ...item, content }] } });
    response.end();
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "test" });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { state, client, [Symbol.asyncDispose]: close };
}

/** An agent, and how many events its runs have made so far. */
function counting(client: OpenAI) {
  const made = { events: 0 };
  const count = defineMiddleware({ name: "count", onEvent: () => void (made.events += 1) });
  return { made, agent: new Agent({ model: "test", client, middleware: [count] }) };
}

/** Waits until the server has not got on for a while. */
async function standstill(state: { readonly written: number }): Promise<void> {
  for (let before = -1; before !== state.written; await sleep(150)) before = state.written;
}

describe("a slow consumer holds the model's stream back", () => {
  it("while it waits, the server cannot write on, and a few hundred events wait with it; then all of them come", async () => {
    await using server = await fastServer();
    const { made, agent } = counting(server.client);
    const stream = agent.stream("Talk.");
    const iterator = stream[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.type).toBe("run-start");
    await until(() => server.state.written > 0);
    await standstill(server.state);
    expect(made.events).toBeLessThan(400);
    // What is beyond these events fills the buffers of two sockets, not the memory of the process.
    expect(server.state.written).toBeLessThan(deltas / 2);
    const stoodAt = server.state.written;

    let taken = 1;
    let most = 0;
    let text = 0;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      taken += 1;
      most = Math.max(most, made.events - taken);
      if (next.value.type === "text-delta") text += next.value.text.length;
      // A consumer that is slow now and then.
      if (taken % 4_000 === 0) await sleep(20);
    }
    expect(most).toBeLessThan(400);
    expect(text).toBe(deltas * word.length);
    expect(server.state.written).toBeGreaterThan(stoodAt);
    await expect(stream.result).resolves.toMatchObject({ stopReason: "completed", output: "The end." });
  }, 60_000);

  it("nobody looks at all: the stream waits just the same, until somebody asks for the result", async () => {
    await using server = await fastServer();
    const { made, agent } = counting(server.client);
    const stream = agent.stream("Talk.");
    await until(() => server.state.written > 0);
    await standstill(server.state);
    expect(made.events).toBeLessThan(400);
    expect(server.state.written).toBeLessThan(deltas / 2);
    await expect(stream.result).resolves.toMatchObject({ output: "The end." });
    expect(made.events).toBeGreaterThan(deltas);
  }, 60_000);

  it("one who leaves in the middle lets the server go at once", async () => {
    await using server = await fastServer();
    const { agent } = counting(server.client);
    const stream = agent.stream("Talk.");
    const seen: RunEvent["type"][] = [];
    for await (const event of stream) {
      seen.push(event.type);
      if (seen.length < 10) continue;
      await standstill(server.state);
      break;
    }
    expect((await ends(failureOf(stream.result))).code).toBe("RUN_ABORTED");
    await until(() => server.state.closed);
    expect(server.state.written).toBeLessThan(deltas);
  }, 60_000);

  it("a tool that tells of its progress faster than anyone reads is heard to the end, and a few hundred events wait", async () => {
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "work", arguments: "{}", status: "completed" };
    const answer = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] };
    const replies = [call, answer];
    const model = {
      name: "scripted",
      respond: async () => ({
        id: undefined,
        output: [replies.shift() as Item],
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 0 },
      }),
    };
    const work = defineTool({
      name: "work",
      description: "Works.",
      effect: "read",
      parameters: { type: "object", properties: {}, required: [] },
      execute(_, { progress }) {
        for (let done = 1; done <= 100_000; done += 1) progress({ done });
        return "worked";
      },
    });
    const stream = new Agent({ model, tools: [work] }).stream("Go.");
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await sleep(200);
    const seen: RunEvent[] = [];
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) seen.push(next.value);
    const updates = seen.filter((event) => event.type === "tool-progress");
    expect(updates.length).toBeLessThan(600);
    expect(updates.at(-1)?.update).toEqual({ done: 100_000 });
    expect(seen.findIndex(({ type }) => type === "tool-outcome")).toBeGreaterThan(
      seen.findLastIndex(({ type }) => type === "tool-progress"),
    );
  });
});
