import { Agent, type ToolLog } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep, until } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

/** A log, and what was written to it. */
function logged(): { readonly log: ToolLog; readonly lines: readonly (readonly [level: string, fields: object, message: string])[] } {
  const lines: (readonly [string, object, string])[] = [];
  const at =
    (level: string) =>
    (fields: object, message = "") =>
      void lines.push([level, fields, message]);
  return { log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }, lines };
}

describe.each(ways)("M06: a time limit reaches the tool (%s)", (way) => {
  it.each([
    ["read", "failed"],
    ["write", "unknown"],
  ] as const)("the signal of a %s is aborted, its reason says why, and what it would have done is not done", async (effect, kind) => {
    await using stand = await serve([reply.calls(callOf("mark", "call_1", 1)), reply.text("Done.")]);
    let marks = 0;
    const told = Promise.withResolvers<AbortSignal>();
    const mark = numberTool(
      "mark",
      async (_, { signal }) => {
        signal.addEventListener("abort", () => told.resolve(signal));
        await sleep(400);
        if (!signal.aborted) marks += 1;
      },
      { effect, timeoutMs: 40 },
    );
    const agent = new Agent({ model: "test", client: stand.client, tools: [mark] });
    const result = await ends(runIn(way, agent, "Mark."));
    const signal = await ends(told.promise, "The tool");
    expect(signal.reason).toMatchObject({ code: "TOOL_TIMEOUT", message: expect.stringContaining("40 ms") });
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 1, outcome: { kind, error: { code: "TOOL_TIMEOUT" } } });
    await sleep(450);
    expect(marks).toBe(0);
    stand.server.assertDone();
  });

  it("a result that comes late is no output: it is let go, and logged", async () => {
    const done = Promise.withResolvers<void>();
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Done.").with({ delayMs: 5 })]);
    const pay = numberTool("pay", () => done.promise.then(() => "paid"), { effect: "write", timeoutMs: 30 });
    const { log, lines } = logged();
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], log });
    const result = await ends(runIn(way, agent, "Pay."));
    done.resolve();
    await until(() => lines.length > 0);
    await sleep(20);

    expect(lines).toEqual([["warn", { tool: "pay", callId: "call_1" }, expect.stringContaining("its result is not used")]]);
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs).toHaveLength(1);
    expect(errorIn(outputs[0]?.[1])).toMatchObject({
      code: "TOOL_TIMEOUT",
      retryable: false,
      message: expect.stringContaining("may or may not"),
    });
    expect(outputsIn(result.items)).toEqual(outputs);
    expect(result.steps[0]?.calls[0]?.outcome.kind).toBe("unknown");
    stand.server.assertDone();
  });

  it("an error that comes late is logged with its cause, and nothing is left unhandled", async () => {
    const failure = Promise.withResolvers<never>();
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    const { log, lines } = logged();
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", () => failure.promise, { timeoutMs: 30 })],
      log,
    });
    await ends(runIn(way, agent, "Look."));
    const late = new Error("connection reset");
    failure.reject(late);
    await until(() => lines.length > 0);
    expect(lines).toEqual([["warn", { tool: "look", callId: "call_1", err: late }, expect.any(String)]]);
  });

  it("an attempt that came in time leaves its signal alone", async () => {
    await using stand = await serve([reply.calls(callOf("quick", "call_1", 1)), reply.text("Done.")]);
    const signals: AbortSignal[] = [];
    const quick = numberTool("quick", (_, { signal }) => signals.push(signal), { timeoutMs: 30 });
    await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: [quick] }), "Go."));
    await sleep(60);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});
