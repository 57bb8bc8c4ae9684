import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

describe.each(ways)("the time of a %s", (way) => {
  it("is over while a tool hangs: what finished is kept, what ran is told, and the history goes on", async () => {
    await using stand = await serve([reply.calls(callOf("quick", "call_1", 1), callOf("hangs", "call_2", 2)), reply.text("Fine.")]);
    const tools = [numberTool("quick", (n) => n), numberTool("hangs", forever)];
    const agent = new Agent({ model: "test", client: stand.client, tools, timeoutMs: 900 });
    const error = await failureOf(ends(runIn(way, agent, "Go.")));
    expect(error).toMatchObject({ code: "RUN_TIMEOUT", details: { limitMs: 900 } });
    expect(error.result?.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "failed"]);
    const next = new Agent({ model: "test", client: stand.client, tools });
    expect(await next.run("And now?", { history: error.result?.history })).toMatchObject({ output: "Fine." });
    stand.server.assertDone();
  });

  it("is over while the model is silent", async () => {
    await using stand = await serve([reply.text("Too late.").with({ delayMs: 3_000 })]);
    const agent = new Agent({ model: "test", client: stand.client, timeoutMs: 80 });
    expect(await failureOf(ends(runIn(way, agent, "Go.")))).toMatchObject({ code: "RUN_TIMEOUT" });
  });

  it("can be bounded for each step: many short ones may take longer in all", async () => {
    const step = (id: string) => reply.calls(callOf("wait", id, 60));
    await using stand = await serve([step("call_1"), step("call_2"), step("call_3"), step("call_4"), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("wait", sleep)], stepTimeoutMs: 2_000 });
    expect(await runIn(way, agent, "Go.")).toMatchObject({ output: "Done." });

    await using slow = await serve([step("call_1"), reply.calls(callOf("wait", "call_2", 5_000))]);
    const bounded = new Agent({ model: "test", client: slow.client, tools: [numberTool("wait", sleep)], stepTimeoutMs: 400 });
    const error = await failureOf(ends(runIn(way, bounded, "Go.")));
    expect(error).toMatchObject({ code: "RUN_TIMEOUT", message: expect.stringContaining("Step 1 took longer than 400 ms") });
    expect(error.result?.steps).toHaveLength(2);
  });
});

it("refuses limits that are no positive integers", () => {
  for (const option of ["timeoutMs", "stepTimeoutMs", "maxOutputChars", "concurrency", "maxSteps"]) {
    expect(() => new Agent({ model: "test", [option]: 0 })).toThrow(new RegExp(`\`${option}\` is 0`));
  }
});
