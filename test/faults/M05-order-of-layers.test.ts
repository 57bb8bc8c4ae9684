import { Agent, defineMiddleware, defineTool, type Middleware, type ToolwrightError } from "@toolwright/core";
import { logging, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

const retry = (): Middleware => toolRetry({ minDelayMs: 1 });

async function failingRead(middleware: readonly Middleware[]) {
  await using server = await startResponsesServer([reply.calls({ callId: "call_1", name: "look" }), reply.text("Done.")]);
  let attempts = 0;
  const look = defineTool({
    name: "look",
    description: "Looks something up.",
    effect: "read",
    parameters: { type: "object", properties: {} },
    execute: () => {
      attempts += 1;
      throw new Error("flaky");
    },
  });
  const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), tools: [look], middleware });
  const ended = await agent.run("Look.").then(
    ({ stopReason }) => stopReason,
    (error: ToolwrightError) => error.code,
  );
  return { attempts, ended };
}

describe("M05: the order of layers", () => {
  it("makes no difference to retries and texts, since failures are values", async () => {
    const format = (): string => "It did not work.";
    expect(await failingRead([retry(), toolErrors({ format })])).toEqual({ attempts: 3, ended: "completed" });
    expect(await failingRead([toolErrors({ format }), retry()])).toEqual({ attempts: 3, ended: "completed" });
  });

  it("lets a failure end the run after its retries", async () => {
    expect(await failingRead([toolErrors({ rethrow: ["TOOL_FAILED"] }), retry()])).toEqual({ attempts: 3, ended: "RUN_TOOL_FAILED" });
  });

  it("refuses a retry outside a layer whose throw would pass it, saying what to do", () => {
    const make = (): unknown => new Agent({ model: "test", middleware: [retry(), toolErrors({ rethrow: ["TOOL_FAILED"] })] });
    expect(make).toThrow(/toolRetry.*toolErrors[\s\S]*Fix: /);
  });

  it("shows an approver, the log and the tool the same final arguments, wherever the rewriting layer stands", async () => {
    const rewrite = defineMiddleware({
      name: "rewrite",
      wrapToolCall: (call, next) => next({ ...call, arguments: { to: `${String(call.arguments["to"])}@example.com` } }),
    });
    for (const order of ["inside", "outside"] as const) {
      await using server = await startResponsesServer([
        reply.calls({ callId: "call_1", name: "send", arguments: { to: "ann" } }),
        reply.text("Sent."),
      ]);
      const seen: Record<string, unknown> = {};
      const send = defineTool({
        name: "send",
        description: "Sends a letter.",
        effect: "write",
        parameters: { type: "object", properties: { to: { type: "string" } } },
        approval: (args) => {
          seen["approver"] = args["to"];
          return false;
        },
        execute: (args) => {
          seen["tool"] = args["to"];
          return "sent";
        },
      });
      const log = logging({
        content: true,
        format: "pretty",
        stream: { write: (line: string) => (seen["log"] ??= /send\((.*)\)/.exec(line)?.[1]) },
      });
      const agent = new Agent({
        model: "test",
        client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
        tools: [send],
        middleware: order === "inside" ? [log, rewrite] : [rewrite, log],
      });
      await agent.run("Send it to ann.");
      expect(seen).toEqual({ approver: "ann@example.com", tool: "ann@example.com", log: '{"to":"ann@example.com"}' });
    }
  });
});
