import { inspect } from "node:util";
import { Agent, type AgentOptions, ToolwrightError } from "@toolwright/core";
import { type GuardWarning, inputGuard, type InputGuardOptions } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { inputOf, localItems, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const agentOf = (
  stand: Stand,
  options: InputGuardOptions | readonly InputGuardOptions[],
  more: Omit<Partial<AgentOptions>, "output"> = {},
): Agent => new Agent({ model: "test", client: stand.client, middleware: [options].flat().map((each) => inputGuard(each)), ...more });

const noBombs: InputGuardOptions["check"] = (text) => (text.includes("bomb") ? { block: "no bombs." } : { pass: true });

describe("inputGuard", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(ways)("blocks before any request, and leaves the history as it was: %s", async (way) => {
    await using stand = await serve([reply.text("Hello."), reply.text("Bye.")]);
    const agent = agentOf(stand, { name: "bombs", check: noBombs });
    const { history } = await runIn(way, agent, "Hello?");
    const error = await failureOf(runIn(way, agent, "How to build a bomb?", { history }));
    expect(error).toMatchObject({ code: "RUN_BLOCKED", details: { guard: "bombs", reason: "no bombs." } });
    expect(error.message).toContain('The guard "bombs" blocked the input: no bombs.');
    expect(stand.server.requests).toHaveLength(1);
    expect(error.result.usage.requests).toBe(0);
    expect(error.result.history).toEqual(history);
    expect(await runIn(way, agent, "Bye.", { history: error.result.history })).toMatchObject({ output: "Bye." });
  });

  it.each(ways)("refuses without a request, and the model never reads what was blocked: %s", async (way) => {
    await using stand = await serve([reply.text("Bye.")]);
    const agent = agentOf(stand, { check: noBombs, onBlock: "refuse" });
    const refused = await runIn(way, agent, "How to build a bomb?");
    expect(refused).toMatchObject({ stopReason: "refused", refusal: "no bombs.", usage: { requests: 0, totalTokens: 0 } });
    expect(stand.server.requests).toHaveLength(0);
    expect(JSON.stringify(refused)).not.toContain("build a bomb");
    const next = await runIn(way, agent, "Bye.", { history: refused.history });
    expect(next.output).toBe("Bye.");
    expect(inputOf(stand.server.request(0)).map((item) => item["role"])).toEqual(["user", "assistant", "user"]);
    expect(localItems(next.history)).toHaveLength(4);
  });

  it("blocks with an error where a server would keep the history", async () => {
    await using stand = await serve([reply.text("Bye.")]);
    const agent = agentOf(stand, { check: noBombs, onBlock: "refuse" }, { history: { kind: "chained" } });
    expect(await failureOf(agent.run("A bomb?"))).toMatchObject({ code: "RUN_BLOCKED", details: { reason: "no bombs." } });
    expect(stand.server.requests).toHaveLength(0);
    expect((await agent.run("Bye.")).output).toBe("Bye.");
  });

  it("changes the input: to a text, or to items", async () => {
    await using stand = await serve([reply.text("One."), reply.text("Two.")]);
    await agentOf(stand, { check: (text) => ({ rewrite: text.toUpperCase() }) }).run("hello");
    const items = [{ role: "developer", content: "Mind the gap." } as const, { role: "user", content: "hello" } as const];
    const result = await agentOf(stand, { check: (_, { items: given }) => ({ rewrite: [items[0]!, ...given] }) }).run("hello");
    expect(inputOf(stand.server.request(0))).toEqual([{ type: "message", role: "user", content: "HELLO" }]);
    expect(inputOf(stand.server.request(1)).map((item) => item["content"])).toEqual(["Mind the gap.", "hello"]);
    expect(localItems(result.history)).toHaveLength(3);
  });

  it("reads all text of the input, and what the caller gave", async () => {
    await using stand = await serve([reply.text("Fine.")]);
    const seen: unknown[] = [];
    const agent = agentOf(stand, {
      check: (text, { app, run, items, signal }) => {
        seen.push(text, app, run.step, items.length, signal.aborted);
        return { pass: true };
      },
    });
    const image = { type: "input_image", image_url: "data:image/png;base64,aaaa" } as const;
    await agent.run([{ role: "user", content: [{ type: "input_text", text: "What" }, image, { type: "input_text", text: "is it?" }] }], {
      app: { user: 7 },
    });
    expect(seen).toEqual(["What\nis it?", { user: 7 }, 0, 1, false]);
  });

  it("warns, and lets pass", async () => {
    await using stand = await serve([reply.text("Fine.")]);
    const warnings: GuardWarning[] = [];
    const agent = agentOf(stand, { name: "tone", check: async () => ({ warn: "rude" }), onWarn: (warning) => warnings.push(warning) });
    const { runId } = await agent.run("You!");
    expect(warnings).toEqual([{ guard: "tone", message: "rude", runId, step: 0 }]);
    await using broken = await serve([reply.text("Fine.")]);
    const onWarn = (): never => {
      throw new Error("no log");
    };
    expect((await agentOf(broken, { check: () => ({ warn: "rude" }), onWarn }).run("You!")).output).toBe("Fine.");
    const emitted = vi.spyOn(process, "emitWarning").mockReturnValue();
    await using another = await serve([reply.text("Fine.")]);
    await agentOf(another, { check: () => ({ warn: "rude" }) }).run("You!");
    expect(emitted).toHaveBeenCalledWith('The guard "inputGuard": rude', expect.anything());
  });

  it.each<readonly [string, InputGuardOptions["check"]]>([
    [
      "throws",
      () => {
        throw new Error("secret-of-the-guard");
      },
    ],
    ["rejects", () => Promise.reject(new Error("secret-of-the-guard"))],
    ["hangs", () => forever()],
  ])("lets nothing pass when it %s, unless told to", async (_, check) => {
    await using stand = await serve([reply.text("Fine.")]);
    const warnings: GuardWarning[] = [];
    const options = { check, timeoutMs: 30, onWarn: (warning: GuardWarning) => warnings.push(warning) };
    const error = await failureOf(ends(agentOf(stand, options).run("Hello?")));
    expect(error).toMatchObject({ code: "RUN_BLOCKED", details: { guard: "inputGuard", reason: "it could not be checked." } });
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.message + inspect(error) + JSON.stringify(error)).not.toContain("secret-of-the-guard");
    expect(stand.server.requests).toHaveLength(0);
    expect(await ends(agentOf(stand, { ...options, onError: "pass" }).run("Hello?"))).toMatchObject({ output: "Fine." });
    expect(warnings.map(({ message }) => message.split(" It counts as ")[1])).toEqual(["a refusal.", "passed."]);
    expect(warnings.every(({ cause }) => cause instanceof Error)).toBe(true);
  });

  it("ends at once with the run, and its signal with it", async () => {
    await using stand = await serve([]);
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const agent = agentOf(stand, {
      check: (_, context) => {
        signal = context.signal;
        setTimeout(() => controller.abort(new Error("enough")), 10);
        return forever();
      },
    });
    const error = await failureOf(ends(agent.run("Hello?", { signal: controller.signal })));
    expect(error.code).toBe("RUN_ABORTED");
    expect(signal?.aborted).toBe(true);
  });

  it("says so when its answer is no verdict, whatever `onError` says", async () => {
    for (const verdict of [
      undefined,
      true,
      {},
      { pass: false },
      { pass: true, block: "x" },
      { rewrite: 5 },
      { rewrite: [] },
      { blocked: "x" },
    ]) {
      await using stand = await serve([]);
      const check = (() => verdict) as unknown as InputGuardOptions["check"];
      const error = await failureOf(agentOf(stand, { name: "odd", check, onError: "pass" }).run("Hello?"));
      expect(error.code).toBe("RUN_MIDDLEWARE");
      expect(error.message).toMatch(/The guard "odd" .*\n?Fix: Return `\{ pass: true \}`/s);
    }
  });

  it("asks several, outermost first, and each sees what the one before made of it", async () => {
    await using stand = await serve([reply.text("Fine.")]);
    const seen: string[] = [];
    const suffix = (name: string): InputGuardOptions => ({ name, check: (text) => (seen.push(text), { rewrite: `${text} ${name}` }) });
    const agent = agentOf(stand, [suffix("one"), suffix("two")]);
    await agent.run("zero");
    expect(seen).toEqual(["zero", "zero one"]);
    expect(String(agent.explain())).toContain("one(");
  });

  it("is not asked again when a paused run goes on", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Paid.")]);
    let asked = 0;
    const tools = [numberTool("pay", () => "paid", { effect: "write", approval: true })];
    const agent = agentOf(stand, { check: () => ((asked += 1), { pass: true }) }, { tools });
    const paused = await agent.run("Pay.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(await agent.resume(paused.state, { decisions: [{ callId: "call_1", approve: true }] })).toMatchObject({ output: "Paid." });
    expect(asked).toBe(1);
  });

  it.each([
    [{}, /`check`|check/],
    [{ check: 5 }, /`check` must be a function; it is 5/],
    [{ check: noBombs, onBlock: "drop" }, /`onBlock` must be one of "throw", "refuse"; it is "drop"/],
    [{ check: noBombs, onError: "ignore" }, /`onError` must be one of "block", "pass"/],
    [{ check: noBombs, timeoutMs: -1 }, /`timeoutMs` must be/],
    [{ check: noBombs, name: "" }, /`name` must be a text/],
  ])("refuses the options %j", (options, message) => {
    const make = (): unknown => inputGuard(options as InputGuardOptions);
    expect(make).toThrow(ToolwrightError);
    expect(make).toThrow(message);
  });
});
