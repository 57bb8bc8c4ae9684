import { expect, test } from "vitest";
import { reply, type Reply } from "./reply.js";
import { startResponsesServer, type ResponsesServer } from "./server.js";

const ask = (server: ResponsesServer, body: object = {}): Promise<Response> =>
  fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test", "x-mine": "1" },
    body: JSON.stringify({ model: "test", input: "Hi", ...body }),
  });

test("records each request", async () => {
  await using server = await startResponsesServer([reply.text("Hello."), reply.http(429)]);
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const before = Date.now();
  await ask(server);
  await ask(server, { input: "Again" });
  expect(server.requests).toHaveLength(2);
  const first = server.request(0);
  expect(first).toMatchObject({
    index: 0,
    method: "POST",
    path: "/v1/responses",
    body: { model: "test", input: "Hi" },
    status: 200,
    refusal: undefined,
  });
  expect(first.headers).toMatchObject({ "x-mine": "1", authorization: "Bearer test" });
  expect(JSON.parse(first.text)).toEqual(first.body);
  expect(first.arrivedAt).toBeGreaterThan(before - 1000);
  expect(await first.ended).toBe("finished");
  expect(server.request(1)).toMatchObject({ index: 1, status: 429 });
  expect(server.request(1).arrivedAt).toBeGreaterThanOrEqual(first.arrivedAt);
  expect(() => server.request(2)).toThrow("There is no request 2: 2 came in, counted from 0.");
  server.assertDone();
});

test("names replies that were not used", async () => {
  await using server = await startResponsesServer([
    reply.text("Hello."),
    reply.output(reply.reasoning(), reply.calls({ name: "get_weather" }, { name: "add" })),
    reply.cut({}, reply.failed({ code: "c", message: "m" })),
    reply.http(500),
    reply.text("A text that is rather longer than what a line of an error can hold"),
    reply.items([{ type: "hologram" }]),
    reply.events([{ type: "x" }]),
    () => reply.text(""),
  ]);
  await ask(server);
  expect(() => server.assertDone()).toThrow(
    [
      "The Responses server's script was not followed:",
      "- reply 1 (reasoning, call get_weather, call add) was not used",
      "- reply 2 (cut, failed) was not used",
      "- reply 3 (http 500) was not used",
      '- reply 4 (text "A text that is rather longer than what a…") was not used',
      "- reply 5 (item hologram) was not used",
      "- reply 6 (1 events) was not used",
      "- reply 7 (a function) was not used",
    ].join("\n"),
  );
  server.assertDone({ allowUnused: true });
});

test("answers a request beyond the script with 500, not to be repeated, and reports it", async () => {
  await using server = await startResponsesServer([reply.text("Hello.")]);
  await ask(server);
  const beyond = await ask(server);
  expect(beyond.status).toBe(500);
  expect(beyond.headers.get("x-should-retry")).toBe("false");
  expect(await beyond.json()).toMatchObject({
    error: {
      code: "script_exhausted",
      message: expect.stringContaining("The script has 1 replies, and this is request 1 (counted from 0)."),
    },
  });
  expect(() => server.assertDone({ allowRefusals: true, allowUnused: true })).toThrow("- request 1 came after the last reply");
});

test("reports refused requests unless that is allowed; they use no reply", async () => {
  await using server = await startResponsesServer([reply.text("Hello.")], { allowRefusals: true });
  await ask(server, { model: undefined });
  await ask(server);
  server.assertDone();
  expect(() => server.assertDone({ allowRefusals: false })).toThrow(
    "- request 0 was refused with 400: Missing required parameter: 'model'.",
  );
});

test("asks a function for each reply, with the request and all that the model reads", async () => {
  await using server = await startResponsesServer(async ({ index, body, context, headers }) => {
    await Promise.resolve();
    return reply.text(`${index} ${String(body.model)} ${context.length} ${String(headers["x-mine"])}`);
  });
  const first = (await (await ask(server)).json()) as { id: string };
  const second = (await (await ask(server, { previous_response_id: first.id })).json()) as { output: unknown };
  expect(second.output).toMatchObject([{ content: [{ text: "1 test 3 1" }] }]);
  server.assertDone();
});

test("takes functions within a list", async () => {
  await using server = await startResponsesServer([reply.text("a"), ({ index }) => reply.text(`b${index}`)]);
  await ask(server);
  expect(await (await ask(server)).json()).toMatchObject({ output: [{ content: [{ text: "b1" }] }] });
  server.assertDone();
});

test("answers 500 when a scripted function throws or returns nothing, and reports it", async () => {
  await using server = await startResponsesServer([
    () => {
      throw new Error("No idea.");
    },
    () => undefined as unknown as Reply,
  ]);
  const thrown = await ask(server);
  expect([thrown.status, thrown.headers.get("x-should-retry")]).toEqual([500, "false"]);
  await ask(server);
  expect(() => server.assertDone()).toThrow(
    /- request 0: the script threw: No idea\.\n- request 1: the script threw: The scripted function returned no reply/,
  );
});

test("refuses a script that is none", async () => {
  await expect(startResponsesServer([reply.text("a"), "b" as unknown as Reply])).rejects.toThrow(
    "The script's entry 1 is neither a reply nor a function.\nFix: ",
  );
  await expect(startResponsesServer(reply.text("a") as unknown as Reply[])).rejects.toThrow("The script's entry 0");
});

test("waits for a request to come in, and gives up when closed", async () => {
  const server = await startResponsesServer([reply.text("a")]);
  const waiting = server.waitForRequest(0);
  const never = server.waitForRequest(1);
  await ask(server);
  expect((await waiting).index).toBe(0);
  expect((await server.waitForRequest(0)).index).toBe(0);
  const refused = never.catch((error: unknown) => error);
  await server.close();
  expect(await refused).toEqual(new Error("The server was closed before request 1 came in."));
});

test("closes at once, also in mid answer, and can be closed twice", async () => {
  const server = await startResponsesServer([reply.text("a").with({ delayMs: 60_000 }), reply.hang({ afterEvents: 1 })]);
  const delayed = ask(server).catch((error: unknown) => error);
  await server.waitForRequest(0);
  const hanging = await ask(server, { stream: true });
  await server.close();
  await server.close();
  expect(await delayed).toBeInstanceOf(TypeError);
  await expect(hanging.text()).rejects.toThrow("terminated");
  expect(await Promise.all(server.requests.map((request) => request.ended))).toEqual(["cut", "cut"]);
  await expect(ask(server)).rejects.toThrow("fetch failed");
});

test("serves many requests at once", async () => {
  await using server = await startResponsesServer(({ index }) => reply.text(String(index)));
  const texts = await Promise.all(
    Array.from(
      { length: 100 },
      async () => ((await (await ask(server)).json()) as { output: { content: { text: string }[] }[] }).output[0]?.content[0]?.text,
    ),
  );
  expect(new Set(texts).size).toBe(100);
});
