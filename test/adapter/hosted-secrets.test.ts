import { Agent, type AgentTool, defineMiddleware, handoff, memorySession, type Middleware, type ModelCall } from "@toolwright/core";
import { cache, logging, modelRetry, replay, toolSelection, tracing } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../sessions/support.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf, ways, runIn } from "../support/ways.js";

// Of no shape by which a key is known.
const secrets = {
  authorization: "kiwi-banana-1",
  header: "kiwi-banana-2",
  query: "kiwi-banana-3",
  user: "kiwi-banana-4",
  domain: "kiwi-banana-5",
  odd: "kiwi-banana-6",
};
const hosted = [
  {
    type: "mcp",
    server_label: "files",
    server_url: `https://mcp.example.com/sse?key=${secrets.query}`,
    authorization: secrets.authorization,
    headers: { "X-Key": secrets.header },
    require_approval: "always",
  },
  { type: "mcp", server_label: "other", server_url: `https://me:${secrets.user}@mcp.example.com/` },
  {
    type: "code_interpreter",
    container: {
      type: "auto",
      network_policy: {
        type: "allowlist",
        allowed_domains: ["example.com"],
        domain_secrets: [{ domain: "example.com", name: "KEY", value: secrets.domain }],
      },
    },
  },
] as const;
const odd = { type: "hologram", options: { apiKey: secrets.odd, depth: 3 } };

const expectNoSecret = (text: string): void => {
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
};

/** Everything that printing or writing shows of a value. */
const shown = (value: unknown): string =>
  [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value) ?? "", String(value)].join("\n");

describe("the secrets of hosted tools", () => {
  it("are sent", async () => {
    await using stand = await serve([reply.text("Hi."), reply.text("Ho.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [...hosted] });
    await ends(agent.run("Hi."));
    await ends(agent.run("Ho."));
    for (const { body } of stand.server.requests) expect(body.tools).toEqual(hosted);
  });

  it("of a type that is not known are found by their names", async () => {
    await using stand = await serve([reply.text("Hi.")], { checks: false });
    const seen: ModelCall[] = [];
    const look = defineMiddleware({ name: "look", wrapModelCall: (call, next) => (seen.push(call), next(call)) });
    await ends(new Agent({ model: "test", client: stand.client, tools: [odd], middleware: [look] }).run("Hi."));
    expect(stand.server.request(0).body.tools).toEqual([odd]);
    expectNoSecret(shown(seen));
    expect(shown(seen)).toContain("depth");
  });

  it.each(ways)("are in nothing that a run shows or keeps (%s)", async (way) => {
    const request = { type: "mcp_approval_request", id: "mcpr_1", server_label: "files", name: "read", arguments: "{}" };
    await using stand = await serve([reply.items([request]), reply.text("Read."), reply.http(500)]);
    const lines: unknown[] = [];
    const log = (fields: object, message?: string) => void lines.push(fields, message);
    const logger = { debug: log, info: log, warn: log, error: log };
    const calls: ModelCall[] = [];
    const look: Middleware = defineMiddleware({
      name: "look",
      wrapModelCall: (call, next) => (calls.push(call), next(call)),
    });
    const session = memorySession();
    const agent = new Agent({
      model: "test",
      client: stand.client,
      history: { kind: "local", session },
      tools: [...hosted, numberTool("look", () => 1)],
      middleware: [logging({ logger, content: true }), tracing({ content: true }), cache({ model: true, scope: "shared" }), look],
    });
    const paused = await ends(runIn(way, agent, "Read."));
    const result = await ends(agent.resume(JSON.stringify(paused.state), { decisions: [{ callId: "mcpr_1", approve: true }] }));
    const error = await failureOf(ends(runIn(way, agent, "Again.")));
    expect(calls).toHaveLength(3);
    const { events } = await collect(new Agent({ model: agentModel, tools: [...hosted, handoff(() => agent, { name: "go" })] }), "Hi.");
    const all = [
      agent,
      agent.explain(),
      String(agent.explain()),
      paused,
      paused.state,
      result,
      error,
      error.result,
      calls,
      lines,
      events,
      await session.load(),
    ];
    for (const each of all) expectNoSecret(shown(each));
    // What is there instead says what it is.
    expect(shown(calls[0])).toContain("[secret]");
  });

  it("are in no error, though the API says them again", async () => {
    const message = `The server refused ${secrets.authorization}, ${secrets.header} and https://mcp.example.com/sse?key=${secrets.query}.`;
    for (const failing of [
      reply.http(400, { message, code: "invalid_value" }),
      reply.http(424, { body: { error: { message, type: "external_connector_error", code: secrets.header } } }),
      reply.failed({ code: "server_error", message }),
      reply.error({ code: "server_error", message }),
    ]) {
      for (const way of ways) {
        await using stand = await serve([failing]);
        const lines: unknown[] = [];
        const log = (fields: object, text?: string) => void lines.push(fields, text);
        const middleware = [logging({ logger: { debug: log, info: log, warn: log, error: log } })];
        const agent = new Agent({ model: "test", client: stand.client, tools: [...hosted], middleware });
        const error = await failureOf(ends(runIn(way, agent, "Hi.")));
        expect(error.message).toContain("The server refused [secret], [secret] and [secret].");
        expectNoSecret(shown(error));
        expectNoSecret(shown(lines));
        expectNoSecret(shown({ cause: error.cause, stack: error.stack }));
      }
    }
  });

  it("are in no recording, which replays all the same", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "run.jsonl");
    const script = [reply.calls(callOf("look", "call_1", 1)), reply.text("Seen.")];
    const tools: AgentTool<unknown>[] = [...hosted, numberTool("look", () => 1)];
    {
      await using stand = await serve(script);
      await ends(new Agent({ model: "test", client: stand.client, tools, middleware: [replay({ file, mode: "record" })] }).run("Look."));
    }
    expectNoSecret(readFileSync(file, "utf8"));
    expect(readFileSync(file, "utf8")).toContain("[secret]");
    const again = new Agent({ model: agentModel, tools, middleware: [replay({ file, mode: "replay" })] });
    await expect(ends(again.run("Look."))).resolves.toMatchObject({ output: "Seen." });
  });

  it("reach the API through middlewares that change tools, and may be replaced by them", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Hi.")]);
    const perUser = defineMiddleware({
      name: "perUser",
      wrapModelCall(call, next) {
        const tools = call.request.tools.map((tool) =>
          tool["server_label" as keyof typeof tool] === "files" ? { ...tool, authorization: "of this user" } : tool,
        );
        return next({ ...call, request: { ...call.request, tools } });
      },
    });
    const tools = [...hosted, numberTool("look", () => 1)];
    const middleware = [modelRetry(), perUser, toolSelection({ names: ["look"] })];
    await ends(new Agent({ model: "test", client: stand.client, tools, middleware }).run("Hi."));
    for (const { body } of stand.server.requests) {
      expect(body.tools?.filter(({ type }) => type !== "function")).toEqual([
        { ...hosted[0], authorization: "of this user" },
        hosted[1],
        hosted[2],
      ]);
    }
  });

  it("that a middleware has lost are missed before the request, in words", async () => {
    await using stand = await serve([]);
    const clones = defineMiddleware({
      name: "clones",
      wrapModelCall: (call, next) => next({ ...call, request: { ...call.request, tools: structuredClone(call.request.tools) } }),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [...hosted], middleware: [clones] });
    const error = await failureOf(ends(agent.run("Hi.")));
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining("without its secrets") });
    expect(stand.server.requests).toHaveLength(0);
  });
});

const agentModel = {
  name: "test",
  respond: async () => ({
    id: "resp_1",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] }],
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 },
  }),
};
