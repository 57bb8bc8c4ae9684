import { Agent, type ToolwrightError } from "@toolwright/core";
import { modelRetry, type ModelRetryOptions } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

const limited = (headers: Record<string, string>) => reply.http(429, { code: "rate_limit_exceeded", message: "Slow down.", headers });

async function ask(answer: ReturnType<typeof reply.http>, options: ModelRetryOptions = {}) {
  await using server = await startResponsesServer([answer, reply.text("Here.")]);
  const agent = new Agent({
    model: "test",
    client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
    middleware: [modelRetry({ minDelayMs: 1, maxDelayMs: 5, ...options })],
  });
  const ended = await agent.run("Hello?").then(
    ({ stopReason }) => stopReason,
    (error: ToolwrightError) => error,
  );
  const [first, second] = server.requests;
  const waitedMs = first === undefined || second === undefined ? undefined : second.arrivedAt - first.arrivedAt;
  return { ended, requests: server.requests.length, waitedMs };
}

describe("M11: waits of the model retry", () => {
  it("waits at least as long as the server asks, in seconds", async () => {
    const { ended, waitedMs } = await ask(limited({ "retry-after": "1" }));
    expect(ended).toBe("completed");
    expect(waitedMs).toBeGreaterThanOrEqual(1_000);
  });

  it("waits at least as long as the server asks, in milliseconds", async () => {
    const { ended, waitedMs } = await ask(limited({ "retry-after-ms": "300", "retry-after": "30" }));
    expect(ended).toBe("completed");
    expect(waitedMs).toBeGreaterThanOrEqual(300);
  });

  it("waits until the date that the server names", async () => {
    // A date has whole seconds: the next one but one is 1 to 2 s away.
    const date = new Date((Math.floor(Date.now() / 1_000) + 2) * 1_000);
    const { ended, requests } = await ask(limited({ "retry-after": date.toUTCString() }));
    expect([ended, requests]).toEqual(["completed", 2]);
    expect(Date.now()).toBeGreaterThanOrEqual(date.getTime());
  });

  it("does not come back too early when the server's wait does not fit", async () => {
    for (const seconds of ["61", "3600"]) {
      const { ended, requests } = await ask(limited({ "retry-after": seconds }), { totalMs: 2_000 });
      expect(ended).toMatchObject({ code: "MODEL_RATE_LIMIT", details: { retryAfterMs: Number(seconds) * 1_000 } });
      expect(requests).toBe(1);
    }
  });

  it.each([
    ["an exhausted quota", reply.http(429, { code: "insufficient_quota", headers: { "retry-after": "0" } }), "MODEL_QUOTA"],
    ["a bad request", reply.http(400, { code: "invalid_value" }), "MODEL_BAD_REQUEST"],
    ["a bad key", reply.http(401, { code: "invalid_api_key" }), "MODEL_AUTHENTICATION"],
    ["an unknown model", reply.http(404, { code: "model_not_found" }), "MODEL_NOT_FOUND"],
  ])("does not repeat %s", async (_name, answer, code) => {
    const { ended, requests } = await ask(answer);
    expect(ended).toMatchObject({ code });
    expect(requests).toBe(1);
  });

  it("backs off without a word of the server", async () => {
    const { ended, waitedMs } = await ask(reply.http(503, { code: "server_is_overloaded" }), { minDelayMs: 100, maxDelayMs: 200 });
    expect(ended).toBe("completed");
    expect(waitedMs).toBeGreaterThanOrEqual(100);
  });

  it("ends the wait at once when the run is aborted", async () => {
    await using server = await startResponsesServer([limited({ "retry-after": "500" })]);
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      middleware: [modelRetry()],
    });
    const controller = new AbortController();
    const run = agent.run("Hello?", { signal: controller.signal });
    await (
      await server.waitForRequest(0)
    ).ended;
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 50);
    await expect(run).rejects.toMatchObject({ code: "RUN_ABORTED", cause: reason });
    expect(server.requests).toHaveLength(1);
  });

  it("does not repeat in a conversation what the server may have taken", async () => {
    for (const [answer, code] of [
      [reply.cut({ beforeHeaders: true }), "MODEL_CONNECTION"],
      [reply.http(504), "MODEL_SERVER"],
    ] as const) {
      await using server = await startResponsesServer([answer, reply.text("Here.")], { conversations: ["conv_1"] });
      const agent = new Agent({
        model: "test",
        client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
        history: { kind: "conversation", id: "conv_1" },
        middleware: [modelRetry({ minDelayMs: 1 })],
      });
      await expect(agent.run("Hello?")).rejects.toMatchObject({ code });
      expect(server.requests).toHaveLength(1);
    }
  });
});
