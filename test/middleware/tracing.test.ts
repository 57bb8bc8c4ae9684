import { context, trace } from "@opentelemetry/api";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Agent, type AgentOptions } from "@toolwright/core";
import { standard, tracing, type TracingOptions } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { followContexts, named, telemetry, traced, tree } from "../support/telemetry.js";
import { callOf, numberTool } from "../support/tools.js";
import { sleep } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

beforeAll(followContexts);
afterAll(() => context.disable());

describe("spans of a run", () => {
  it.each(ways)("stand in each other, from the caller's down to the tool's own: %s", async (way) => {
    await using to = await telemetry();
    const tracer = to.tracerProvider.getTracer("app");
    await using stand = await serve([
      reply.calls(callOf("write", "call_1", 1), callOf("write", "call_2", 2), callOf("look", "call_3", 3)),
      reply.text("Done."),
    ]);
    const work = async (n: number): Promise<string> => {
      const span = tracer.startSpan(`query ${n}`);
      await sleep(5);
      span.end();
      return "ok";
    };
    // Writes of one toolkit wait for each other; the read does not.
    const tools = [numberTool("write", work, { effect: "write" }), numberTool("look", work)];
    const agent = new Agent({ name: "clerk", model: "test", client: stand.client, tools, middleware: [...standard(), traced(to)] });
    await tracer.startActiveSpan("request", async (span) => {
      await runIn(way, agent, "Work.");
      span.end();
    });
    const { spans } = await to.flush();
    const [root] = tree(spans) as readonly [readonly unknown[]];
    const [name, run] = root as readonly [string, readonly unknown[]];
    expect(name).toBe("request");
    expect(run.slice(0, 2)).toEqual(["invoke_agent clerk", "chat test"]);
    expect(run.at(-1)).toBe("chat test");
    expect(run.slice(2, -1)).toHaveLength(3);
    expect(run.slice(2, -1)).toEqual(
      expect.arrayContaining([
        ["execute_tool write", "query 1"],
        ["execute_tool write", "query 2"],
        ["execute_tool look", "query 3"],
      ]),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it("have the attributes of the conventions, and no content", async () => {
    await using to = await telemetry();
    await using stand = await serve([
      reply
        .calls(callOf("look", "call_1", 7))
        .with({ responseId: "resp_1", usage: { inputTokens: 120, cachedTokens: 20, outputTokens: 30, reasoningTokens: 10 } as never }),
      reply.text("The answer is secret-answer.").with({ responseId: "resp_2" }),
    ]);
    const agent = new Agent({
      name: "clerk",
      model: "test",
      client: stand.client,
      instructions: "secret-instructions",
      tools: [numberTool("look", () => "secret-output")],
      settings: { max_output_tokens: 500, temperature: 0.5, top_p: 1 },
      middleware: [traced(to, { attributes: { "gen_ai.provider.name": "azure.ai.openai", team: "red" } })],
    });
    const { runId, usage } = await agent.run("secret-prompt 7");
    const { spans, text } = await to.flush();
    const common = { "gen_ai.provider.name": "azure.ai.openai", team: "red" };
    const tokens = { "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30 };
    const chat = spans.find((span) => span.attributes["gen_ai.response.id"] === "resp_1");
    expect(chat).toMatchObject({ name: "chat test", kind: 3, status: {} });
    expect(chat?.attributes).toMatchObject({
      ...common,
      ...tokens,
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "test",
      "gen_ai.request.max_tokens": 500,
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.top_p": 1,
      "gen_ai.response.finish_reasons": ["tool_call"],
      "toolwright.step": 0,
    });
    const tool = named(spans, "execute_tool look");
    expect(tool).toMatchObject({ kind: 1, status: {} });
    expect(tool.attributes).toEqual({
      ...common,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "call_1",
      "toolwright.step": 0,
      "toolwright.outcome": "ok",
    });
    const run = named(spans, "invoke_agent clerk");
    expect(run).toMatchObject({ kind: 1, status: {}, links: [] });
    expect(run.attributes).toEqual({
      ...common,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "clerk",
      "gen_ai.request.model": "test",
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
      "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
      "toolwright.run.id": runId,
      "toolwright.stop_reason": "completed",
    });
    expect(text).not.toMatch(/secret-(?:answer|instructions|output|prompt)|\\"n\\"/);
  });

  it("have content when it is asked for, without what looks like a secret", async () => {
    await using to = await telemetry();
    await using stand = await serve([reply.calls(callOf("look", "call_1", 7)), reply.text("The answer.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      instructions: "Be brief.",
      tools: [numberTool("look", () => "seen with sk-planted-0123456789")],
      middleware: [traced(to, { content: true })],
    });
    await agent.run("What is it?");
    const { spans, text } = await to.flush();
    const tool = named(spans, "execute_tool look");
    expect(tool.attributes["gen_ai.tool.call.arguments"]).toBe('{"n":7}');
    expect(tool.attributes["gen_ai.tool.call.result"]).toBe("seen with sk-[hidden]");
    const last = spans.findLast((span) => span.name === "chat test");
    const parsed = (name: string): unknown => JSON.parse(String(last?.attributes[name]));
    expect(parsed("gen_ai.system_instructions")).toEqual([{ type: "text", content: "Be brief." }]);
    expect(parsed("gen_ai.input.messages")).toEqual([
      { role: "user", parts: [{ type: "text", content: "What is it?" }] },
      { role: "assistant", parts: [{ type: "tool_call", id: "call_1", name: "look", arguments: '{"n":7}' }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "seen with sk-[hidden]" }] },
    ]);
    expect(parsed("gen_ai.output.messages")).toEqual([{ role: "assistant", parts: [{ type: "text", content: "The answer." }] }]);
    expect(text).not.toContain("planted");
  });

  it("of an agent that a tool runs stand inside that tool's", async () => {
    await using to = await telemetry();
    await using stand = await serve(({ body }) => {
      const input = JSON.stringify(body["input"]);
      return input.includes("inner")
        ? reply.text("Found.")
        : input.includes("Found.")
          ? reply.text("Done.")
          : reply.calls(callOf("ask", "call_1", 1));
    });
    const inner = new Agent({ name: "helper", model: "test", client: stand.client, middleware: [traced(to)] });
    const ask = numberTool("ask", async () => (await inner.run("inner")).output);
    await new Agent({ name: "boss", model: "test", client: stand.client, tools: [ask], middleware: [traced(to)] }).run("Go.");
    const { spans } = await to.flush();
    expect(tree(spans)).toEqual([
      ["invoke_agent boss", "chat test", ["execute_tool ask", ["invoke_agent helper", "chat test"]], "chat test"],
    ]);
  });

  it("stand in each other without a context manager as well", async () => {
    context.disable();
    try {
      await using to = await telemetry();
      await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
      await new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], middleware: [traced(to)] }).run("Go.");
      const { spans } = await to.flush();
      expect(tree(spans)).toEqual([["invoke_agent", "chat test", "execute_tool look", "chat test"]]);
    } finally {
      followContexts();
    }
  });
});

describe("without providers", () => {
  const agentOf = async (options: Omit<Partial<AgentOptions>, "output">) => {
    const stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    return { stand, agent: new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], ...options }) };
  };

  it("a run is as it was", async () => {
    const { stand, agent } = await agentOf({ middleware: [tracing()] });
    await using _ = stand;
    expect(await agent.run("Go.")).toMatchObject({ stopReason: "completed", output: "Done." });
  });

  it("spans go to the provider that the application has registered by then", async () => {
    await using to = await telemetry();
    const { stand, agent } = await agentOf({ middleware: [tracing()] });
    await using _ = stand;
    trace.setGlobalTracerProvider(to.tracerProvider);
    try {
      await agent.run("Go.");
    } finally {
      trace.disable();
    }
    const { spans } = await to.flush();
    expect(spans).toHaveLength(4);
  });

  it("and without the package, the first run says what to install", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-untraced-")));
    try {
      const core = dirname(dirname(fileURLToPath(import.meta.resolve("@toolwright/core"))));
      const installed = join(folder, "node_modules/@toolwright/core");
      mkdirSync(installed, { recursive: true });
      cpSync(join(core, "dist"), join(installed, "dist"), { recursive: true });
      cpSync(join(core, "package.json"), join(installed, "package.json"));
      symlinkSync(realpathSync(join(core, "node_modules/reflect-metadata")), join(folder, "node_modules/reflect-metadata"), "dir");
      writeFileSync(
        join(folder, "main.mjs"),
        `import { Agent } from "@toolwright/core";
         import { tracing } from "@toolwright/core/middleware";
         const model = { name: "none", respond: () => { throw new Error("asked"); } };
         const agent = new Agent({ model, middleware: [tracing()] });
         await agent.run("Go.").catch((error) => console.log(error.code, error.message));`,
      );
      const { stdout } = await promisify(execFile)(process.execPath, ["main.mjs"], { cwd: folder });
      expect(stdout).toContain("RUN_MISSING_PACKAGE tracing() needs the package @opentelemetry/api");
      expect(stdout).toContain("Fix: Run `npm install @opentelemetry/api`.");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([
    [{ tracerProvider: {} }, /`tracerProvider` must be a provider with the method getTracer; it is an object/],
    [{ meterProvider: 5 }, /`meterProvider` must be a provider with the method getMeter; it is 5/],
    [{ content: "yes" }, /`content` must be true or false; it is "yes"/],
    [{ attributes: { a: {} } }, /`attributes` must be an object of texts, numbers and booleans/],
  ])("wrong options are refused: %j", (options, message) => {
    expect(() => tracing(options as unknown as TracingOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });
});
