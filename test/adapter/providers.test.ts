import { Agent, defineTool, type HistoryOption, type Provider } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { OpenAI } from "openai";
import { describe, expect, it } from "vitest";

const now = defineTool({
  name: "now",
  description: "The present time.",
  effect: "read",
  parameters: { type: "object", properties: {} },
  execute: () => "12:00",
});

async function ask(provider: Provider, options: { history?: HistoryOption; hosted?: string } = {}) {
  await using server = await startResponsesServer([reply.output(reply.reasoning(), reply.calls({ name: "now" })), reply.text("Noon.")], {
    checks: false,
  });
  const agent = new Agent({
    model: "test",
    provider,
    client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
    tools: [now, ...(options.hosted === undefined ? [] : [{ type: options.hosted }])],
    ...(options.history !== undefined && { history: options.history }),
  });
  const ended = await agent.run("What time is it?").then(
    ({ stopReason }) => stopReason,
    (error: unknown) => error,
  );
  return { ended, bodies: server.requests.map(({ body }) => body) };
}

describe("what a provider is known to refuse is refused before it is sent", () => {
  const stateless: readonly Provider[] = ["ollama", "vllm", "openrouter", "lmstudio", "llamacpp"];
  for (const provider of stateless) {
    it(`${provider}: history kept by the server`, async () => {
      for (const history of [{ kind: "chained" }, { kind: "conversation", id: "conv_1" }] as const) {
        const { ended, bodies } = await ask(provider, { history });
        expect(ended).toMatchObject({ code: "MODEL_UNSUPPORTED", details: { provider }, retryable: false });
        expect(String((ended as Error).message)).toMatch(new RegExp(`"${provider}".*${history.kind}[^]*Fix: `));
        expect(bodies).toEqual([]);
      }
    });
  }

  it("tools of types that the server does not know", async () => {
    for (const provider of ["ollama", "openrouter", "lmstudio", "llamacpp"] as const) {
      const { ended, bodies } = await ask(provider, { hosted: "web_search" });
      expect(ended).toMatchObject({ code: "MODEL_UNSUPPORTED" });
      expect(bodies).toEqual([]);
    }
    for (const hosted of ["web_search", "image_generation", "tool_search"]) {
      expect((await ask("vllm", { hosted })).ended).toMatchObject({ code: "MODEL_UNSUPPORTED", details: { provider: "vllm" } });
    }
    // It can be started with a server for these.
    for (const hosted of ["mcp", "code_interpreter", "web_search_preview"]) expect((await ask("vllm", { hosted })).ended).toBe("completed");
    expect((await ask("openai", { hosted: "web_search" })).ended).toBe("completed");
    expect((await ask("lmstudio", { hosted: "mcp" })).bodies).toHaveLength(2);
  });
});

describe("reasoning goes back as the provider takes it", () => {
  it("is asked for in encrypted form where that is known", async () => {
    for (const [provider, include] of [
      ["openai", ["reasoning.encrypted_content"]],
      ["azure", ["reasoning.encrypted_content"]],
      ["ollama", undefined],
      ["vllm", undefined],
    ] as const) {
      const { bodies } = await ask(provider);
      expect(bodies[0]?.["include"]).toEqual(include);
    }
  });

  it("is left out when it is empty and the server refuses empty reasoning", async () => {
    const types = (body: Record<string, unknown> | undefined): unknown =>
      ((body?.["input"] ?? []) as { type: string }[]).map(({ type }) => type);
    expect(types((await ask("llamacpp")).bodies[1])).toEqual(["message", "function_call", "function_call_output"]);
    expect(types((await ask("ollama")).bodies[1])).toEqual(["message", "reasoning", "function_call", "function_call_output"]);
  });
});

describe("the options of the adapter", () => {
  it("are checked when the agent is made, quoting the bad value", () => {
    expect(() => new Agent({ model: "test", provider: "acme" as Provider })).toThrow(/`provider` is "acme"[^]*ollama/);
    expect(() => new Agent({ model: "test", streamIdleMs: 0 })).toThrow(/`streamIdleMs` is 0/);
    expect(() => new Agent({ model: "test", transport: "ws" as "sse" })).toThrow(/`transport` is "ws"/);
  });
});
