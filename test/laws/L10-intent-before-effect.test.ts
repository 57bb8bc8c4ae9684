import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { payCall, payments, retries } from "../support/payments.js";
import { recordedSession } from "../support/recorded-session.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const done = reply.text("Done.");

describe.each(ways)("L10: intent before the effect, outcome after it (%s)", (way) => {
  it.each([
    ["read", true],
    ["write", true],
    ["destructive", true],
    ["write", false],
  ] as const)("a %s (declared: %s) starts when its intent is kept, and outputs are kept after its outcome", async (effect, declared) => {
    const { history, lines } = recordedSession();
    await using stand = await serve([reply.calls(callOf("act", "call_1", 1), callOf("act", "call_2", 2)), done]);
    const act = numberTool(
      "act",
      async (n) => {
        lines.push(`effect call_${n}`);
        await sleep(5);
        lines.push(`effect call_${n} ends`);
      },
      { effect: declared ? effect : undefined },
    );
    const agent = new Agent({ model: "test", client: stand.client, tools: [act], history });
    await ends(runIn(way, agent, "Go."));

    for (const callId of ["call_1", "call_2"]) {
      const own = lines.filter((line) => line.includes(callId) || line.startsWith("reply 0") || line.startsWith("outputs"));
      expect(own).toEqual([
        "reply 0 begins",
        "reply 0",
        `started ${callId} begins`,
        `started ${callId}`,
        `effect ${callId}`,
        `effect ${callId} ends`,
        `outcome ${callId} ok begins`,
        `outcome ${callId} ok`,
        "outputs 0 begins",
        "outputs 0",
      ]);
    }
    // Nothing goes to the model before the outputs are kept.
    expect(lines.indexOf("reply 1 begins")).toBeGreaterThan(lines.indexOf("outputs 0"));
  });

  it("an intent that cannot be kept has no effect", async () => {
    const { history } = recordedSession((line) => line.startsWith("started"));
    await using stand = await serve([reply.calls(payCall("call_1"))]);
    const { keys, pay } = payments(() => "paid");
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history, middleware: [retries()] });
    const error = await ends(failureOf(runIn(way, agent, "Pay.")));
    expect(error).toMatchObject({ code: "RUN_FAILED", message: expect.stringContaining("The disk is full.") });
    expect(keys).toEqual([]);
    expect(error.result.steps[0]?.calls[0]).toMatchObject({ attempts: 0, outcome: { kind: "skipped" } });
  });

  it("an outcome that cannot be kept ends the run, and is in its result", async () => {
    const { history } = recordedSession((line) => line.startsWith("outcome"));
    await using stand = await serve([reply.calls(payCall("call_1"))]);
    const { keys, pay } = payments(() => "paid");
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], history, middleware: [retries()] });
    const error = await ends(failureOf(runIn(way, agent, "Pay.")));
    expect(error.code).toBe("RUN_FAILED");
    expect(keys).toHaveLength(1);
    expect(error.result.steps[0]?.calls[0]).toMatchObject({ attempts: 1, outcome: { kind: "ok", output: "paid" } });
  });
});
