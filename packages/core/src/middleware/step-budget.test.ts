import { describe, expect, it, vi } from "vitest";
import type { MiddlewareContext, ModelCall, NextModelCall, ToolCall } from "../contracts/middleware.js";
import type { Model, ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { RunStop } from "../errors/run-stop.js";
import { stepBudget, type StepBudgetOptions } from "./step-budget.js";

// It needs nothing of the context: the calls say which step they belong to.
const context = {} as MiddlewareContext;
const reply = { id: "resp_1", output: [] } as unknown as ModelResponse;
const ok: ToolOutcome = { kind: "ok", output: "done" };

// It is never asked: the tests answer in the place of what is inside.
const model: Model = { name: "test", respond: () => Promise.reject(new Error("unused")) };

function modelCall(step: number): ModelCall {
  return {
    step,
    model,
    request: { instructions: undefined, input: [], tools: [], toolChoice: "required", settings: {}, state: { kind: "local" } },
  };
}

function toolCall(step: number): ToolCall {
  return {
    callId: "call_1",
    name: "look",
    tool: undefined,
    arguments: {},
    rawArguments: "{}",
    issues: undefined,
    step,
    idempotencyKey: "key",
  };
}

/** Which steps ask the model (and how), and which run their calls. */
async function play(steps: number, options: StepBudgetOptions) {
  const budget = stepBudget(steps, options);
  const played: string[] = [];
  for (let step = 0; step < steps + 1; step += 1) {
    const ask = async ({ request }: NextModelCall): Promise<ModelResponse> => {
      played.push(request.answerOnly === true ? "answer" : "ask");
      return reply;
    };
    await budget.wrapModelCall!(modelCall(step), ask, context).catch((error: unknown) => {
      played.push(RunStop.is(error) ? "stop" : (error as { code: string }).code);
    });
    const outcome = await budget.wrapToolCall!(toolCall(step), async () => ok, context);
    played.push(outcome.kind);
  }
  return played;
}

describe("stepBudget", () => {
  it("throws at the step beyond the budget; calls of the last reply are skipped", async () => {
    expect(await play(2, {})).toEqual(["ask", "ok", "ask", "skipped", "RUN_BUDGET", "skipped"]);
  });

  it("says which budget and how large", async () => {
    const next = vi.fn<() => Promise<ModelResponse>>(async () => reply);
    await expect(stepBudget(2).wrapModelCall!(modelCall(2), next, context)).rejects.toMatchObject({
      code: "RUN_BUDGET",
      details: { budget: "steps", limit: 2 },
    });
    expect(next).not.toHaveBeenCalled();
  });

  it("stops without an error in the mode stop", async () => {
    expect(await play(1, { onExhausted: "stop" })).toEqual(["ask", "skipped", "stop", "skipped"]);
  });

  it("keeps the last step for an answer in the mode answer; calls of the step before it run", async () => {
    expect(await play(3, { onExhausted: "answer" })).toEqual(["ask", "ok", "ask", "ok", "answer", "skipped", "RUN_BUDGET", "skipped"]);
    expect(await play(1, { onExhausted: "answer" })).toEqual(["answer", "skipped", "RUN_BUDGET", "skipped"]);
  });

  it("changes nothing else of the request", async () => {
    const call = Object.freeze(modelCall(0));
    const seen: NextModelCall[] = [];
    const next = async (given: NextModelCall): Promise<ModelResponse> => {
      seen.push(given);
      return reply;
    };
    await stepBudget(1, { onExhausted: "answer" }).wrapModelCall!(call, next, context);
    await stepBudget(2, { onExhausted: "answer" }).wrapModelCall!(call, next, context);
    expect(seen[0]).toEqual({ ...call, request: { ...call.request, answerOnly: true } });
    expect(seen[1]).toBe(call);
  });

  it("tells the kernel that it bounds the steps", () => {
    expect(stepBudget(7)).toMatchObject({ boundsSteps: 7, options: { steps: 7, onExhausted: "throw" } });
  });
});
