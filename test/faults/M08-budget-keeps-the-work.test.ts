import { Agent } from "@toolwright/core";
import { standard, stepBudget } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 10, reasoningTokens: 4 };
const look = numberTool("look", (n) => `seen ${n}`);

/** Calls, whatever it is told, until it has been asked to go on. */
const endless = (budget: number) =>
  Array.from({ length: budget }, (_, index) =>
    reply
      .output(reply.reasoning("Hm."), reply.calls(callOf("look", `call_${index}a`, index), callOf("look", `call_${index}b`, index + 10)))
      .with({ usage }),
  );

const budgets = [
  { name: "maxSteps", options: (steps: number) => ({ maxSteps: steps, middleware: standard() }) },
  { name: "stepBudget", options: (steps: number) => ({ middleware: [stepBudget(steps), ...standard()] }) },
];

const cases = waysAndHistories.flatMap((each) => budgets.map((budget) => ({ ...each, ...budget })));

describe.each(cases)("M08: a used-up budget is an error with all that was done ($name, $way, $kind)", ({ way, history, options }) => {
  it.each([1, 2, 3])("of %i steps: so many requests, and the next run goes on from there", async (steps) => {
    await using stand = await serve([...endless(steps), reply.text("Here is what I have.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], history, ...options(steps) });
    const error = await ends(failureOf(runIn(way, agent, "Look.")));

    expect(error).toMatchObject({
      name: "ToolwrightError",
      code: "RUN_BUDGET",
      retryable: false,
      details: { budget: "steps", limit: steps },
    });
    expect(error.message).toContain("Fix:");
    expect(stand.server.requests).toHaveLength(steps);
    const { result } = error;
    expect(result).toMatchObject({
      stopReason: "error",
      interruptions: [],
      unknownCalls: [],
      usage: {
        requests: steps,
        inputTokens: 100 * steps,
        cachedInputTokens: 40 * steps,
        outputTokens: 10 * steps,
        reasoningTokens: 4 * steps,
        totalTokens: 110 * steps,
      },
    });
    expect(result.steps.map((step) => step.calls.map(({ callId, outcome }) => [callId, outcome.kind]))).toEqual(
      Array.from({ length: steps }, (_, index) => {
        const kind = index < steps - 1 ? "ok" : "skipped";
        return [
          [`call_${index}a`, kind],
          [`call_${index}b`, kind],
        ];
      }),
    );
    // The last outputs too: of what was run as it was, of the rest why it was not.
    const outputs = outputsIn(result.items);
    expect(outputs.slice(0, -2).map(([, output]) => output)).toEqual(
      Array.from({ length: steps - 1 }, (_, index) => [`seen ${index}`, `seen ${index + 10}`]).flat(),
    );
    for (const [, output] of outputs.slice(-2)) {
      expect(errorIn(output)).toMatchObject({ code: "TOOL_SKIPPED", message: expect.stringContaining("budget") });
    }
    expect(result.items.map(({ type }) => type)).toEqual([
      "message",
      ...Array.from({ length: steps }, () => [
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
      ]).flat(),
    ]);

    const onwards = await ends(runIn(way, agent, "Sum up.", { history: result.history }));
    expect(onwards).toMatchObject({ stopReason: "completed", output: "Here is what I have.", usage: { requests: 1 } });
    const { context } = stand.server.request(steps);
    expect(context.slice(0, -1)).toMatchObject(result.items.map(({ type }) => ({ type })));
    expect(outputsIn(context)).toEqual(outputs);
    stand.server.assertDone();
  });
});
