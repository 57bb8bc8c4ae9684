import { Agent, defineMiddleware, type HistoryOption, type Middleware, type RunResult, RunStop } from "@toolwright/core";
import { modelRetry, stepBudget, toolErrors } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, localItems, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep } from "../support/wait.js";
import { failureOf, type RunFailure, runIn, waysAndHistories, ways } from "../support/ways.js";

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
type WrapToolCall = NonNullable<Middleware["wrapToolCall"]>;
/** A wrap without its `return`, which does not compile as it is. */
const forgetful = (hook: (...parameters: Parameters<WrapToolCall>) => Promise<void>) => hook as unknown as WrapToolCall;
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
    script: [twoCalls, reply.items([{ type: "custom_tool_call", call_id: "call_x", name: "x", input: "x" }])],
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

async function stopped(way: (typeof ways)[number], agent: Agent, controller: AbortController, stop: Stop): Promise<End> {
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

describe.each(ways)("L07: what a run keeps (%s)", (way) => {
  it("unknown item types come back verbatim and in order", async () => {
    const odd = { type: "hologram", id: "holo_1", depth: 3, nested: { list: [1, { two: 2 }] } };
    await using stand = await serve([reply.output(thought(), reply.items([odd]), twoCalls), reply.text("Done."), reply.text("Again.")]);
    const tools = [numberTool("look", (n) => n), numberTool("write", (n) => n)];
    const agent = new Agent({ model: "test", client: stand.client, tools });
    const result = await ends(runIn(way, agent, "Go."));
    expect(localItems(result.history).find((item) => item.type === "hologram")).toEqual(odd);
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    expect(inputOf(stand.server.request(2)).slice(0, -1)).toEqual(localItems(result.history));
    stand.server.assertDone();
  });

  it("input that got no reply is not history, so that it can be asked again", async () => {
    await using stand = await serve([reply.text("One."), reply.http(500), reply.text("Two.")]);
    const agent = new Agent({ model: "test", client: stand.client });
    const first = await runIn(way, agent, "First?");
    const error = await failureOf(runIn(way, agent, "Second?", { history: first.history }));
    expect(error.result.history).toEqual(first.history);
    await runIn(way, agent, "Second?", { history: error.result.history });
    expect(inputOf(stand.server.request(2)).filter((item) => item["role"] === "user")).toHaveLength(2);
    stand.server.assertDone();
  });

  it("a wrap that repeats the whole run asks the question once", async () => {
    await using stand = await serve([reply.http(500), reply.text("Done.")]);
    const again = defineMiddleware({ name: "again", repeats: true, wrapRun: (call, next) => next(call).catch(() => next(call)) });
    const agent = new Agent({ model: "test", client: stand.client, middleware: [again] });
    const result = await ends(runIn(way, agent, "Go."));
    expect(stand.server.request(1).text).toBe(stand.server.request(0).text);
    expect(localItems(result.history)).toHaveLength(2);
  });

  it("what a tool came to is kept when a wrap around it throws", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1), callOf("look", "call_2", 2))]);
    const tools = [
      numberTool("write", (n) => `written ${n}`, { effect: "write" }),
      numberTool("look", (n) => sleep(10).then(() => `seen ${n}`)),
    ];
    const middleware = wrap({ wrapToolCall: (call, next) => (call.name === "write" ? next(call).then(boom) : next(call)) });
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", details: { middleware: "odd", hook: "wrapToolCall" } });
    expect(outputsIn(error.result.items)).toEqual([
      ["call_1", "written 1"],
      ["call_2", "seen 2"],
    ]);
  });

  it("a tool does not start behind the back of a wrap that has failed", async () => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1))]);
    let ran = 0;
    const forgets = wrap({ wrapToolCall: forgetful(async (call, next) => void next(call)) });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("write", () => (ran += 1), { effect: "write" })],
      middleware: forgets,
    });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    await sleep(20);
    const output = errorIn(outputsIn(error.result.items)[0]?.[1]);
    expect([ran, output.code]).toEqual([0, "TOOL_SKIPPED"]);
  });
});
