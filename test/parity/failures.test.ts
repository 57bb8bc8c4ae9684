import { Agent, type AgentOptions, type Model, ToolwrightError } from "@toolwright/core";
import { modelRetry, standard } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { collect, failureOf, runIn, ways } from "../support/ways.js";

const retry = (attempts = 3) => modelRetry({ attempts, minDelayMs: 1, maxDelayMs: 1 });

/** A run against these replies: its end, and how many requests it made. */
async function endOf(way: (typeof ways)[number], replies: readonly Reply[], options: Partial<AgentOptions> = {}) {
  await using stand = await serve(replies);
  const agent = new Agent({ model: "test", client: stand.client, ...options });
  const end = await ends(
    runIn(way, agent, "Hi.").then(
      (result) => (result.stopReason === "completed" ? result.output : result.stopReason),
      (error: ToolwrightError) => error.code,
    ),
  );
  return [end, stand.server.requests.length];
}

describe.each(ways)("a request that fails (%s)", (way) => {
  const down = () => reply.http(503);
  it("is not repeated unless the pipeline says so, by the client neither", async () => {
    expect(await endOf(way, [down(), reply.text("Hello.")])).toEqual(["MODEL_SERVER", 1]);
    expect(await endOf(way, [reply.http(429), reply.text("Hello.")])).toEqual(["MODEL_RATE_LIMIT", 1]);
  });

  it("is repeated until the attempts are used up, and the last failure is the run's", async () => {
    expect(await endOf(way, [down(), down(), reply.text("Hello.")], { middleware: [retry()] })).toEqual(["Hello.", 3]);
    expect(await endOf(way, [down(), down(), reply.http(429)], { middleware: [retry()] })).toEqual(["MODEL_RATE_LIMIT", 3]);
    expect(await endOf(way, [down(), reply.text("Hello.")], { middleware: [retry(1)] })).toEqual(["MODEL_SERVER", 1]);
  });

  it.each([
    [400, {}, "MODEL_BAD_REQUEST"],
    [401, {}, "MODEL_AUTHENTICATION"],
    [403, {}, "MODEL_AUTHENTICATION"],
    [404, {}, "MODEL_NOT_FOUND"],
    [429, { code: "insufficient_quota" }, "MODEL_QUOTA"],
  ])("is never repeated for %i %j", async (status, error, code) => {
    expect(await endOf(way, [reply.http(status, error), reply.text("Hello.")], { middleware: standard() })).toEqual([code, 1]);
  });

  it("leaves the run's question out of its history, and its cost in its usage", async () => {
    await using stand = await serve([
      reply.text("Hello.").with({ usage: { inputTokens: 7, outputTokens: 1 } }),
      reply.http(400, { message: "No." }),
    ]);
    const agent = new Agent({ model: "test", client: stand.client });
    const first = await ends(runIn(way, agent, "Hi."));
    const error = await ends(failureOf(runIn(way, agent, "And?", { history: first.history })));
    expect(error.result).toMatchObject({ stopReason: "error", usage: { requests: 1, totalTokens: 0 }, steps: [] });
    expect(error.result.history).toEqual(first.history);
  });

  it("in a later step is repeated alone: what was run before is not run again, and the request is the same", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), down(), reply.text("Done.")]);
    let looked = 0;
    const look = numberTool("look", () => (looked += 1));
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: [look], middleware: [retry()] }), "Go."));
    expect(result).toMatchObject({ output: "Done.", usage: { requests: 3 }, steps: [{}, {}] });
    expect([looked, inputOf(stand.server.request(2))]).toEqual([1, inputOf(stand.server.request(1))]);
  });
});

describe("a model of the application's own", () => {
  const modelOf = (respond: Model["respond"]): Model => ({ name: "own", respond });
  it.each<readonly [string, unknown]>([
    ["an error", new TypeError("boom")],
    ["a text", "boom"],
    ["nothing", undefined],
  ])("that throws %s: a typed error, with what was thrown as its cause, and no retry", async (_, thrown) => {
    let asked = 0;
    const model = modelOf(async () => {
      asked += 1;
      throw thrown;
    });
    const error = await ends(failureOf(new Agent({ model, middleware: [retry()] }).run("Hi.")));
    expect([error.code, error.cause, asked]).toEqual(["MODEL_FAILED", thrown, 1]);
  });

  it("that says its failure may pass is asked again", async () => {
    let asked = 0;
    const model = modelOf(async () => {
      asked += 1;
      if (asked < 3) throw new ToolwrightError("MODEL_SERVER", "Not now.");
      return {
        id: undefined,
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Now." }] }],
        usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 },
      };
    });
    expect(await ends(new Agent({ model, middleware: [retry()] }).run("Hi."))).toMatchObject({ output: "Now.", usage: { requests: 3 } });
  });

  it("that hears of no abort does not keep a run alive", async () => {
    const controller = new AbortController();
    const model = modelOf(() => (controller.abort(new Error("enough")), forever()));
    expect(await ends(failureOf(new Agent({ model, middleware: [retry()] }).run("Hi.", { signal: controller.signal })))).toMatchObject({
      code: "RUN_ABORTED",
      cause: expect.objectContaining({ message: "enough" }),
    });
  });
});

describe("a stream that breaks off", () => {
  const empty = { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "" };
  const text = () => reply.text("Hello.", { id: "msg_1" }).with({ deltaSize: 100 });

  it("before anything was said is repeated, also when what was said was nothing", async () => {
    const nothing = text().with({ transformEvent: (event) => (event["type"] === "response.output_text.delta" ? empty : event) });
    await using stand = await serve([reply.cut({ afterEvents: 5 }, nothing), text()]);
    const { events, result } = await ends(collect(new Agent({ model: "test", client: stand.client, middleware: [retry()] }), "Hi."));
    expect(result).toMatchObject({ output: "Hello.", usage: { requests: 2 } });
    expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(1);
    stand.server.assertDone();
  });

  it("after something was said is not, since it would be said twice", async () => {
    await using stand = await serve([reply.cut({ afterEvents: 5 }, text()), text()]);
    const error = await ends(failureOf(collect(new Agent({ model: "test", client: stand.client, middleware: [retry()] }), "Hi.")));
    expect([error.code, stand.server.requests.length]).toEqual(["MODEL_CONNECTION", 1]);
  });
});

it("what a failed run has done is on its error, out of print, and the next run goes on from there", async () => {
  await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.http(400, { message: "No." }), reply.text("Here.")]);
  const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => "a-private-output")] });
  const error = await ends(failureOf(agent.run("Go.")));
  expect(error).toBeInstanceOf(Error);
  expect([ToolwrightError.is(error), ToolwrightError.is(error, "MODEL_BAD_REQUEST"), ToolwrightError.is(error, "RUN_ABORTED")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(error.result.steps).toMatchObject([{ calls: [{ outcome: { kind: "ok", output: "a-private-output" } }] }]);
  expect(`${String(error)} ${JSON.stringify(error)} ${error.stack}`).not.toContain("a-private-output");
  expect(await ends(agent.run("Go on.", { history: error.result.history }))).toMatchObject({ output: "Here." });
});

it("a run whose signal is aborted already asks nothing", async () => {
  for (const way of ways) {
    await using stand = await serve([]);
    const signal = AbortSignal.abort(new Error("before"));
    const error = await ends(failureOf(runIn(way, new Agent({ model: "test", client: stand.client }), "Hi.", { signal })));
    expect([error.code, (error.cause as Error).message, stand.server.requests.length]).toEqual(["RUN_ABORTED", "before", 0]);
  }
});
