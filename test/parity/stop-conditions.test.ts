import { Agent, defineMiddleware, RunStop } from "@toolwright/core";
import { stepBudget } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const look = () => numberTool("look", (n) => `seen ${n}`);

describe("conditions to stop on", () => {
  it("a middleware may end the run after a tool was called, in order, with a history that goes on", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Here.")]);
    const stopAfter = defineMiddleware({
      name: "stopAfter",
      state: () => ({ seen: false as boolean }),
      async wrapToolCall(call, next, { state }) {
        const outcome = await next(call);
        state.seen ||= call.name === "look" && outcome.kind === "ok";
        return outcome;
      },
      async wrapModelCall(call, next, { state }) {
        await Promise.resolve();
        if (state.seen) throw new RunStop("budget", "look was called");
        return next(call);
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], middleware: [stopAfter] });
    const result = await ends(agent.run("Go."));
    expect(result).toMatchObject({ stopReason: "budget", reason: "look was called" });
    expect(result.steps[0]?.calls[0]?.outcome).toEqual({ kind: "ok", output: "seen 1" });
    expect(await ends(agent.run("And?", { history: result.history }))).toMatchObject({ output: "Here." });
  });

  it("one that throws fails the run with its name, and what was done is kept", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1))]);
    const broken = defineMiddleware({
      name: "broken",
      async wrapModelCall(call, next) {
        if (call.step > 0) throw new Error("no");
        return next(call);
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], middleware: [broken] });
    const error = await ends(failureOf(agent.run("Go.")));
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining('"broken"') });
    expect(error.result.steps).toMatchObject([{ calls: [{ outcome: { kind: "ok" } }] }]);
  });

  it.each([0, -1, 1.5, Number.NaN, "5", null])("a limit of %j steps is refused when the agent is made", (limit) => {
    const wrong = limit as number;
    expect(() => new Agent({ model: "test", maxSteps: wrong })).toThrow(/`maxSteps` is/);
    expect(() => stepBudget(wrong)).toThrow(/stepBudget/);
  });
});
