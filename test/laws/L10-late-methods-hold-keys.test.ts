import { Agent, defineTool } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { payCall, payments, retries } from "../support/payments.js";
import { errorIn, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep } from "../support/wait.js";

const done = reply.text("Done.");

describe("L10: a write that is over its time and has not ended", () => {
  const keyed = { resource: "account:{to}", timeoutMs: 40 } as const;
  const look = defineTool({
    name: "look",
    description: "Looks.",
    effect: "read",
    resource: "account:{to}",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    execute: ({ to }) => `balance of ${String(to)}`,
  });
  const lookCall = (callId: string, to: string) => ({ name: "look", callId, arguments: { to } });

  it("holds its key: reads and writes on it are not run, others are", async () => {
    await using stand = await serve([
      reply.calls(
        payCall("call_1"),
        lookCall("call_2", "Ada"),
        payCall("call_3", "Ada", 6),
        payCall("call_4", "Bob"),
        lookCall("call_5", "Bob"),
      ),
      reply.calls(payCall("call_6", "Ada", 7), lookCall("call_7", "Ada")),
      done,
    ]);
    const { keys, pay } = payments((attempt) => (attempt === 1 ? forever() : "paid"), keyed);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay, look], middleware: [retries()] });
    const result = await ends(agent.run("Pay."));
    expect(result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([
      ["unknown", "skipped", "skipped", "ok", "ok"],
      ["skipped", "skipped"],
      [],
    ]);
    const outputs = new Map(outputsIn(result.items));
    for (const callId of ["call_2", "call_3", "call_6", "call_7"]) {
      expect(errorIn(outputs.get(callId)).message).toMatch(/pay \(call_1\) works on the same thing, is over its time and has not ended/);
    }
    expect(keys).toHaveLength(2);
  });

  it("lets its key go when its method really ends: another write on it runs, an equal one still waits for a person", async () => {
    const first = Promise.withResolvers<void>();
    await using stand = await serve([
      reply.calls(payCall("call_1")),
      async () => {
        first.resolve();
        await sleep(20);
        return reply.calls(payCall("call_2", "Ada", 6), payCall("call_3"));
      },
    ]);
    const { keys, pay } = payments((attempt) => (attempt === 1 ? first.promise.then(() => "late") : "paid"), keyed);
    const result = await ends(new Agent({ model: "test", client: stand.client, tools: [pay] }).run("Pay."));
    expect(result).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_3", reason: "unknown-outcome" }] });
    expect(new Map(outputsIn(result.items)).get("call_2")).toBe("paid");
    expect(keys).toHaveLength(2);
  });

  it("holds its key over a pause, and over the resumption of the run", async () => {
    const first = Promise.withResolvers<void>();
    const ask = numberTool("ask", (n) => n, { effect: "write", approval: true });
    await using stand = await serve([
      reply.calls(payCall("call_1"), callOf("ask", "call_a", 1)),
      reply.calls(payCall("call_2", "Ada", 6)),
      async () => {
        first.resolve();
        await sleep(20);
        return reply.calls(payCall("call_3", "Ada", 7));
      },
      done,
    ]);
    const { keys, pay } = payments((attempt) => (attempt === 1 ? first.promise : "paid"), keyed);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay, ask] });
    const paused = await ends(agent.run("Pay."));
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const decisions = [{ callId: "call_a", approve: true }] as const;
    const result = await ends(agent.resume(JSON.stringify(paused.state), { decisions }));
    expect(result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([["unknown", "ok"], ["skipped"], ["ok"], []]);
    expect(keys).toHaveLength(2);
  });

  it("without a key it holds up nothing but its equals", async () => {
    await using stand = await serve([reply.calls(payCall("call_1"), payCall("call_2", "Bob"), payCall("call_3")), done]);
    const { keys, pay } = payments((attempt) => (attempt === 1 ? forever() : "paid"), { timeoutMs: 40 });
    const result = await ends(new Agent({ model: "test", client: stand.client, tools: [pay] }).run("Pay."));
    expect(result).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_3", reason: "unknown-outcome" }] });
    expect(new Map(outputsIn(result.items)).get("call_2")).toBe("paid");
    expect(keys).toHaveLength(2);
  });
});
