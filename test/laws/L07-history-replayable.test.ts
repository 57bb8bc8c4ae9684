import {
  Agent,
  defineMiddleware,
  type HistoryOption,
  type Middleware,
  type ModelResponse,
  type RunResult,
  RunStop,
} from "@toolwright/core";
import { modelRetry, stepBudget, toolErrors } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { outputsIn, serve } from "../support/serve.js";
import { callOf, forgetful, numberTool } from "../support/tools.js";
import { ends, forever, sleep } from "../support/wait.js";
import { failureOf, type RunFailure, runIn, type Way, waysAndHistories } from "../support/ways.js";

const thought = () => reply.reasoning("Hm.");
const twoCalls = reply.output(thought(), reply.calls(callOf("look", "call_1", 1)), thought(), reply.calls(callOf("write", "call_2", 2)));

/** A reply that will break, so none of its items may ever come back. */
const broken = reply.output(thought(), reply.text("Let me see."), reply.calls(callOf("look", "call_3", 3), callOf("write", "call_4", 4)));

interface Stop {
  readonly name: string;
  /** What the run sees, before the reply to the next run. */
  readonly script: readonly Reply[];
  /** `result.stopReason`, or the code of the error. */
  readonly ends: string;
  readonly middleware?: readonly Middleware[];
  readonly maxSteps?: number;
  /** Aborts when this tool has started. */
  readonly abortAt?: string;
}

const boom = (): never => {
  throw new Error("boom");
};
const wrap = (hooks: Omit<Middleware, "name">): readonly Middleware[] => [defineMiddleware({ name: "odd", ...hooks })];
const laterStep = { script: [twoCalls, reply.http(500)], ends: "MODEL_SERVER" };

const stops: readonly Stop[] = [
  { name: "an answer", script: [twoCalls, reply.output(thought(), reply.text("Done."))], ends: "completed" },
  { name: "a refusal", script: [twoCalls, reply.output(thought(), reply.refusal("No."))], ends: "refused" },
  { name: "an answer that is reasoning alone", script: [twoCalls, thought()], ends: "completed" },
  { name: "reasoning after the last call", script: [reply.output(twoCalls, thought()), reply.text("Done.")], ends: "completed" },
  {
    name: "a twin with a reasoning of its own",
    script: [reply.output(twoCalls, thought(), reply.calls({ ...callOf("look", "call_1", 1), id: "fc_twin" })), reply.text("Done.")],
    ends: "completed",
  },
  { name: "the kernel's own limit of steps", script: [twoCalls], ends: "RUN_BUDGET", maxSteps: 1 },
  { name: "a step budget that throws", script: [twoCalls], ends: "RUN_BUDGET", middleware: [stepBudget(1)] },
  { name: "a step budget that stops", script: [twoCalls], ends: "budget", middleware: [stepBudget(1, { onExhausted: "stop" })] },
  {
    name: "a stop thrown from a tool's wrap",
    script: [twoCalls],
    ends: "budget",
    middleware: wrap({ wrapToolCall: () => Promise.reject(new RunStop("budget", "enough")) }),
  },
  { name: "an abort in the middle of a read", script: [twoCalls], ends: "RUN_ABORTED", abortAt: "look" },
  { name: "an abort in the middle of a write", script: [twoCalls], ends: "RUN_ABORTED", abortAt: "write" },
  { name: "an HTTP error at the first request", script: [reply.http(400, { code: "invalid_value" })], ends: "MODEL_BAD_REQUEST" },
  { name: "an HTTP error at a later request", ...laterStep },
  {
    name: "retries that are used up",
    ...laterStep,
    script: [...laterStep.script, reply.http(500)],
    middleware: [modelRetry({ attempts: 2, minDelayMs: 1 })],
  },
  {
    name: "a failed response",
    script: [twoCalls, reply.failed({ code: "server_error", message: "Broken." }, broken)],
    ends: "MODEL_FAILED",
  },
  { name: "an incomplete response", script: [twoCalls, reply.incomplete({}, broken)], ends: "MODEL_INCOMPLETE" },
  { name: "a cut connection", script: [twoCalls, reply.cut({}, broken)], ends: "MODEL_CONNECTION" },
  {
    name: "a call that nobody can answer",
    script: [
      twoCalls,
      reply.items([{ type: "computer_call", id: "cu_1", call_id: "call_x", action: { type: "screenshot" }, pending_safety_checks: [] }]),
    ],
    ends: "MODEL_PROTOCOL",
  },
  {
    name: "a tool failure that ends the run",
    script: [twoCalls],
    ends: "RUN_TOOL_FAILED",
    middleware: [toolErrors({ rethrow: () => true }), ...wrap({ wrapToolCall: async () => ({ kind: "denied", reason: "no" }) })],
  },
  { name: "a wrap that throws before a tool", script: [twoCalls], ends: "RUN_MIDDLEWARE", middleware: wrap({ wrapToolCall: boom }) },
  {
    name: "a wrap that throws after a tool",
    script: [twoCalls],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapToolCall: (call, next) => next(call).then(boom) }),
  },
  {
    name: "a wrap that forgets to return",
    script: [twoCalls],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapToolCall: forgetful(async (call, next) => void (await next(call))) }),
  },
  {
    name: "a reply that holds no items",
    script: [],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapModelCall: async () => ({}) as ModelResponse }), // callers without types give anything
  },
  {
    name: "a wrap that throws after the model",
    script: [twoCalls],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapModelCall: (call, next) => next(call).then(boom) }),
  },
  {
    name: "a wrap that throws after the run",
    script: [twoCalls, reply.text("Done.")],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapRun: (call, next) => next(call).then(boom) }),
  },
];

type End = RunResult | RunFailure["result"];

async function stopped(way: Way, agent: Agent, controller: AbortController, stop: Stop): Promise<End> {
  const run = runIn(way, agent, "Go.", { signal: controller.signal });
  if (/^[a-z]+$/.test(stop.ends)) {
    const result = await ends(run);
    expect(result.stopReason).toBe(stop.ends);
    return result;
  }
  const error = await ends(failureOf(run));
  expect(error.code).toBe(stop.ends);
  return error.result;
}

/** Streams differ from JSON in how they break, never in what they keep. */
const nextRun = (agent: Agent, history: HistoryOption) =>
  agent.run("Go on.", { history: JSON.parse(JSON.stringify(history)) as HistoryOption });

describe.each(waysAndHistories)("L07: the history is replayable after every end ($way, $kind)", ({ way, history }) => {
  it.each(stops)("$name", async (stop) => {
    await using stand = await serve([...stop.script, reply.text("Here again.")]);
    const controller = new AbortController();
    const execute = (name: string) => (n: number) => {
      if (stop.abortAt !== name) return `${name} ${n}`;
      controller.abort(new Error("enough"));
      return forever();
    };
    const tools = [numberTool("look", execute("look")), numberTool("write", execute("write"), { effect: "write" })];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: stop.middleware, maxSteps: stop.maxSteps, history });
    const end = await stopped(way, agent, controller, stop);
    await sleep(5);

    const plain = new Agent({ model: "test", client: stand.client, tools, history });
    expect(await ends(nextRun(plain, end.history))).toMatchObject({ stopReason: "completed", output: "Here again." });
    stand.server.assertDone();
    // Nothing that a tool came to is lost: every call of a finished step has its outcome and its output.
    const calls = end.steps.flatMap((step) => step.calls);
    expect(outputsIn(stand.server.requests.at(-1)?.context ?? []).map(([callId]) => callId)).toEqual(calls.map((call) => call.callId));
  });
});
