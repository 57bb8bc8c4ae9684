import { inspect } from "node:util";
import { Agent, defineTool, openaiModel, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { serve, type Stand } from "../support/serve.js";
import { failureOf, ways } from "../support/ways.js";

const key = "sk-planted-0123456789abcdef";
const header = "tenant-credential-77";
const conversation = /the colour is teal|call_guarded|Earlier words/;

const guarded = defineTool({
  name: "guarded",
  description: "Paints a thing.",
  effect: "write",
  approval: true,
  parameters: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
  execute: ({ colour }) => `painted ${String(colour)}`,
});
const history = { kind: "local", items: [{ type: "message", role: "user", content: "Earlier words." }] } as const;

function agentFor(stand: Stand): Agent {
  const client = new OpenAI({ baseURL: stand.server.url, apiKey: key, defaultHeaders: { "x-tenant": header } });
  return new Agent({ model: "test", client, instructions: "the colour is teal", tools: [guarded], history });
}

/** All that someone may see of an object who prints it or sends it on. */
const shown = (value: unknown): string =>
  [
    inspect(value, { depth: 10 }),
    inspect({ nested: [value] }, { depth: 10 }),
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: 10, showHidden: true }),
  ].join("\n");
const printed = (value: unknown): string => [inspect(value, { depth: 10 }), inspect([value], { depth: 10 }), String(value)].join("\n");

describe("X14: printing shows neither key nor headers nor history", () => {
  it("of an agent, before and after its runs, and of its model", async () => {
    await using stand = await serve([reply.text("Done.")]);
    const agent = agentFor(stand);
    const before = shown(agent);
    await agent.run("Go.");
    for (const text of [before, shown(agent), String(agent.explain()), shown(openaiModel("test", { client: stand.client }))]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(header);
      expect(text).not.toMatch(conversation);
    }
    expect(JSON.parse(JSON.stringify(agent))).toEqual({ model: "test", tools: ["guarded"], middleware: [] });
    expect(inspect(agent)).toBe("Agent { model: 'test', tools: [ 'guarded' ], middleware: [] }");
    // Both were really sent.
    expect(stand.server.request(0).headers["authorization"]).toBe(`Bearer ${key}`);
    expect(stand.server.request(0).headers["x-tenant"]).toBe(header);
  });

  it.each([
    [
      "a refused key that the server repeats",
      reply.http(401, { code: "invalid_api_key", message: `Incorrect API key provided: ${key}.` }),
      "MODEL_AUTHENTICATION",
    ],
    ["a token that the server repeats", reply.http(403, { message: `Denied for Bearer ${header}` }), "MODEL_AUTHENTICATION"],
    ["a bad request", reply.http(400, { message: "No." }), "MODEL_BAD_REQUEST"],
    ["a broken connection", reply.cut({ afterEvents: 0 }), "MODEL_CONNECTION"],
  ])("of the error of %s", async (_, answer, code) => {
    for (const way of ways) {
      await using stand = await serve([answer]);
      const agent = agentFor(stand);
      const error = await failureOf(way === "run" ? agent.run("Go.") : agent.stream("Go.").result);
      expect(error.code).toBe(code);
      for (const text of [shown(error), error.stack ?? "", printed(error.result)]) {
        expect(text).not.toContain(key);
        expect(text).not.toContain(header);
        expect(text).not.toMatch(conversation);
      }
      // The client's own error, which does hold headers, is there for code.
      expect(error.cause).toBeInstanceOf(Error);
      expect(error.message).toContain("\nFix: ");
    }
  });

  it("of a result and a state; as JSON they have the conversation, and go on from there with another client", async () => {
    await using stand = await serve([
      reply.calls({ callId: "call_guarded", name: "guarded", arguments: { colour: "teal" } }),
      reply.text("Done."),
    ]);
    const paused = await agentFor(stand).run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(printed(paused)).not.toMatch(conversation);
    const text = JSON.stringify(paused.state);
    for (const each of [text, JSON.stringify(paused), printed(paused)]) {
      expect(each).not.toContain(key);
      expect(each).not.toContain(header);
    }
    expect(JSON.parse(text)).toEqual(structuredClone(paused.state) satisfies RunState);
    const resumed = await agentFor(stand).resume(text, { decisions: [{ callId: "call_guarded", approve: true }] });
    expect(resumed.stopReason).toBe("completed");
    expect(printed(resumed)).not.toMatch(conversation);
    expect(JSON.stringify(resumed)).not.toContain(key);
  });
});
