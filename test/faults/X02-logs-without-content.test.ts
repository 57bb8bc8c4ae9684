import { Agent, defineTool, ToolError } from "@toolwright/core";
import { logging, toolErrors, toolRetry, type LoggingOptions } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import pino from "pino";
import { describe, expect, it, vi } from "vitest";

const secrets = /T-123|N-456|P-789|O-321|I-654|A-987/;

const parameters = { type: "object", properties: { token: { type: "string" }, note: { type: "string" } } } as const;
const given = { token: "T-123", note: "N-456" };

/** A run in which every kind of text appears: instructions, prompt, arguments, outputs, errors, an answer. */
async function secretRun(options: LoggingOptions) {
  const calls = ["look", "tell", "fail", "refuse", "nothing"].map((name, index) => ({ callId: `call_${index}`, name, arguments: given }));
  await using server = await startResponsesServer([
    reply.calls(...calls, { callId: "call_9", name: "look", arguments: '{"token":"T-123"' }),
    reply.text("The answer is A-987."),
  ]);
  const tool = (name: string, execute: (args: Record<string, unknown>) => unknown) =>
    defineTool({ name, description: `Does ${name}.`, effect: "read", parameters, execute });
  const agent = new Agent({
    model: "test",
    client: new OpenAI({ baseURL: server.url, apiKey: "sk-test-key-123456" }),
    instructions: "Mind I-654.",
    tools: [
      tool("look", () => ({ secret: "O-321" })),
      tool("tell", ({ token }) => `O-321 of ${String(token)}`),
      tool("fail", (args) => {
        throw new Error(`bad arguments ${JSON.stringify(args)}`, { cause: new TypeError(`not ${String(args["token"])}`) });
      }),
      tool("refuse", ({ note }) => {
        throw new ToolError({ code: "REFUSED", message: `No ${String(note)}.`, retryable: false });
      }),
    ],
    middleware: [logging(options), toolErrors(), toolRetry({ minDelayMs: 1 })],
  });
  await agent.run("Use P-789.");
}

function capture(stream: NodeJS.WriteStream): { readonly text: () => string; readonly restore: () => void } {
  let text = "";
  const spy = vi.spyOn(stream, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return { text: () => text, restore: () => spy.mockRestore() };
}

describe("X02: a log holds no content unless asked", () => {
  it.each<readonly [string, LoggingOptions]>([
    ["as it comes", {}],
    ["for people", { format: "pretty" }],
    ["for programs", { format: "json" }],
    ["down to debug", { level: "debug" }],
  ])("writes no argument, output or prompt: %s", async (_name, options) => {
    const out = capture(process.stdout);
    const error = capture(process.stderr);
    try {
      await secretRun(options);
    } finally {
      out.restore();
      error.restore();
    }
    const lines = error.text().trimEnd().split("\n");
    expect(out.text()).toBe("");
    // Two replies, six calls (with two more attempts of the failing one), one run.
    expect(lines).toHaveLength(2 + 6 + 2 + 1);
    expect(error.text()).not.toMatch(secrets);
    expect(error.text()).not.toContain("sk-test");
    expect(error.text()).toContain("look");
    expect(error.text()).toContain("call_0");
  });

  it("gives none to a pino logger either", async () => {
    let text = "";
    const logger = pino({ level: "trace" }, { write: (line: string) => void (text += line) });
    await secretRun({ logger });
    expect(text).toContain("REFUSED");
    expect(text).not.toMatch(secrets);
  });

  it("shows content when asked, without what is to be hidden, wherever it turns up", async () => {
    const write = (into: string[]) => ({ write: (line: string) => void into.push(line) });
    const open: string[] = [];
    await secretRun({ content: true, format: "pretty", stream: write(open) });
    expect(open.join("")).toMatch(/N-456.*O-321/s);
    for (const format of ["pretty", "json"] as const) {
      const redacted: string[] = [];
      await secretRun({ content: true, redact: ["token"], format, stream: write(redacted) });
      expect(redacted.join("")).toContain("N-456");
      expect(redacted.join("")).not.toContain("T-123");
    }
  });

  it("still tells the developer what was thrown", async () => {
    const lines: string[] = [];
    await secretRun({ format: "json", stream: { write: (line: string) => void lines.push(line) } });
    const failed = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ tool, event }) => tool === "fail" && event === "tool-call");
    expect(failed).toMatchObject({
      level: "warn",
      outcome: "failed",
      attempts: 3,
      error: expect.stringMatching(/reference [0-9a-f]+/),
      cause: {
        name: "Error",
        message: expect.stringContaining("bad arguments"),
        stack: expect.stringContaining("X02-logs"),
        cause: { name: "TypeError" },
      },
    });
  });
});
