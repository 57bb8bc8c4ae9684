import { Agent, defineMiddleware, type ToolChoice } from "@toolwright/core";
import { standard, stepBudget } from "@toolwright/core/middleware";
import { reply, type ScriptRequest } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, resumeIn, runIn, waysAndHistories } from "../support/ways.js";

/** A model that calls whenever it must, and answers as soon as it may. */
const obedient = ({ body, index }: ScriptRequest) =>
  body.tool_choice === undefined || body.tool_choice === "auto" || body.tool_choice === "none"
    ? reply.text("Done.")
    : reply.calls(callOf("look", `call_${index}`, index));

const choices = ({ server }: Stand): readonly unknown[] => server.requests.map(({ body }) => body.tool_choice);

const look = () => numberTool("look", (n) => n);

const forced: readonly (readonly [string, ToolChoice])[] = [
  ["required", "required"],
  ["one function", { type: "function", name: "look" }],
  ["some of the tools", { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "look" }] }],
];

describe.each(waysAndHistories)("M09: a forced tool choice is obeyed once ($way, $kind)", ({ way, history }) => {
  it.each(forced)("%s: auto again after the first step with a call, and the settings are left as they were", async (_, choice) => {
    await using stand = await serve(obedient);
    const settings = { tool_choice: choice, temperature: 0.5 };
    const before = structuredClone(settings);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], settings, history });
    // Twice, since the second run of the agent forces its first step again.
    for (let run = 0; run < 2; run += 1) {
      expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ stopReason: "completed", output: "Done." });
    }
    expect(choices(stand)).toEqual([choice, "auto", choice, "auto"]);
    expect(stand.server.requests.map(({ body }) => body["temperature"])).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(settings).toEqual(before);
  });

  it.each(["auto", "none"] as const)("%s was never forced and stays", async (choice) => {
    await using stand = await serve([...(choice === "auto" ? [reply.calls(callOf("look", "call_1", 1))] : []), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], settings: { tool_choice: choice }, history });
    await ends(runIn(way, agent, "Look."));
    expect(new Set(choices(stand))).toEqual(new Set([choice]));
    stand.server.assertDone();
  });

  it("a first step without a call has not obeyed: it is asked no other way, and the run is over", async () => {
    await using stand = await serve([reply.text("I would rather not.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], settings: { tool_choice: "required" }, history });
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "I would rather not." });
    expect(choices(stand)).toEqual(["required"]);
  });

  it("a middleware that sets the choice itself has it as it says, at every step", async () => {
    await using stand = await serve(obedient);
    const insists = defineMiddleware({
      name: "insists",
      wrapModelCall: (call, next) => next(call.step < 3 ? { ...call, request: { ...call.request, toolChoice: "required" } } : call),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], middleware: [insists], history });
    await ends(runIn(way, agent, "Look."));
    expect(choices(stand)).toEqual(["required", "required", "required", undefined]);
  });

  it('the step that a budget keeps for an answer has "none", whatever else says', async () => {
    const insists = defineMiddleware({
      name: "insists",
      wrapModelCall: (call, next) => next({ ...call, request: { ...call.request, toolChoice: "required" } }),
    });
    await using stand = await serve(obedient);
    for (const middleware of [
      [stepBudget(2, { onExhausted: "answer" })],
      [stepBudget(2, { onExhausted: "answer" }), insists, ...standard()],
    ]) {
      const agent = new Agent({
        model: "test",
        client: stand.client,
        tools: [look()],
        middleware,
        settings: { tool_choice: "required" },
        history,
      });
      expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ stopReason: "completed", output: "Done.", usage: { requests: 2 } });
    }
    expect(choices(stand)).toEqual(["required", "none", "required", "none"]);
  });

  it("a budget of one step for an answer beats a forced choice at once", async () => {
    await using stand = await serve(obedient);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [look()],
      middleware: [stepBudget(1, { onExhausted: "answer" })],
      settings: { tool_choice: "required" },
      history,
    });
    expect(await ends(runIn(way, agent, "Look."))).toMatchObject({ output: "Done." });
    expect(choices(stand)).toEqual(["none"]);
  });

  it("a call that waited for a person counts when the run goes on", async () => {
    await using stand = await serve(obedient);
    const ask = numberTool("look", (n) => n, { effect: "write", approval: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [ask], settings: { tool_choice: "required" }, history });
    const paused = await ends(runIn(way, agent, "Look."));
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const result = await ends(resumeIn(way, agent, paused.state, { decisions: [{ callId: "call_0", approve: true }] }));
    expect(result).toMatchObject({ output: "Done." });
    expect(choices(stand)).toEqual(["required", "auto"]);
  });

  it("a model that calls on though it need not ends at the budget", async () => {
    await using stand = await serve(({ index }) => reply.calls(callOf("look", `call_${index}`, index)));
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [look()],
      settings: { tool_choice: "required" },
      history,
      maxSteps: 4,
    });
    expect((await ends(failureOf(runIn(way, agent, "Look.")))).code).toBe("RUN_BUDGET");
    expect(choices(stand)).toEqual(["required", "auto", "auto", "auto"]);
  });
});
