import { Agent, defineTool, isFunctionCallOutput, type Item, type RunState, ToolError } from "@toolwright/core";
import { loopGuard, toolErrors, toolRetry, untrusted } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { failureOf } from "../support/ways.js";

const nudge = /^\[You have made this very call 3 times, and it came to the same each time\./;

/** Replies with these calls, one a step, by tool and number. */
const script = (...steps: readonly (readonly [tool: string, n: number])[][]) =>
  steps.map((calls, step) => reply.calls(...calls.map(([tool, n], index) => callOf(tool, `call_${step}_${index}`, n))));

const textsOf = (items: readonly Item[]): readonly string[] => items.filter(isFunctionCallOutput).map(({ output }) => String(output));

/** A guarded agent whose tools are called as the script says, and count how often they ran. */
function guarded(stand: Stand, execute: (n: number) => unknown = () => "the same", options: Parameters<typeof loopGuard>[0] = {}) {
  const ran: string[] = [];
  const tool = (name: string, effect: "read" | "write") => numberTool(name, (n) => (ran.push(`${name} ${n}`), execute(n)), { effect });
  const tools = [tool("look", "read"), tool("peek", "read"), tool("change", "write")];
  return { ran, agent: new Agent({ model: "test", client: stand.client, tools, middleware: [loopGuard(options), toolErrors()] }) };
}

describe("loopGuard", () => {
  it("tells the model at the third equal outcome of a call, and ends the run before the fourth runs", async () => {
    await using stand = await serve(script(...Array.from({ length: 4 }, () => [["look", 1] as const])));
    const { agent, ran } = guarded(stand);
    const error = await failureOf(agent.run("Look."));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "loop", limit: 3 } });
    expect(error.message).toContain("The model called look again with the same arguments");
    expect(ran).toHaveLength(3);
    const texts = textsOf(error.result.items);
    expect(texts.slice(0, 2)).toEqual(["the same", "the same"]);
    expect(texts[2]).toMatch(nudge);
    expect(texts[2]).toMatch(/\nthe same$/);
    expect(errorIn(texts[3])).toMatchObject({ code: "TOOL_SKIPPED" });
    stand.server.assertDone();
  });

  it("resolves with the reason when asked to stop", async () => {
    await using stand = await serve(script(...Array.from({ length: 3 }, () => [["look", 1] as const])));
    const { agent } = guarded(stand, undefined, { onLoop: "stop", repeats: 2 });
    const result = await agent.run("Look.");
    expect(result).toMatchObject({ stopReason: "budget", reason: expect.stringContaining("repeats itself") });
    stand.server.assertDone();
  });

  it("lets a model that heeds the sentence go on", async () => {
    await using stand = await serve([...script([["look", 1]], [["look", 1]], [["look", 1]], [["peek", 1]]), reply.text("Seen.")]);
    const { agent, ran } = guarded(stand);
    expect(await agent.run("Look.")).toMatchObject({ output: "Seen." });
    expect(ran).toEqual(["look 1", "look 1", "look 1", "peek 1"]);
  });

  it("takes other arguments, and other outcomes, for something new", async () => {
    let count = 0;
    const steps = Array.from({ length: 6 }, (_, step) => [["look", step % 2 === 0 ? 1 : step] as const]);
    await using stand = await serve([...script(...steps), reply.text("Done.")]);
    const { agent, ran } = guarded(stand, (n) => (n === 1 ? `at ${(count += 1)}` : n));
    expect(await agent.run("Look.")).toMatchObject({ output: "Done." });
    expect(ran).toHaveLength(6);
  });

  it("does not care for the order of keys", async () => {
    const keys = [`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{ "a": 1, "b": 2 }`, `{"b":2, "a":1}`];
    await using stand = await serve(keys.map((text, index) => reply.calls({ callId: `call_${index}`, name: "add", arguments: text })));
    const parameters = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] } as const;
    const add = defineTool({ name: "add", description: "Adds.", effect: "read", parameters, execute: () => 3 });
    const agent = new Agent({ model: "test", client: stand.client, tools: [add], middleware: [loopGuard()] });
    await expect(agent.run("Add.")).rejects.toMatchObject({ code: "RUN_BUDGET" });
    stand.server.assertDone();
  });

  it("sees two calls that are made in turn, and the same failure though its reference is new each time", async () => {
    const turns = Array.from({ length: 7 }, (_, step) => [[step % 2 === 0 ? "look" : "peek", 1] as const]);
    await using stand = await serve(script(...turns));
    const { agent, ran } = guarded(stand, () => {
      throw new Error("broken");
    });
    await expect(agent.run("Look.")).rejects.toMatchObject({ code: "RUN_BUDGET", details: { budget: "loop" } });
    expect(ran.filter((call) => call === "look 1")).toHaveLength(3);
  });

  it("tells failures with other words apart", async () => {
    let count = 0;
    await using stand = await serve([...script(...Array.from({ length: 5 }, () => [["look", 1] as const])), reply.text("Enough.")]);
    const { agent } = guarded(stand, () => {
      throw new ToolError({ code: "BUSY", message: `Busy: ${(count += 1)} before you.`, retryable: false });
    });
    expect(await agent.run("Look.")).toMatchObject({ output: "Enough." });
  });

  it("starts anew after a write with a new outcome, since reads may differ then", async () => {
    const steps: (readonly [string, number])[][] = [1, 2, 3, 4, 5].flatMap((n) => [[["look", 1] as const], [["change", n] as const]]);
    await using stand = await serve([...script(...steps), reply.text("Done.")]);
    const { agent } = guarded(stand);
    expect(await agent.run("Go.")).toMatchObject({ output: "Done." });
  });

  it("is not led on by two writes that undo each other", async () => {
    const steps = Array.from({ length: 8 }, (_, step) => [["change", step % 2] as const]);
    await using stand = await serve(script(...steps));
    const { agent } = guarded(stand);
    await expect(agent.run("Go.")).rejects.toMatchObject({ code: "RUN_BUDGET", details: { budget: "loop" } });
  });

  it("counts equal calls of one reply, but ends no run for what the model could not have read yet", async () => {
    const four = [
      ["look", 1],
      ["look", 1],
      ["look", 1],
      ["look", 1],
    ] as const;
    await using stand = await serve([...script([...four]), reply.text("I see.")]);
    const { agent, ran } = guarded(stand);
    const result = await agent.run("Look.");
    expect(result).toMatchObject({ output: "I see." });
    expect(ran).toHaveLength(4);
    expect(textsOf(result.items).filter((text) => nudge.test(text))).toHaveLength(1);
  });

  it("ends the run when the next reply goes on, and lets its other calls finish", async () => {
    await using stand = await serve(
      script(
        [
          ["look", 1],
          ["look", 1],
          ["look", 1],
        ],
        [
          ["look", 1],
          ["peek", 2],
        ],
      ),
    );
    const { agent, ran } = guarded(stand);
    const error = await failureOf(agent.run("Look."));
    expect(error.code).toBe("RUN_BUDGET");
    expect(ran).toEqual(["look 1", "look 1", "look 1", "peek 2"]);
    expect(error.result.steps[1]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["skipped", "ok"]);
  });

  it("tells of three invalid calls in a row, whatever they are, and ends the run at the next", async () => {
    const bad = (step: number, name: string, text: string) => reply.calls({ callId: `call_${step}`, name, arguments: text });
    await using stand = await serve([bad(0, "look", "{"), bad(1, "nothing", "{}"), bad(2, "look", '{"n":"x"}'), bad(3, "peek", "[]")]);
    const { agent, ran } = guarded(stand);
    const error = await failureOf(agent.run("Look."));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "loop", limit: 3 } });
    expect(ran).toEqual([]);
    const texts = textsOf(error.result.items);
    expect(texts[2]).toMatch(/^\[Your last 3 calls were invalid\./);
    expect(errorIn(texts[2]?.split("\n")[1])).toMatchObject({ code: "TOOL_ARGUMENTS_INVALID" });
    stand.server.assertDone();
  });

  it("forgets invalid calls at a valid one", async () => {
    const steps = Array.from({ length: 8 }, (_, step) =>
      reply.calls({ callId: `call_${step}`, name: "look", arguments: step % 3 === 2 ? { n: step } : `{"n":${step}` }),
    );
    await using stand = await serve([...steps, reply.text("Done.")]);
    const { agent } = guarded(stand);
    expect(await agent.run("Look.")).toMatchObject({ output: "Done." });
  });

  it("leaves tools alone that are meant to be asked again and again", async () => {
    await using stand = await serve([...script(...Array.from({ length: 6 }, () => [["look", 1] as const])), reply.text("Ready.")]);
    const { agent } = guarded(stand, undefined, { ignore: ["look"] });
    expect(await agent.run("Wait for it.")).toMatchObject({ output: "Ready." });
  });

  it("does not take the attempts of one call for calls, wherever it is put in the list", async () => {
    await using stand = await serve([...script([["look", 1]]), reply.text("Not there.")]);
    let attempts = 0;
    const look = numberTool("look", () => {
      attempts += 1;
      throw new Error("flaky");
    });
    const middleware = [toolRetry({ attempts: 4, minDelayMs: 1 }), loopGuard({ repeats: 2 })];
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware });
    const result = await agent.run("Look.");
    expect(attempts).toBe(4);
    expect(textsOf(result.items).some((text) => text.startsWith("[You have"))).toBe(false);
  });

  it("tells the model outside of fences and of formatted failures", async () => {
    await using stand = await serve(script(...Array.from({ length: 4 }, () => [["look", 1] as const])));
    const look = numberTool("look", () => {
      throw new ToolError({ code: "GONE", message: "It is gone.", retryable: false });
    });
    const middleware = [untrusted(), toolErrors({ format: () => "no luck" }), loopGuard()];
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware });
    const error = await failureOf(agent.run("Look."));
    const [, , third = ""] = textsOf(error.result.items);
    expect(third).toMatch(nudge);
    expect(third.indexOf("<untrusted-data")).toBeGreaterThan(0);
    expect(third).toContain("no luck");
    // What it threw is still there for logs.
    expect(error.result.steps[2]?.calls[0]?.outcome).toMatchObject({ kind: "failed", cause: expect.any(ToolError) });
  });

  it("leaves a repeated output out where it would not fit beside the sentence", async () => {
    await using stand = await serve(script(...Array.from({ length: 4 }, () => [["look", 1] as const])));
    const look = numberTool("look", () => "x".repeat(1_000));
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware: [loopGuard()], maxOutputChars: 1_000 });
    const error = await failureOf(agent.run("Look."));
    expect(textsOf(error.result.items)[2]).toMatch(/\n\[The output is the same as before and left out here\.\]$/);
  });

  it("goes on counting after a pause, in another process", async () => {
    await using stand = await serve(
      script(
        [["look", 1]],
        [
          ["look", 1],
          ["pay", 1],
        ],
        [["look", 1]],
        [["look", 1]],
      ),
    );
    const make = () =>
      new Agent({
        model: "test",
        client: stand.client,
        tools: [numberTool("look", () => "the same"), numberTool("pay", () => "paid", { effect: "write", approval: true })],
        middleware: [loopGuard()],
      });
    const paused = await make().run("Look.");
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    // Neither arguments nor outputs are in it.
    expect(JSON.stringify(state.middleware)).not.toContain("the same");
    const error = await failureOf(make().resume(state, { decisions: [{ callId: "call_1_1", approve: false }] }));
    expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "loop" } });
    const texts = new Map(outputsIn(error.result.items));
    expect(texts.get("call_2_0")).toMatch(nudge);
    stand.server.assertDone();
  });

  it("knows each run by itself, and remembers no more than the last calls", async () => {
    const circle = Array.from({ length: 65 }, (_, n) => [["look", n] as const]);
    await using stand = await serve([...script(...circle, ...circle, ...circle, ...circle), reply.text("Round.")]);
    const ran: number[] = [];
    const look = numberTool("look", (n) => (ran.push(n), "the same"));
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware: [loopGuard()], maxSteps: 300 });
    expect(await agent.run("Look.")).toMatchObject({ output: "Round." });
    expect(ran).toHaveLength(260);
  });

  it.each([
    [{ repeats: 1 }, /`repeats` must be a whole number from 2; it is 1/],
    [{ invalid: 0 }, /`invalid` must be a positive integer; it is 0/],
    [{ onLoop: "answer" }, /`onLoop` must be one of "throw", "stop"; it is "answer"/],
    [{ repeat: 3 }, /loopGuard\(\) has no option "repeat"/],
  ])("refuses %j", (options, message) => {
    expect(() => loopGuard(options as object)).toThrow(message);
  });
});
