import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it, vi } from "vitest";
import { backgroundAgent, requestsAbout, soon } from "../support/background.js";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, until } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

describe.each(waysAndHistories)("a run in the background ($way, $kind)", ({ way, history }) => {
  it("starts each response, waits for it, and goes on with its calls", async () => {
    await using stand = await serve([
      reply.output(reply.reasoning("Let me look."), reply.calls(callOf("look", "call_1", 1))),
      reply.text("Seen."),
      reply.text("Yes."),
    ]);
    const started: string[] = [];
    const background = { ...soon, onStarted: ({ responseId }: { responseId: string }) => void started.push(responseId) };
    const agent = backgroundAgent(stand, background, { history, tools: [numberTool("look", (n) => n + 1)] });
    const result = await ends(runIn(way, agent, "Look."));
    expect(result).toMatchObject({ output: "Seen.", usage: { requests: 2 } });
    expect(result.usage.outputTokens).toBeGreaterThan(0);
    for (const { body } of stand.server.requests) expect(body).toMatchObject({ background: true, store: true });
    expect(started).toEqual(result.steps.map(({ responseId }) => responseId));
    await ends(runIn(way, agent, "Sure?", { history: result.history }));
    stand.server.assertDone();
  });
});

describe("a response that is looked at", () => {
  it("is looked at until it is done", async () => {
    await using stand = await serve([reply.text("Done.").with({ background: { looks: 5 } })]);
    const result = await ends(backgroundAgent(stand).run("Go."));
    expect(result).toMatchObject({ output: "Done." });
    expect(requestsAbout(stand)).toEqual(Array.from({ length: 6 }, () => "GET {id}?include[]=reasoning.encrypted_content"));
  });

  it("is looked at less and less often, and not before the server says", async () => {
    vi.useFakeTimers();
    try {
      const busy = Object.assign(new Error("429"), { status: 429, headers: new Headers({ "retry-after": "20" }) });
      const looks: number[] = [];
      const begun = { id: "resp_1", status: "queued" };
      const answer = (value: unknown) =>
        Object.assign(value instanceof Error ? Promise.reject(value) : Promise.resolve(value), { asResponse: () => Promise.reject(busy) });
      const startedAt = Date.now();
      const client = {
        post: () => answer(begun),
        get: () => {
          looks.push(Date.now() - startedAt);
          return answer(looks.length === 6 ? busy : { ...begun, status: looks.length === 7 ? "completed" : "in_progress", output: [] });
        },
      };
      const run = new Agent({ model: "test", client, background: { pollMs: 1000, maxPollMs: 3000 } }).run("Go.");
      await vi.advanceTimersByTimeAsync(60_000);
      await run;
      expect(looks).toEqual([1000, 2500, 4750, 7750, 10_750, 13_750, 33_750]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is looked at again after a broken connection and a server error", async () => {
    const faults = [{ cutAfterEvents: 0 }, { status: 503, code: "server_error" }];
    await using stand = await serve([reply.text("Done.").with({ background: { looks: 0, faults } })]);
    const result = await ends(backgroundAgent(stand).run("Go."));
    expect(result).toMatchObject({ output: "Done." });
    expect(stand.server.otherRequests).toHaveLength(3);
  });

  it("is given up when the server no longer has it, and says whose it was", async () => {
    const faults = [{ status: 404, code: "not_found", message: "Response not found." }];
    await using stand = await serve([reply.text("Lost.").with({ responseId: "resp_lost", background: { faults } })]);
    const error = await failureOf(ends(backgroundAgent(stand).run("Go.")));
    expect(error).toMatchObject({ code: "MODEL_NOT_FOUND", retryable: false, details: { responseId: "resp_lost" } });
    expect(error.message).toContain("resp_lost");
  });

  it.each([
    ["failed", reply.failed({ code: "server_error", message: "It broke." }), "MODEL_FAILED"],
    ["incomplete", reply.incomplete({}, reply.text("Half an ans")), "MODEL_INCOMPLETE"],
  ] as const)("that ends %s is a typed error", async (_, ending, code) => {
    await using stand = await serve([ending.with({ responseId: "resp_1" })]);
    expect(await failureOf(ends(backgroundAgent(stand).run("Go.")))).toMatchObject({ code, details: { responseId: "resp_1" } });
  });

  it("that was cancelled elsewhere is a failure", async () => {
    await using stand = await serve([reply.text("Never.").with({ responseId: "resp_1", background: { until: new Promise(() => {}) } })]);
    const run = failureOf(ends(backgroundAgent(stand).run("Go.")));
    await until(() => stand.server.otherRequests.length > 1);
    await stand.client.responses.cancel("resp_1");
    expect(await run).toMatchObject({ code: "MODEL_FAILED", message: expect.stringContaining("cancelled") });
  });

  it("that a server answers at once is taken as it is", async () => {
    const response = {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "At once." }] }],
    };
    const client = {
      post: () => Object.assign(Promise.resolve(response), { asResponse: () => Promise.reject(new Error("unused")) }),
      get: () => {
        throw new Error("unused");
      },
    };
    await expect(ends(new Agent({ model: "test", client, background: true }).run("Go."))).resolves.toMatchObject({ output: "At once." });
  });

  it("brings reasoning that can be sent back, though the application keeps the history", async () => {
    await using stand = await serve([reply.output(reply.reasoning("Hm."), reply.calls(callOf("look", "call_1", 1))), reply.text("Seen.")]);
    await ends(backgroundAgent(stand, soon, { tools: [numberTool("look", () => 1)] }).run("Look."));
    const [reasoning] = inputOf(stand.server.request(1)).filter(({ type }) => type === "reasoning");
    expect(reasoning?.["encrypted_content"]).toEqual(expect.any(String));
  });
});
