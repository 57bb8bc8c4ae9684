import { Agent, type AgentOptions, type Middleware, openaiModel, type RunEvent, type RunState } from "@toolwright/core";
import { circuitBreaker, fallback, type FallbackOptions, modelRetry, standard, stepBudget } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf, runIn, ways } from "../support/ways.js";

const quick = { minDelayMs: 1, maxDelayMs: 1 } as const;

/** One server with a reply for each model's name; a list is used up one by one. */
const models = (replies: { readonly [model: string]: Reply | Reply[] }, options?: Parameters<typeof serve>[1]) =>
  serve(({ body }) => {
    const given = replies[String(body.model)];
    const next = Array.isArray(given) ? given.shift() : given;
    return next ?? reply.http(400, { message: `Nothing is planned for ${String(body.model)}.` });
  }, options);

const asked = ({ server }: Stand) => server.requests.map(({ body }) => body.model);

function agentOf(stand: Stand, middleware: readonly Middleware[], options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ model: "first", client: stand.client, tools: [numberTool("look", (n) => `seen ${n}`)], middleware, ...options });
}

describe.each(ways)("fallback (%s)", (way) => {
  it.each([
    ["a bad key", reply.http(401)],
    ["an exhausted quota", reply.http(429, { code: "insufficient_quota" })],
    ["an unknown model", reply.http(404, { code: "model_not_found" })],
    ["a rate limit", reply.http(429)],
    ["a server error", reply.http(500)],
    ["a connection that breaks", reply.cut({ beforeHeaders: true })],
    ["a response that failed by the server's fault", reply.failed({ code: "server_error", message: "Oh." })],
  ])("asks the next model after %s", async (_, failure) => {
    await using stand = await models({ first: failure, second: reply.text("Here.") });
    const agent = agentOf(stand, [fallback({ models: ["second", "third"] })]);
    expect(await ends(runIn(way, agent, "Hello?"))).toMatchObject({ output: "Here.", usage: { requests: 2 } });
    expect(asked(stand)).toEqual(["first", "second"]);
  });

  it.each([
    ["a bad request", reply.http(400, { code: "invalid_value" }), "MODEL_BAD_REQUEST"],
    ["a response that was cut off", reply.incomplete({}, reply.text("Half")), "MODEL_INCOMPLETE"],
    ["a response that failed by its content", reply.failed({ code: "invalid_prompt", message: "No." }), "MODEL_FAILED"],
  ])("does not ask another after %s", async (_, failure, code) => {
    await using stand = await models({ first: failure, second: reply.text("Here.") });
    const agent = agentOf(stand, [fallback({ models: ["second"] }), ...standard()]);
    expect(await ends(failureOf(runIn(way, agent, "Hello?")))).toMatchObject({ code });
    expect(asked(stand)).toEqual(["first"]);
  });

  it("goes on in order, and tells of every model when all have failed", async () => {
    await using stand = await models({ first: reply.http(500), second: reply.http(429), third: reply.http(401) });
    const agent = agentOf(stand, [fallback({ models: ["second", "third"] })]);
    const error = await ends(failureOf(runIn(way, agent, "Hello?")));
    expect(error).toMatchObject({ code: "MODEL_AUTHENTICATION", retryable: false, cause: { code: "MODEL_AUTHENTICATION" } });
    expect(error.details).toMatchObject({
      status: 401,
      models: [
        { model: "first", code: "MODEL_SERVER" },
        { model: "second", code: "MODEL_RATE_LIMIT" },
        { model: "third", code: "MODEL_AUTHENTICATION" },
      ],
    });
    expect(error.message).toMatch(/^3 models failed\. first: .*500.* second: .*429.* third: .*401.*\nFix: /);
    expect(error.message.match(/Fix: /g)).toHaveLength(1);
    expect(asked(stand)).toEqual(["first", "second", "third"]);
  });

  it("gives each model its repeats first, wherever it was put", async () => {
    await using stand = await models({ first: reply.http(500), second: [reply.http(503), reply.text("Here.")] });
    const agent = agentOf(stand, [modelRetry(quick), fallback({ models: ["second"] })]);
    expect(await ends(runIn(way, agent, "Hello?"))).toMatchObject({ output: "Here." });
    expect(asked(stand)).toEqual(["first", "first", "first", "second", "second"]);
    expect(agent.explain().hooks.wrapModelCall).toEqual(["fallback", "modelRetry"]);
  });

  it("never asks after an abort", async () => {
    await using stand = await models({ first: reply.hang({ beforeHeaders: true }, reply.text("Late.")), second: reply.text("Here.") });
    const controller = new AbortController();
    const agent = agentOf(stand, [fallback({ models: ["second"], on: () => true })]);
    const run = failureOf(runIn(way, agent, "Hello?", { signal: controller.signal }));
    await stand.server.waitForRequest(0);
    controller.abort();
    expect((await ends(run)).code).toBe("RUN_ABORTED");
    expect(asked(stand)).toEqual(["first"]);
  });

  it("stays with the model that answered, for the rest of the run", async () => {
    await using stand = await models({
      first: [reply.http(500), reply.text("Back.")],
      second: [reply.calls(callOf("look", "call_1", 1)), reply.text("Here.")],
    });
    const agent = agentOf(stand, [fallback({ models: ["second"] })]);
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "Here." });
    expect(asked(stand)).toEqual(["first", "second", "second"]);
    // The next run begins anew.
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "Back." });
  });

  it("begins each step with the first model if it is not to stay", async () => {
    await using stand = await models({
      first: [reply.http(500), reply.text("Back.")],
      second: reply.calls(callOf("look", "call_1", 1)),
    });
    const agent = agentOf(stand, [fallback({ models: ["second"], stay: false })]);
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "Back." });
    expect(asked(stand)).toEqual(["first", "second", "first"]);
  });

  it("tries the others, the first one too, when the one that it stayed with fails", async () => {
    await using stand = await models({
      first: [reply.http(500), reply.text("Back.")],
      second: [reply.calls(callOf("look", "call_1", 1)), reply.http(500)],
      third: reply.http(401),
    });
    const agent = agentOf(stand, [fallback({ models: ["second", "third"] })]);
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "Back." });
    expect(asked(stand)).toEqual(["first", "second", "second", "third", "first"]);
  });

  it.each([
    ["a list of codes", { on: ["MODEL_BAD_REQUEST"] }],
    ["a predicate", { on: (error, model) => error.details["status"] === 400 && model === "first" }],
  ] satisfies [string, Partial<FallbackOptions>][])("may be told after which errors: %s", async (_, options) => {
    await using stand = await models({ first: reply.http(400), second: reply.text("Here.") });
    expect(await ends(runIn(way, agentOf(stand, [fallback({ models: ["second"], ...options })]), "Hello?"))).toMatchObject({
      output: "Here.",
    });
    await using other = await models({ first: reply.http(500), second: reply.text("Here.") });
    const error = await ends(failureOf(runIn(way, agentOf(other, [fallback({ models: ["second"], ...options })]), "Hello?")));
    expect(error.code).toBe("MODEL_SERVER");
    expect(asked(other)).toEqual(["first"]);
  });

  it("goes on from a model whose circuit is open, without asking it", async () => {
    await using stand = await models({ first: reply.http(500), second: reply.text("Here.") });
    const agent = agentOf(stand, [circuitBreaker({ failures: 2 }), fallback({ models: ["second"] })]);
    for (let run = 0; run < 4; run += 1) expect(await ends(runIn(way, agent, "Hello?"))).toMatchObject({ output: "Here." });
    expect(asked(stand)).toEqual(["first", "second", "first", "second", "second", "second"]);
  });

  it("keeps what another layer asks of the request", async () => {
    await using stand = await models({ first: reply.http(500), second: reply.text("That is all.") });
    const agent = agentOf(stand, [fallback({ models: ["second"] }), stepBudget(1, { onExhausted: "answer" })]);
    await ends(runIn(way, agent, "Look."));
    expect(stand.server.requests.map(({ body }) => body["tool_choice"])).toEqual(["none", "none"]);
  });
});

describe("fallback in a stream", () => {
  const broken = reply.cut({ afterEvents: 5 }, reply.text("The answer is forty-two."));

  it("does not ask another model when text was seen", async () => {
    await using stand = await models({ first: broken, second: reply.text("42.") });
    const agent = agentOf(stand, [fallback({ models: ["second"] })]);
    await expect(ends(collect(agent, "What?"))).rejects.toMatchObject({ code: "MODEL_CONNECTION" });
    expect(asked(stand)).toEqual(["first"]);
  });

  it("tells the consumer first, if a restart is allowed", async () => {
    await using stand = await models({ first: broken, second: reply.text("42.") });
    const agent = agentOf(stand, [fallback({ models: ["second"], afterOutput: "restart" })]);
    const { events, result } = await ends(collect(agent, "What?"));
    expect(result).toMatchObject({ output: "42." });
    const told = events.filter(({ type }) => type === "text-delta" || type === "step-restart");
    const textOf = (event: RunEvent): string => (event.type === "text-delta" ? event.text : "|");
    expect(told.map(textOf).join("")).toBe("The answer is fo|42.");
  });
});

describe("fallback where the server keeps the history", () => {
  it("goes on in the same chain by a model's name", async () => {
    await using stand = await models({
      first: [reply.calls(callOf("look", "call_1", 1)), reply.http(500)],
      second: reply.text("Here."),
    });
    const agent = agentOf(stand, [fallback({ models: ["second"] })], { history: { kind: "chained" } });
    const result = await ends(agent.run("Look."));
    expect(result).toMatchObject({ output: "Here." });
    const [, failed, again] = stand.server.requests;
    expect(again?.body["previous_response_id"]).toBe(failed?.body["previous_response_id"]);
    stand.server.assertDone({ allowRefusals: true });
  });

  it.each([{ kind: "chained" }, { kind: "conversation", id: "conv_1" }] as const)(
    "refuses a Model before anything is sent: %j",
    async (history) => {
      await using stand = await models({}, { conversations: ["conv_1"] });
      const other = openaiModel("other", { client: stand.client });
      const agent = agentOf(stand, [fallback({ models: ["second", other] })], { history });
      await expect(ends(agent.run("Hello?"))).rejects.toMatchObject({
        code: "RUN_OPTIONS",
        message: expect.stringMatching(/Model "other".*the server keeps it[^]*Fix: Give the name/),
      });
      expect(stand.server.requests).toHaveLength(0);
    },
  );

  it("asks no other model for a chain that is not there", async () => {
    await using stand = await models({ second: reply.text("Here.") });
    const agent = agentOf(stand, [fallback({ models: ["second"] })], { history: { kind: "chained", previousResponseId: "resp_gone" } });
    await expect(ends(agent.run("Hello?"))).rejects.toMatchObject({ code: "MODEL_NOT_FOUND" });
    expect(stand.server.requests).toHaveLength(1);
  });

  it.each([
    ["may have been taken", reply.cut({ beforeHeaders: true }), ["first"]],
    ["was refused", reply.http(429), ["first", "second"]],
  ] as const)("in a conversation, when the request %s", async (_, failure, expected) => {
    await using stand = await models({ first: failure, second: reply.text("Here.") }, { conversations: ["conv_1"] });
    const agent = agentOf(stand, [fallback({ models: ["second"] })], { history: { kind: "conversation", id: "conv_1" } });
    await agent.run("Hello?").catch(() => undefined);
    expect(asked(stand)).toEqual(expected);
  });
});

describe("fallback to a Model of another server", () => {
  /** A run that moves after its first step, and what each server was sent. */
  async function moved(away: Stand, home: Stand, middleware: readonly Middleware[] = []) {
    const other = openaiModel("other", { client: away.client });
    return agentOf(home, [fallback({ models: [other] }), ...middleware]);
  }
  const thinks = (name: string, n: number) => reply.output(reply.reasoning("Hm."), reply.calls(callOf("look", name, n)));

  it("leaves out what only the first can read, and what comes back can be read by both", async () => {
    await using home = await serve([thinks("call_1", 1), reply.http(500), reply.text("Back.")]);
    await using away = await serve([thinks("call_2", 2), reply.text("Here.")]);
    const agent = await moved(away, home);
    const result = await ends(agent.run("Look."));
    expect(result).toMatchObject({ output: "Here.", usage: { requests: 4 } });

    // As it was at home, with its reasoning and its ids.
    expect(inputOf(home.server.request(1)).map(({ type, id }) => [type, typeof id])).toEqual([
      ["message", "undefined"],
      ["reasoning", "string"],
      ["function_call", "string"],
      ["function_call_output", "undefined"],
    ]);
    for (const [index, calls] of [["call_1"], ["call_1", "call_2"]].entries()) {
      const input = inputOf(away.server.request(index));
      expect(input.map(({ type }) => type)).toEqual(["message", ...calls.flatMap(() => ["function_call", "function_call_output"])]);
      expect(input.filter((item) => "id" in item)).toEqual([]);
      expect(input.filter(({ type }) => type === "function_call").map((item) => item["call_id"])).toEqual(calls);
    }

    // The first one is there again in the next run, and takes all of it.
    expect(await ends(agent.run("And now?", { history: result.history }))).toMatchObject({ output: "Back." });
    home.server.assertDone();
    away.server.assertDone();
  });

  it("goes on after a pause with the model that it stayed with", async () => {
    await using home = await serve([reply.http(500)]);
    await using away = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Paid.")]);
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const other = openaiModel("other", { client: away.client });
    const agent = agentOf(home, [fallback({ models: [other] })], { tools: [pay] });
    const paused = await ends(agent.run("Pay."));
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const result = await ends(agent.resume(state, { decisions: [{ callId: "call_1", approve: true }] }));
    expect(result).toMatchObject({ output: "Paid." });
    home.server.assertDone();
    away.server.assertDone();
  });

  it("leaves the call as it is while the first model answers", async () => {
    await using home = await serve([thinks("call_1", 1), reply.text("Here.")]);
    await using away = await serve([]);
    const agent = await moved(away, home, [modelRetry()]);
    const result = await ends(agent.run("Look."));
    expect(result.items.map(({ type }) => type)).toEqual(["message", "reasoning", "function_call", "function_call_output", "message"]);
    home.server.assertDone();
  });
});

describe("options of fallback", () => {
  it.each([
    [{}, /fallback\(\): `models` must be a list of at least one model, each a name or a Model; it is undefined\./],
    [{ models: [] }, /`models` must be a list.*; it is \[\]\./],
    [{ models: "second" }, /`models` must be a list.*; it is "second"\./],
    [{ models: ["second", ""] }, /`models` must be a list.*; it is \["second", ""\]\./],
    [{ models: [null] }, /`models` must be a list.*; it is \[null\]\./],
    [{ models: [{ name: "x" }] }, /`models` must be a list.*; it is \[an object\]\./],
    [{ models: ["x"], on: ["MODEL_SERVR"] }, /`on` must be a list of codes such as MODEL_SERVER, or a function; it is \["MODEL_SERVR"\]\./],
    [{ models: ["x"], on: ["RUN_ABORTED"] }, /`on` must be a list of codes.*; it is \["RUN_ABORTED"\]\./],
    [{ models: ["x"], on: [] }, /`on` must be a list of codes.*; it is \[\]\./],
    [{ models: ["x"], stay: 1 }, /`stay` must be true or false; it is 1\./],
    [{ models: ["x"], afterOutput: "retry" }, /`afterOutput` must be one of "fail", "restart"; it is "retry"\./],
    [{ model: "x" }, /fallback\(\) has no option "model"; it has models, on, stay, afterOutput/],
    [undefined, /fallback\(\) takes an object of options; it got undefined\./],
  ])("%j are refused, with the bad value", (options, message) => {
    expect(() => fallback(options as FallbackOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });

  it("are shown by name alone", () => {
    const client = { post: () => Promise.reject(new Error("unused")), apiKey: "sk-secret" };
    const { options, traits } = fallback({ models: ["second", openaiModel("third", { client: client as never })], on: () => true });
    expect(options).toEqual({ models: ["second", "third"], on: "a function", stay: true, afterOutput: "fail" });
    expect(traits).toEqual(["repeats-model"]);
  });
});
