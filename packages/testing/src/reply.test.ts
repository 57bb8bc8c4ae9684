import { afterEach, expect, test } from "vitest";
import type { JsonRecord } from "./json-record.js";
import { reply, type Reply } from "./reply.js";
import { startResponsesServer, type ResponsesServer, type ResponsesServerOptions } from "./server.js";
import type { Script } from "./script.js";

const started: ResponsesServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function serve(script: Script, options?: ResponsesServerOptions): Promise<ResponsesServer> {
  const server = await startResponsesServer(script, options);
  started.push(server);
  return server;
}

const ask = (server: ResponsesServer, body: object = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test" },
    body: JSON.stringify({ model: "test", input: "Hi", ...body }),
    ...(signal === undefined ? {} : { signal }),
  });

/** Events of a body with `\n` framing. */
const parse = (text: string): JsonRecord[] =>
  text
    .split("\n\n")
    .filter((block) => block.includes("data: "))
    .map((block) => {
      const data = JSON.parse(block.slice(block.indexOf("data: ") + 6)) as JsonRecord;
      expect(block).toBe(`event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}`);
      return data;
    });

async function events(scripted: Reply, body: object = {}): Promise<JsonRecord[]> {
  const response = await ask(await serve([scripted]), { stream: true, ...body });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return parse(await response.text());
}

async function json(scripted: Reply, body: object = {}): Promise<JsonRecord> {
  const response = await ask(await serve([scripted]), body);
  expect(response.headers.get("content-type")).toBe("application/json");
  return (await response.json()) as JsonRecord;
}

const types = (list: readonly JsonRecord[]): unknown[] => list.map((event) => event["type"]);
const terminal = (list: readonly JsonRecord[]): JsonRecord => list.at(-1)?.["response"] as JsonRecord;

test("a text: events in order, and the same response as JSON", async () => {
  const list = await events(reply.text("Hello there.", { id: "msg_1" }).with({ responseId: "resp_1", deltaSize: 6 }));
  expect(types(list)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(list.map((event) => event["sequence_number"])).toEqual(list.map((_, index) => index));
  expect(list[0]?.["response"]).toMatchObject({ id: "resp_1", status: "in_progress", output: [], usage: null });
  expect(list[2]).toMatchObject({ output_index: 0, item: { id: "msg_1", status: "in_progress", content: [] } });
  expect(list[4]).toMatchObject({
    output_index: 0,
    item_id: "msg_1",
    content_index: 0,
    delta: "Hello ",
    logprobs: [],
    obfuscation: "xxxxxxxxxx",
  });
  const item = {
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text: "Hello there.", annotations: [], logprobs: [] }],
  };
  expect(list[8]).toMatchObject({ item });
  expect(terminal(list)).toMatchObject({ status: "completed", output: [item] });
  expect((await json(reply.text("Hello there.", { id: "msg_1" })))["output"]).toEqual([item]);
});

test("calls: one after the other, or interleaved", async () => {
  const calls = reply.calls(
    { callId: "call_A", id: "fc_A", name: "f", arguments: { a: 1 } },
    { callId: "call_B", name: "g", arguments: '{ "b": 2 }' },
  );
  const list = await events(calls.with({ deltaSize: 4 }));
  expect(types(list).slice(2, -1)).toEqual([
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
  ]);
  expect(list[2]).toEqual({
    type: "response.output_item.added",
    sequence_number: 2,
    output_index: 0,
    item: { id: "fc_A", type: "function_call", status: "in_progress", arguments: "", call_id: "call_A", name: "f" },
  });
  expect(list[5]).toEqual({
    type: "response.function_call_arguments.done",
    sequence_number: 5,
    output_index: 0,
    item_id: "fc_A",
    arguments: '{"a":1}',
  });
  const woven = await events(calls.with({ deltaSize: 4, interleave: true }));
  expect(woven.slice(2, -1).map((event) => `${String(event["type"]).replace("response.", "")} ${String(event["output_index"])}`)).toEqual([
    "output_item.added 0",
    "output_item.added 1",
    "function_call_arguments.delta 0",
    "function_call_arguments.delta 1",
    "function_call_arguments.delta 0",
    "function_call_arguments.delta 1",
    "function_call_arguments.delta 1",
    "function_call_arguments.done 0",
    "output_item.done 0",
    "function_call_arguments.done 1",
    "output_item.done 1",
  ]);
  expect(terminal(woven)).toMatchObject({
    status: "completed",
    output: [
      { call_id: "call_A", arguments: '{"a":1}', status: "completed" },
      { call_id: "call_B", arguments: '{ "b": 2 }' },
    ],
  });
});

test("calls: made-up ids differ and are prefixed, and arguments default to an empty object", async () => {
  const { output } = (await json(reply.calls({ name: "f" }, { name: "f", namespace: "crm", async: true }))) as { output: JsonRecord[] };
  expect(output[0]).toMatchObject({ id: expect.stringMatching(/^fc_/), call_id: expect.stringMatching(/^call_/), arguments: "{}" });
  expect(output[1]).toMatchObject({ namespace: "crm", async: true });
  expect(new Set(output.flatMap((item) => [item["id"], item["call_id"]])).size).toBe(4);
});

test("reasoning: summaries and raw text, with the sealed content only in the done item", async () => {
  const thought = reply.output(
    reply.reasoning("Think.", "Again."),
    reply.reasoning({ text: "raw", id: "rs_2", encryptedContent: "sealed" }),
    reply.reasoning(),
    reply.text("So."),
  );
  const list = await events(thought, { include: ["reasoning.encrypted_content"] });
  expect(types(list).slice(2, 19)).toEqual([
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
  ]);
  expect(list[2]?.["item"]).toEqual({ id: expect.stringMatching(/^rs_/), type: "reasoning", summary: [] });
  expect(list[7]).toMatchObject({ summary_index: 1 });
  expect(list[11]?.["item"]).toMatchObject({
    summary: [
      { type: "summary_text", text: "Think." },
      { type: "summary_text", text: "Again." },
    ],
    encrypted_content: expect.stringMatching(/^gAAA/),
  });
  expect(list[17]?.["item"]).toEqual({
    id: "rs_2",
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: "raw" }],
    encrypted_content: "sealed",
  });
});

test("a refusal", async () => {
  const list = await events(reply.refusal("I will not."));
  expect(types(list).slice(3, 7)).toEqual([
    "response.content_part.added",
    "response.refusal.delta",
    "response.refusal.done",
    "response.content_part.done",
  ]);
  expect(list[5]).toMatchObject({ refusal: "I will not." });
  expect(terminal(list)).toMatchObject({ status: "completed", output: [{ content: [{ type: "refusal", refusal: "I will not." }] }] });
});

test("failed: status 200, error in the response, the last item open", async () => {
  const failed = reply.failed({ code: "server_error", message: "Broken." }, reply.calls({ name: "f" }), reply.text("Hel"));
  const list = await events(failed);
  expect(types(list).slice(-4)).toEqual([
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.failed",
  ]);
  expect(terminal(list)).toMatchObject({
    status: "failed",
    error: { code: "server_error", message: "Broken." },
    output: [{ type: "function_call" }],
    completed_at: null,
  });
  expect(await json(failed)).toMatchObject({ status: "failed", error: { code: "server_error" } });
  expect(terminal(await events(reply.failed({ code: "c", message: "m" })))).toMatchObject({ status: "failed", output: [] });
});

test("incomplete: the reason, and cut arguments in an incomplete item", async () => {
  const cut = reply.incomplete({}, reply.calls({ name: "f", arguments: '{"city":"Os' }));
  const list = await events(cut);
  expect(types(list).slice(-2)).toEqual(["response.output_item.done", "response.incomplete"]);
  expect(terminal(list)).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ arguments: '{"city":"Os', status: "incomplete" }],
  });
  expect(await json(reply.incomplete({ reason: "content_filter" }, reply.text("Hm")))).toMatchObject({
    incomplete_details: { reason: "content_filter" },
    output: [{ status: "incomplete" }],
  });
});

test("error: a bare event, or status 500 without a stream", async () => {
  const broken = reply.error({ code: "server_error", message: "Broken." }, reply.text("Hel"));
  expect((await events(broken)).at(-1)).toEqual({
    type: "error",
    sequence_number: 5,
    code: "server_error",
    message: "Broken.",
    param: null,
  });
  const response = await ask(await serve([broken]));
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: { code: "server_error", message: "Broken.", type: "server_error", param: null } });
});

test("http: status, error object, headers, and other bodies", async () => {
  const server = await serve([
    reply.http(429, { code: "rate_limit_exceeded", message: "Slow down.", headers: { "retry-after-ms": "5" } }),
    reply.http(502, { body: "<html>Bad gateway</html>" }),
    reply.http(200, { body: { error: "odd" }, headers: { "content-type": "text/html" } }),
    reply.http(400),
  ]);
  const limited = await ask(server);
  expect(limited.status).toBe(429);
  expect(limited.headers.get("retry-after-ms")).toBe("5");
  expect(limited.headers.get("x-request-id")).toMatch(/^req_/);
  expect(await limited.json()).toEqual({ error: { message: "Slow down.", type: "requests", param: null, code: "rate_limit_exceeded" } });
  expect(await (await ask(server)).text()).toBe("<html>Bad gateway</html>");
  const odd = await ask(server);
  expect([odd.status, odd.headers.get("content-type"), await odd.json()]).toEqual([200, "text/html", { error: "odd" }]);
  expect(await (await ask(server)).json()).toMatchObject({ error: { type: "invalid_request_error", code: null } });
  // A scripted error is part of the script.
  server.assertDone();
});

test("cut: the socket breaks after so many events, or in the middle of a JSON body", async () => {
  const server = await serve([
    reply.cut({ afterEvents: 3 }, reply.calls({ name: "f" })),
    reply.cut({}),
    reply.cut({ beforeHeaders: true }),
    reply.cut({ afterEvents: 0 }),
  ]);
  const response = await ask(server, { stream: true });
  let text = "";
  const decoder = new TextDecoder();
  await expect(
    (async () => {
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
    })(),
  ).rejects.toThrow("terminated");
  expect(types(parse(text))).toEqual(["response.created", "response.in_progress", "response.output_item.added"]);
  expect(await server.request(0).ended).toBe("cut");
  const half = await ask(server);
  expect(half.status).toBe(200);
  await expect(half.text()).rejects.toThrow("terminated");
  await expect(ask(server)).rejects.toThrow("fetch failed");
  const empty = await ask(server, { stream: true });
  await expect(empty.text()).rejects.toThrow("terminated");
  server.assertDone();
});

test("end: the body just ends, by default before the last event", async () => {
  const server = await serve([reply.end({}, reply.text("Hello.")), reply.end({ afterEvents: 1 }), reply.end({})]);
  expect(types(parse(await (await ask(server, { stream: true })).text())).at(-1)).toBe("response.output_item.done");
  expect(types(parse(await (await ask(server, { stream: true })).text()))).toEqual(["response.created"]);
  await expect((await ask(server)).json()).rejects.toThrow(SyntaxError);
  expect(await server.request(2).ended).toBe("finished");
});

test("hang: nothing more comes until the client gives up, which is recorded", async () => {
  const server = await serve([reply.hang({ afterEvents: 2 }, reply.text("Hello.")), reply.hang({ beforeHeaders: true })]);
  const controller = new AbortController();
  const response = await ask(server, { stream: true }, controller.signal);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(types(parse(new TextDecoder().decode(first?.value)))).toEqual(["response.created", "response.in_progress"]);
  controller.abort();
  expect(await server.request(0).ended).toBe("aborted");
  const other = new AbortController();
  const pending = ask(server, {}, other.signal);
  await server.waitForRequest(1);
  expect(server.request(1).status).toBeUndefined();
  other.abort();
  await expect(pending).rejects.toThrow("aborted");
  expect(await server.request(1).ended).toBe("aborted");
});

test("events: sent as they are, numbered where they are not, kept if they hold a response", async () => {
  const response = { id: "resp_1", object: "response", status: "completed", output: [], usage: null };
  const raw = [
    { type: "response.created", response },
    ": comment\n\n",
    { type: "response.new_thing", sequence_number: 77 },
    { type: "response.completed", response },
  ];
  const server = await serve([reply.events(raw), reply.events(raw), reply.events([{ type: "x" }])]);
  const text = await (await ask(server, { stream: true })).text();
  expect(text).toContain("}\n\n: comment\n\nevent: response.new_thing\n");
  expect(parse(text).map((event) => event["sequence_number"])).toEqual([0, 77, 3]);
  expect(await (await ask(server, { previous_response_id: "resp_1" })).json()).toEqual(response);
  const impossible = await ask(server);
  expect(impossible.status).toBe(500);
  expect(() => server.assertDone()).toThrow("request 2: the script threw: The scripted events hold no response");
});

test("items: any type, with an id if they have none", async () => {
  const list = await events(
    reply.items([
      { type: "custom_tool_call", call_id: "call_1", name: "c", input: "x" },
      { type: "hologram", id: null, status: "completed" },
    ]),
  );
  expect(types(list).slice(2, -1)).toEqual([
    "response.output_item.added",
    "response.output_item.done",
    "response.output_item.added",
    "response.output_item.done",
  ]);
  expect(list[2]?.["item"]).toEqual({
    id: expect.stringMatching(/^ctc_/),
    type: "custom_tool_call",
    call_id: "call_1",
    name: "c",
    input: "x",
  });
  expect(list[4]?.["item"]).toEqual({ id: null, type: "hologram", status: "in_progress" });
});

test("options: keepalive and unknown events, empty output, no done events, no padding", async () => {
  const list = await events(reply.text("Hi.").with({ keepalive: true, unknownEvents: true, emptyCompletedOutput: true, omitDone: true }), {
    stream_options: { include_obfuscation: false },
  });
  expect(types(list).slice(2, 5)).toEqual(["keepalive", "response.hologram.delta", "response.output_item.added"]);
  expect(types(list)).not.toContain("response.output_item.done");
  expect(terminal(list)).toMatchObject({ status: "completed", output: [] });
  expect(list.some((event) => "obfuscation" in event)).toBe(false);
  expect(list.map((event) => event["sequence_number"])).toEqual(list.map((_, index) => index));
});

test("options: JSON where a stream was asked for, further headers, a delay", async () => {
  const server = await serve([reply.text("Hi.").with({ jsonInsteadOfSse: true, headers: { "x-extra": "1" }, delayMs: 5 })]);
  const response = await ask(server, { stream: true });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-extra")).toBe("1");
  expect(await response.json()).toMatchObject({ status: "completed" });
});

test("options: usage as given, counted, or none", async () => {
  expect(
    await json(reply.text("Hi.").with({ usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 } })),
  ).toMatchObject({
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 15,
    },
  });
  const counted = (await json(reply.text("Hi."))) as { usage: { input_tokens: number; output_tokens: number; total_tokens: number } };
  expect(counted.usage.total_tokens).toBe(counted.usage.input_tokens + counted.usage.output_tokens);
  expect(counted.usage.output_tokens).toBeGreaterThan(0);
  expect(await json(reply.text("Hi.").with({ usage: null }))).toMatchObject({ usage: null });
});

test.each([1, 5, 1000, "byte", "random"] as const)("options: the same bytes in pieces of %s", async (chunk) => {
  const scripted = reply.output(reply.reasoning("Ünïcödé 𝄞"), reply.text("漢字 and 🙂.")).with({ responseId: "resp_1", usage: null });
  const texts = parse(await (await ask(await serve([scripted.with({ chunk })]), { stream: true })).text())
    .filter((event) => String(event["type"]).endsWith("text.delta"))
    .map((event) => event["delta"]);
  expect(texts.join("")).toBe("Ünïcödé 𝄞漢字 and 🙂.");
});

test("options: framing in any lawful form", async () => {
  const framed = async (framing: object): Promise<string> =>
    await (await ask(await serve([reply.text("Hi.").with({ framing })]), { stream: true })).text();
  expect(await framed({ lineEnding: "\r\n" })).toMatch(/^event: response\.created\r\ndata: \{[^\n]*\}\r\n\r\nevent: /);
  expect(await framed({ lineEnding: "\r" })).toMatch(/^event: response\.created\rdata: [^\r]*\r\revent: /);
  expect(await framed({ eventLines: false })).not.toContain("event: ");
  expect(await framed({ doneMarker: true })).toMatch(/\n\ndata: \[DONE\]\n\n$/);
  expect(await framed({ unterminated: true })).toMatch(/[^\n]\n$/);
  expect(await framed({ comments: true })).toMatch(/^: still working\n\nevent: /);
  const marked = await ask(await serve([reply.text("Hi.").with({ framing: { byteOrderMark: true } })]), { stream: true });
  expect([...new Uint8Array(await marked.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
});

test("options: events changed, dropped and doubled just before they are sent", async () => {
  const list = await events(
    reply.text("Hi.").with({
      transformEvent: (event, index) => {
        if (event["type"] === "response.in_progress") return undefined;
        if (event["type"] === "response.created") return [event, event];
        const { sequence_number: _number, ...rest } = event;
        return { ...rest, index };
      },
    }),
  );
  expect(types(list).slice(0, 3)).toEqual(["response.created", "response.created", "response.output_item.added"]);
  expect(list[2]).toMatchObject({ index: 2 });
  expect(list[2]).not.toHaveProperty("sequence_number");
});

test("options: holds a stream until the test lets it go on", async () => {
  const gate = Promise.withResolvers<void>();
  const server = await serve([reply.calls({ name: "f" }).with({ hold: { afterEvents: 5, until: gate.promise }, eventDelayMs: 1 })]);
  const response = await ask(server, { stream: true });
  const decoder = new TextDecoder();
  let text = "";
  const atHold: unknown[] = [];
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (types(parse(text)).length !== 5) continue;
    atHold.push(types(parse(text)).at(-1));
    gate.resolve();
  }
  expect(atHold).toEqual(["response.function_call_arguments.done"]);
  expect(types(parse(text)).at(-1)).toBe("response.completed");
});

test("options: replies joined into one keep each other's options, later ones winning", async () => {
  const joined = reply.output(
    reply.text("a").with({ responseId: "resp_a", keepalive: true }),
    reply.text("b").with({ responseId: "resp_b" }),
  );
  expect(joined.options).toEqual({ responseId: "resp_b", keepalive: true });
  expect(reply.output(reply.text("a"), reply.incomplete({}, reply.text("b"))).ending).toEqual({
    kind: "incomplete",
    reason: "max_output_tokens",
  });
});

test("the response object has every field of the API's, and repeats what was asked", async () => {
  const tools = [
    { type: "function", name: "f", parameters: { type: "object", properties: {}, required: [], additionalProperties: false } },
    { type: "function", name: "g", parameters: { type: "object", properties: { a: { type: "string" } } } },
    { type: "web_search" },
  ];
  const body = await json(reply.text("Hi."), {
    instructions: "Be kind.",
    tools,
    tool_choice: "auto",
    store: false,
    temperature: 0.2,
    metadata: { a: "b" },
    reasoning: { effort: "low" },
    model: "gpt-x",
  });
  expect(Object.keys(body).toSorted()).toEqual(
    [
      "id object created_at status background completed_at conversation error incomplete_details instructions max_output_tokens max_tool_calls model output",
      "parallel_tool_calls previous_response_id prompt prompt_cache_key reasoning safety_identifier service_tier store temperature text tool_choice tools",
      "top_logprobs top_p truncation usage user metadata",
    ]
      .join(" ")
      .split(" ")
      .toSorted(),
  );
  expect(body).toMatchObject({
    object: "response",
    model: "gpt-x",
    instructions: "Be kind.",
    store: false,
    temperature: 0.2,
    metadata: { a: "b" },
    reasoning: { effort: "low", summary: null },
  });
  // Strictness that was left open: true where the schema is strict as it is, else the fallback.
  expect(body["tools"]).toEqual([
    { description: null, ...tools[0], strict: true },
    { description: null, ...tools[1], strict: false },
    tools[2],
  ]);
});
