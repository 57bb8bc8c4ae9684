import { Agent, defineTool, type FailedResult, ToolwrightError } from "@toolwright/core";
import { modelRetry, standard, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

const empty = { type: "object", properties: {} } as const;

describe("retries and an abort", () => {
  it("ends a tool retry's wait at once, keeps the outcome there is, and asks nothing more", async () => {
    await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "look" }), reply.text("Again.")]);
    const controller = new AbortController();
    let attempts = 0;
    const look = defineTool({
      name: "look",
      description: "Looks something up.",
      effect: "read",
      parameters: empty,
      execute: () => {
        attempts += 1;
        setTimeout(() => controller.abort(), 30);
        throw new Error("flaky");
      },
    });
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools: [look],
      middleware: [toolErrors(), modelRetry(), toolRetry({ minDelayMs: 600_000, maxDelayMs: 600_000 })],
    });
    const error: unknown = await agent.run("Look.", { signal: controller.signal }).catch((caught: unknown) => caught);
    if (!ToolwrightError.is(error, "RUN_ABORTED")) throw error;
    expect(attempts).toBe(1);
    expect(server.requests).toHaveLength(1);
    const { history, steps } = error.result as FailedResult;
    expect(steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["failed"]);
    expect(await agent.run("Go on.", { history })).toMatchObject({ output: "Again." });
  });

  it("does not take a tool's own abort for the run's", async () => {
    await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "fetch_it" }), reply.text("Fine.")]);
    let attempts = 0;
    const fetchIt = defineTool({
      name: "fetch_it",
      description: "Fetches something.",
      effect: "read",
      parameters: empty,
      execute: () => {
        attempts += 1;
        if (attempts < 3) throw new DOMException("This operation was aborted", "AbortError");
        return "here";
      },
    });
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools: [fetchIt],
      middleware: [toolErrors(), toolRetry({ minDelayMs: 1 })],
    });
    const result = await agent.run("Fetch it.");
    expect(result).toMatchObject({ output: "Fine.", steps: [{ calls: [{ attempts: 3, outcome: { kind: "ok", output: "here" } }] }, {}] });
  });
});

describe("retries of a timed-out call", () => {
  it("tells the tool by its signal, and repeats a read without waiting for what it left behind", async () => {
    await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "slow" }), reply.text("Fine.")]);
    const aborted: boolean[] = [];
    const slow = defineTool({
      name: "slow",
      description: "Is slow at first.",
      effect: "read",
      timeoutMs: 30,
      parameters: empty,
      execute: (_args, { attempt, signal }) => {
        signal.addEventListener("abort", () => aborted.push(signal.aborted));
        return attempt === 1 ? new Promise(() => {}) : `attempt ${attempt}`;
      },
    });
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools: [slow],
      middleware: [toolRetry({ minDelayMs: 1 })],
    });
    const result = await agent.run("Go.");
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 2, outcome: { kind: "ok", output: "attempt 2" } });
    expect(aborted).toEqual([true]);
  });
});

describe("standard()", () => {
  it("is toolErrors, modelRetry, toolRetry, outermost first", () => {
    expect(standard().map(({ name }) => name)).toEqual(["toolErrors", "modelRetry", "toolRetry"]);
    const explained = String(new Agent({ model: "test", middleware: standard() }).explain());
    expect(explained).toMatch(
      /wrapModelCall +modelRetry\({"attempts":3,"minDelayMs":500,"maxDelayMs":30000,"afterOutput":"fail"}\) → the model/,
    );
    expect(explained).toMatch(/wrapToolCall +toolErrors\(.*\) → toolRetry\({"attempts":3,"minDelayMs":100,"maxDelayMs":5000}\) → the tool/);
  });
});
