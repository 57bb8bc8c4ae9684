import { Agent, type AgentOptions } from "@toolwright/core";
import { cache, modelRetry, outputGuard, type OutputGuardOptions } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { collect, failureOf, histories, runIn, ways, waysAndHistories } from "../support/ways.js";

const agentOf = (stand: Stand, options: OutputGuardOptions, more: Omit<Partial<AgentOptions>, "output"> = {}): Agent =>
  new Agent({ model: "test", client: stand.client, middleware: [modelRetry({ minDelayMs: 1 }), outputGuard(options)], ...more });

const noPrices: OutputGuardOptions["check"] = (text) => (text.includes("€") ? { block: "no prices." } : { pass: true });

describe("outputGuard", () => {
  it.each(ways)("blocks an answer, which is then in no history: %s", async (way) => {
    await using stand = await serve([reply.text("It costs 5 €."), reply.text("I cannot tell.")]);
    const agent = agentOf(stand, { name: "prices", check: noPrices });
    const error = await failureOf(runIn(way, agent, "How much?"));
    expect(error).toMatchObject({ code: "RUN_BLOCKED", details: { guard: "prices", reason: "no prices." } });
    expect(error.result.usage.requests).toBe(1);
    expect(error.result.usage.outputTokens).toBeGreaterThan(0);
    expect(JSON.stringify(error.result)).not.toContain("5 €");
    expect(await runIn(way, agent, "How much?", { history: error.result.history })).toMatchObject({ output: "I cannot tell." });
  });

  it.each(waysAndHistories)("refuses, and the history that goes on holds the refusal: $way, $kind", async ({ way, history }) => {
    await using stand = await serve(
      [
        reply.output(
          reply.reasoning({ encryptedContent: "sealed" }),
          reply.text("Let me see.", { phase: "commentary" }),
          reply.text("5 €.", { phase: "final_answer" }),
        ),
        reply.text("Fine."),
      ],
      { verifyEncryptedContent: false },
    );
    const agent = agentOf(stand, { check: noPrices, onBlock: "refuse" }, { history });
    const refused = await runIn(way, agent, "How much?");
    expect(refused).toMatchObject({ stopReason: "refused", refusal: "no prices." });
    expect(JSON.stringify(refused.items)).not.toContain("5 €");
    expect(await runIn(way, agent, "And now?", { history: refused.history })).toMatchObject({ output: "Fine." });
    if (history.kind === "local") expect(JSON.stringify(inputOf(stand.server.request(1)))).toContain("no prices.");
  });

  it.each(histories)("changes the answer, in the result and in the history: $kind", async (history) => {
    await using stand = await serve([reply.text("5 € each."), reply.text("Fine.")]);
    const agent = agentOf(stand, { check: async (text) => ({ rewrite: text.replace("5 €", "[price]") }) }, { history });
    const result = await agent.run("How much?");
    expect(result.output).toBe("[price] each.");
    expect(JSON.stringify(result.items)).toContain("[price]");
    await agent.run("And now?", { history: result.history });
    if (history.kind === "local") expect(JSON.stringify(localItems(result.history))).not.toContain("5 €");
  });

  it("tells the consumer of a stream that what it saw is void", async () => {
    await using stand = await serve([reply.text("5 €.")]);
    const { events, result } = await collect(agentOf(stand, { check: () => ({ rewrite: "No price." }) }), "How much?");
    const told = events.map((event) => event.type).filter((type) => type === "text-delta" || type === "step-restart");
    expect(told.at(-1)).toBe("step-restart");
    expect(told).toContain("text-delta");
    expect(result.output).toBe("No price.");
    await using passing = await serve([reply.text("Fine.")]);
    const passed = await collect(agentOf(passing, { check: noPrices }), "How much?");
    expect(passed.events.map(({ type }) => type)).not.toContain("step-restart");
  });

  it("looks at answers alone: not at text beside calls, nor at a refusal", async () => {
    await using stand = await serve([
      reply.output(reply.text("It may cost 5 €."), reply.calls(callOf("look", "call_1", 1))),
      reply.text("Cheap."),
      reply.refusal("No 5 €."),
    ]);
    const seen: string[] = [];
    const agent = agentOf(stand, { check: (text) => (seen.push(text), { pass: true }) }, { tools: [numberTool("look", () => "5 €")] });
    await agent.run("How much?");
    expect(await agent.run("How much?")).toMatchObject({ stopReason: "refused", refusal: "No 5 €." });
    expect(seen).toEqual(["Cheap."]);
  });

  it("lets nothing pass when it fails, and ends with the run", async () => {
    await using stand = await serve(() => reply.text("Fine."));
    const options: OutputGuardOptions = { check: () => forever(), timeoutMs: 20, onWarn: () => {} };
    expect(await failureOf(ends(agentOf(stand, options).run("Hello?")))).toMatchObject({ code: "RUN_BLOCKED" });
    expect(await ends(agentOf(stand, { ...options, onError: "pass" }).run("Hello?"))).toMatchObject({ output: "Fine." });
    const controller = new AbortController();
    const aborting: OutputGuardOptions = { check: () => (controller.abort(), forever()) };
    expect(await failureOf(ends(agentOf(stand, aborting).run("Hello?", { signal: controller.signal })))).toMatchObject({
      code: "RUN_ABORTED",
    });
  });

  it("judges what a layer inside it answered, too", async () => {
    await using stand = await serve([reply.text("5 €.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      middleware: [outputGuard({ check: noPrices }), cache({ model: true })],
    });
    expect(await failureOf(agent.run("How much?"))).toMatchObject({ code: "RUN_BLOCKED" });
    expect(await failureOf(agent.run("How much?"))).toMatchObject({ code: "RUN_BLOCKED" });
  });
});
