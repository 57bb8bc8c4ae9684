import type { Item } from "@toolwright/core";
import { expect, test } from "vitest";
import { reply } from "./reply.js";
import { startResponsesServer, type ResponsesServer } from "./server.js";

interface Body {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Item[];
  readonly error: { readonly message: string; readonly code: string | null } | null;
}

async function post(server: ResponsesServer, body: object): Promise<Body & { readonly httpStatus: number }> {
  const response = await fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test" },
    body: JSON.stringify({ model: "test", ...body }),
  });
  return { ...((await response.json()) as Body), httpStatus: response.status };
}

const user = { type: "message", role: "user", content: "Hi" };
const outputFor = (callId: string): object => ({ type: "function_call_output", call_id: callId, output: "ok" });
const thinkAndCall = reply.output(reply.reasoning(), reply.calls({ callId: "call_A", name: "f" }, { callId: "call_B", name: "f" }));
const encrypted = { store: false, include: ["reasoning.encrypted_content"] };

test("takes back what it sent, without storing it, when reasoning is encrypted", async () => {
  await using server = await startResponsesServer([thinkAndCall, reply.text("Done."), reply.text("Again.")]);
  const first = await post(server, { ...encrypted, input: [user] });
  const history = [user, ...first.output, outputFor("call_A"), outputFor("call_B")];
  const second = await post(server, { ...encrypted, input: history });
  expect(second.httpStatus).toBe(200);
  expect(await post(server, { ...encrypted, input: [...history, ...second.output, user] })).toMatchObject({ httpStatus: 200 });
  server.assertDone();
});

test("leaves out encrypted content that was not asked for, so that a careless client fails", async () => {
  await using server = await startResponsesServer([thinkAndCall]);
  const first = await post(server, { store: false, input: [user] });
  const second = await post(server, { store: false, input: [user, ...first.output, outputFor("call_A"), outputFor("call_B")] });
  expect(second).toMatchObject({
    httpStatus: 404,
    error: {
      message: `Item with id '${String(first.output[0]?.["id"])}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    },
  });
  expect(() => server.assertDone()).toThrow("request 1 was refused with 404: Item with id");
});

test("finds stored reasoning by its id, and items by reference", async () => {
  await using server = await startResponsesServer([thinkAndCall, reply.text("Done.")]);
  const first = await post(server, { input: [user] });
  const [thought, callA, callB] = first.output;
  const references = [thought, callA].map((item) => ({ type: "item_reference", id: item?.["id"] }));
  expect(await post(server, { input: [user, ...references, callB, outputFor("call_A"), outputFor("call_B")] })).toMatchObject({
    httpStatus: 200,
  });
});

test("misses the reasoning that calls came with, and the call that reasoning came with", async () => {
  await using server = await startResponsesServer([thinkAndCall, thinkAndCall, thinkAndCall]);
  const { output } = await post(server, { ...encrypted, input: [user] });
  const [thought, callA, callB] = output;
  const outputs = [outputFor("call_A"), outputFor("call_B")];
  const ids = output.map((item) => String(item["id"]));
  expect((await post(server, { ...encrypted, input: [user, callA, callB, ...outputs] })).error?.message).toBe(
    `Item '${ids[1]}' of type 'function_call' was provided without its required 'reasoning' item: '${ids[0]}'.`,
  );
  expect((await post(server, { ...encrypted, input: [user, thought, callB, outputFor("call_B")] })).error?.message).toBe(
    `Item '${ids[0]}' of type 'reasoning' was provided without its required following item.`,
  );
  const { id: _thoughtId, ...anonymous } = thought as Item; // the reply starts with it
  expect((await post(server, { ...encrypted, input: [user, anonymous, callA, callB, ...outputs] })).error?.message).toContain(
    "without its required 'reasoning' item",
  );
  const nameless = output.map(({ id: _id, ...item }) => item);
  expect(await post(server, { ...encrypted, input: [user, ...nameless, ...outputs] })).toMatchObject({ httpStatus: 200 });
});

test("lets go of what lies before a compaction", async () => {
  await using server = await startResponsesServer([
    reply.output(
      reply.reasoning(),
      reply.items([{ type: "compaction", encrypted_content: "x" }]),
      reply.calls({ callId: "call_A", name: "f" }),
    ),
    reply.text("Done."),
  ]);
  const { output } = await post(server, { ...encrypted, input: [user] });
  expect(await post(server, { ...encrypted, input: [...output.slice(1), outputFor("call_A")] })).toMatchObject({ httpStatus: 200 });
});

test("chains responses: only new items come, and what was kept is checked with them", async () => {
  await using server = await startResponsesServer([thinkAndCall, reply.text("Done."), reply.text("Bye.")]);
  const first = await post(server, { input: [user] });
  const chained = { previous_response_id: first.id };
  expect((await post(server, { ...chained, input: [outputFor("call_A")] })).error?.message).toBe(
    "No tool output found for function call call_B.",
  );
  expect((await post(server, { ...chained, input: "Hurry!" })).error?.message).toBe("No tool output found for function call call_A.");
  expect((await post(server, { ...chained, input: [...first.output, outputFor("call_A"), outputFor("call_B")] })).error?.message).toBe(
    `Duplicate item found with id ${String(first.output[0]?.["id"])}. Remove duplicate items from your input and try again.`,
  );
  const withoutIds = first.output.slice(1).map(({ id: _id, ...item }) => item);
  expect((await post(server, { ...chained, input: [...withoutIds, outputFor("call_A"), outputFor("call_B")] })).error?.message).toBe(
    "Duplicate item found with call_id call_A. Remove duplicate items from your input and try again.",
  );
  const second = await post(server, { ...chained, input: [outputFor("call_A"), outputFor("call_B")] });
  expect(second.httpStatus).toBe(200);
  const third = await post(server, { previous_response_id: second.id, input: "Thanks." });
  expect(third.httpStatus).toBe(200);
  expect(server.request(6).context.map((item) => item.type)).toEqual([
    "message",
    "reasoning",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
    "message",
    "message",
  ]);
});

test("does not chain to what was not stored, or failed", async () => {
  await using server = await startResponsesServer([reply.text("One."), reply.failed({ code: "server_error", message: "Broken." })]);
  const unstored = await post(server, { input: "Hi", store: false });
  const failed = await post(server, { input: "Hi" });
  expect(failed).toMatchObject({ httpStatus: 200, status: "failed", error: { code: "server_error" } });
  for (const { id } of [unstored, failed]) {
    expect(await post(server, { input: "Hi", previous_response_id: id })).toMatchObject({
      httpStatus: 400,
      error: { code: "previous_response_not_found" },
    });
  }
});

test("takes back items of invented types that it sent, and only those", async () => {
  await using server = await startResponsesServer([
    reply.output(reply.items([{ type: "hologram", id: "h_1", depth: 3 }]), reply.text("See?")),
    reply.text("Yes."),
  ]);
  const first = await post(server, { ...encrypted, input: [user] });
  expect(first.output[0]).toEqual({ type: "hologram", id: "h_1", depth: 3 });
  expect(await post(server, { ...encrypted, input: [user, ...first.output, user] })).toMatchObject({ httpStatus: 200 });
  expect(await post(server, { ...encrypted, input: [user, { type: "mirage" }] })).toMatchObject({ httpStatus: 400 });
});

test("takes back ids that it made up itself, whatever their form", async () => {
  await using server = await startResponsesServer([reply.text("Hi.", { id: "0b1e-uuid" }), reply.text("Yes.")]);
  const first = await post(server, { ...encrypted, input: [user] });
  expect(await post(server, { ...encrypted, input: [user, ...first.output, user] })).toMatchObject({ httpStatus: 200 });
});

test("takes reasoning that another stand-in server sent", async () => {
  await using one = await startResponsesServer([thinkAndCall]);
  await using other = await startResponsesServer([reply.text("Done.")]);
  const { output } = await post(one, { ...encrypted, input: [user] });
  expect(await post(other, { ...encrypted, input: [user, ...output, outputFor("call_A"), outputFor("call_B")] })).toMatchObject({
    httpStatus: 200,
  });
});

test("can be told to take encrypted content that was written by hand", async () => {
  await using server = await startResponsesServer([reply.text("Done.")], { verifyEncryptedContent: false });
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "by hand" };
  expect(await post(server, { ...encrypted, input: [user, thought, { role: "assistant", content: "Hm." }, user] })).toMatchObject({
    httpStatus: 200,
  });
});

test("keeps a conversation's items, and refuses calls left open and items sent again", async () => {
  await using server = await startResponsesServer([thinkAndCall, reply.text("Done.")], { conversations: ["conv_1"] });
  const inside = { conversation: "conv_1" };
  const first = await post(server, { ...inside, input: [user] });
  expect((await post(server, { ...inside, input: [user] })).error?.message).toBe("No tool output found for function call call_A.");
  expect((await post(server, { ...inside, input: [...first.output, outputFor("call_A"), outputFor("call_B")] })).error?.message).toContain(
    "Duplicate item found with id",
  );
  expect(await post(server, { ...inside, input: [outputFor("call_A"), outputFor("call_B")] })).toMatchObject({ httpStatus: 200 });
  expect(server.request(3).context).toHaveLength(6);
});

test("locks a conversation while it answers", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startResponsesServer(
    async ({ index }) => {
      if (index === 0) await gate.promise;
      return reply.text("Done.");
    },
    { conversations: ["conv_1"] },
  );
  const inside = { conversation: { id: "conv_1" }, input: "Hi" };
  const first = post(server, inside);
  await server.waitForRequest(0);
  expect(await post(server, inside)).toMatchObject({
    httpStatus: 400,
    error: {
      code: "conversation_locked",
      param: "conversation",
      message: "Another process is currently operating on this conversation. Please retry in a few seconds.",
    },
  });
  gate.resolve();
  expect(await first).toMatchObject({ httpStatus: 200 });
  expect(await post(server, inside)).toMatchObject({ httpStatus: 200 });
});

test("a broken-off answer is processed all the same unless the script says otherwise", async () => {
  await using server = await startResponsesServer(
    [
      reply.cut({ beforeHeaders: true, processed: false }, reply.text("Lost.")),
      reply.cut({ beforeHeaders: true }, reply.text("Kept.")),
      reply.text("Third."),
    ],
    { conversations: ["conv_1"] },
  );
  const inside = { conversation: "conv_1", input: "Hi" };
  await expect(post(server, inside)).rejects.toThrow("fetch failed");
  await expect(post(server, inside)).rejects.toThrow("fetch failed");
  await post(server, inside);
  expect(server.request(2).context.map((item) => item["role"])).toEqual(["user", "assistant", "user"]);
});

test("limits the items of one addition to a conversation", async () => {
  await using server = await startResponsesServer([]);
  const create = (items: unknown): Promise<Response> =>
    fetch(`${server.url}/conversations`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer test" },
      body: JSON.stringify({ items }),
    });
  expect((await create(Array.from({ length: 20 }, () => user))).status).toBe(200);
  const refused = await create(Array.from({ length: 21 }, () => user));
  expect(await refused.json()).toMatchObject({ error: { param: "items", code: "array_above_max_length" } });
  expect(await (await create([{ ...user, extra: 1 }])).json()).toMatchObject({
    error: { message: "Unknown parameter: 'items[0].extra'." },
  });
  expect(server.requests).toEqual([]);
  expect(server.otherRequests.map((request) => request.path)).toEqual(["/v1/conversations", "/v1/conversations", "/v1/conversations"]);
});

test("shows kept messages in parts, also those that came as plain text", async () => {
  await using server = await startResponsesServer([reply.text("Hello.")], { conversations: ["conv_1"] });
  await post(server, { conversation: "conv_1", input: [{ role: "assistant", content: "Welcome." }, user] });
  const list = await fetch(`${server.url}/conversations/conv_1/items?order=asc`, { headers: { authorization: "Bearer test" } });
  const id = expect.stringMatching(/^msg_/);
  expect(await list.json()).toMatchObject({
    data: [
      { id, role: "assistant", status: "completed", content: [{ type: "output_text", text: "Welcome.", annotations: [] }] },
      { id, role: "user", status: "completed", content: [{ type: "input_text", text: "Hi" }] },
      { id, role: "assistant", status: "completed", content: [{ type: "output_text", text: "Hello." }] },
    ],
  });
});

test("takes a call after its reasoning under the id that a conversation gave it, but no other call", async () => {
  await using server = await startResponsesServer([thinkAndCall, reply.calls({ callId: "call_C", name: "f" }), reply.text("Done.")]);
  const headers = { "content-type": "application/json", authorization: "Bearer test" };
  const first = await post(server, { input: [user] });
  const [thought, ...calls] = first.output;
  const other = await post(server, { input: [user] });
  const items = [thought, ...calls.map(({ id: _, ...call }) => call), outputFor("call_A"), outputFor("call_B")];
  const made = await fetch(`${server.url}/conversations`, { method: "POST", headers, body: JSON.stringify({ items }) });
  const { id } = (await made.json()) as { readonly id: string };
  const list = await fetch(`${server.url}/conversations/${id}/items?order=asc`, { headers });
  const { data } = (await list.json()) as { readonly data: readonly Item[] };
  expect(data[1]?.["id"]).not.toBe(calls[0]?.["id"]);
  expect(await post(server, { input: [user, ...data, user] })).toMatchObject({ httpStatus: 200 });
  expect((await post(server, { input: [user, thought, ...other.output, outputFor("call_C")] })).error?.message).toContain(
    "was provided without its required following item",
  );
});
