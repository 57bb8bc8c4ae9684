import { Agent, defineMiddleware, type Middleware, type RunResult, RunStop, type Session } from "@toolwright/core";
import { modelRetry, stepBudget, toolErrors } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep } from "../support/wait.js";
import { failureOf, type RunFailure, runIn, ways } from "../support/ways.js";
import { historyOf, kinds, texts } from "./support.js";

const thought = () => reply.reasoning("Hm.");
const twoCalls = reply.output(thought(), reply.calls(callOf("look", "call_1", 1)), thought(), reply.calls(callOf("write", "call_2", 2)));
const moreCalls = reply.calls(
  callOf("look", "call_3", 3),
  { ...callOf("write", "call_4", 4), arguments: "{" },
  callOf("nowhere", "call_5", 5),
);

interface Stop {
  readonly name: string;
  readonly script: readonly Reply[];
  /** `result.stopReason`, or the code of the error. */
  readonly ends: string;
  readonly middleware?: readonly Middleware[];
  readonly maxSteps?: number;
  /** Aborts when this has begun: a tool, or a request. */
  readonly abortAt?: "look" | "write" | "start";
}

const boom = (): never => {
  throw new Error("boom");
};
const wrap = (hooks: Omit<Middleware, "name">): readonly Middleware[] => [defineMiddleware({ name: "odd", ...hooks })];
const inStep = (step: number) => (call: { readonly step: number }) => (call.step === step ? boom() : undefined);

const stops: readonly Stop[] = [
  { name: "an answer", script: [reply.text("Done.")], ends: "completed" },
  {
    name: "an answer after two steps with calls",
    script: [twoCalls, moreCalls, reply.output(thought(), reply.text("Done."))],
    ends: "completed",
  },
  { name: "a refusal", script: [twoCalls, reply.refusal("No.")], ends: "refused" },
  {
    name: "reasoning that leads nowhere",
    script: [reply.output(twoCalls, thought()), reply.output(reply.text("Done."), thought())],
    ends: "completed",
  },
  {
    name: "two calls of one id",
    script: [reply.output(twoCalls, reply.calls({ ...callOf("look", "call_1", 7), id: "fc_twin" })), reply.text("Done.")],
    ends: "completed",
  },
  {
    name: "items of unknown types",
    script: [reply.output(reply.items([{ type: "hologram", id: "holo_1", depth: null }]), twoCalls), reply.text("Done.")],
    ends: "completed",
  },
  { name: "the kernel's limit of steps", script: [twoCalls, moreCalls], ends: "RUN_BUDGET", maxSteps: 2 },
  { name: "a step budget that throws", script: [twoCalls], ends: "RUN_BUDGET", middleware: [stepBudget(1)] },
  { name: "a step budget that stops", script: [twoCalls], ends: "budget", middleware: [stepBudget(1, { onExhausted: "stop" })] },
  {
    name: "a step budget that answers",
    script: [twoCalls, reply.text("Done.")],
    ends: "completed",
    middleware: [stepBudget(2, { onExhausted: "answer" })],
  },
  {
    name: "a stop thrown from a tool's wrap",
    script: [twoCalls],
    ends: "budget",
    middleware: wrap({ wrapToolCall: () => Promise.reject(new RunStop("budget", "enough")) }),
  },
  { name: "an abort before the first request", script: [], ends: "RUN_ABORTED", abortAt: "start" },
  { name: "an abort in the middle of a read", script: [twoCalls], ends: "RUN_ABORTED", abortAt: "look" },
  { name: "an abort in the middle of a write", script: [twoCalls], ends: "RUN_ABORTED", abortAt: "write" },
  { name: "an HTTP error at the first request", script: [reply.http(400, { code: "invalid_value" })], ends: "MODEL_BAD_REQUEST" },
  { name: "an HTTP error at a later request", script: [twoCalls, reply.http(500)], ends: "MODEL_SERVER" },
  {
    name: "a retry that helps",
    script: [reply.http(500), twoCalls, reply.http(500), reply.text("Done.")],
    ends: "completed",
    middleware: [modelRetry({ attempts: 2, minDelayMs: 1 })],
  },
  {
    name: "a failed response",
    script: [twoCalls, reply.failed({ code: "server_error", message: "Broken." }, moreCalls)],
    ends: "MODEL_FAILED",
  },
  { name: "an incomplete response", script: [twoCalls, reply.incomplete({}, moreCalls)], ends: "MODEL_INCOMPLETE" },
  { name: "a cut connection", script: [twoCalls, reply.cut({}, moreCalls)], ends: "MODEL_CONNECTION" },
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
  { name: "a wrap that throws before the run", script: [], ends: "RUN_MIDDLEWARE", middleware: wrap({ wrapRun: boom }) },
  {
    name: "a wrap that throws after the run",
    script: [twoCalls, reply.text("Done.")],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapRun: (call, next) => next(call).then(boom) }),
  },
  {
    name: "a wrap that throws before a later model call",
    script: [twoCalls],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapModelCall: async (call, next) => inStep(1)(call) ?? next(call) }),
  },
  {
    name: "a wrap that throws after a model call",
    script: [twoCalls],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapModelCall: (call, next) => next(call).then(boom) }),
  },
  { name: "a wrap that throws before a tool", script: [twoCalls], ends: "RUN_MIDDLEWARE", middleware: wrap({ wrapToolCall: boom }) },
  {
    name: "a wrap that throws after a tool",
    script: [twoCalls, moreCalls],
    ends: "RUN_MIDDLEWARE",
    middleware: wrap({ wrapToolCall: async (call, next) => (await next(call), inStep(1)(call) ?? next(call)), repeats: true }),
  },
  {
    name: "a wrap that asks everything again",
    script: [twoCalls, reply.http(500), reply.text("Done.")],
    ends: "completed",
    middleware: wrap({ repeats: true, wrapRun: (call, next) => next(call).catch(() => next(call)) }),
  },
  {
    name: "a pause",
    script: [reply.calls(callOf("look", "call_1", 1), callOf("ask", "call_2", 2), callOf("write", "call_3", 3))],
    ends: "interrupted",
  },
  { name: "a pause before everything", script: [twoCalls, reply.calls(callOf("ask", "call_6", 6))], ends: "interrupted" },
];

type End = RunResult | RunFailure["result"];

function agentFor(client: ConstructorParameters<typeof Agent>[0]["client"], stop: Stop, controller: AbortController): Agent {
  const execute = (name: string) => (n: number) => {
    if (stop.abortAt !== name) return `${name} ${n}`;
    controller.abort(new Error("enough"));
    return forever();
  };
  const tools = [
    numberTool("look", execute("look")),
    numberTool("write", execute("write"), { effect: "write" }),
    numberTool("ask", execute("ask"), { effect: "write", approval: true, resource: "thing:{n}" }),
  ];
  return new Agent({ model: "test", client, tools, middleware: stop.middleware, maxSteps: stop.maxSteps });
}

async function endOf(run: Promise<RunResult>, stop: Stop): Promise<End> {
  if (/^[a-z]+$/.test(stop.ends)) {
    const result = await ends(run);
    expect(result.stopReason).toBe(stop.ends);
    return result;
  }
  const error = await ends(failureOf(run));
  expect(error.code).toBe(stop.ends);
  return error.result;
}

async function expectEqual(session: Session, end: End): Promise<void> {
  const held = await historyOf(session);
  expect(held).toEqual(end.history);
  expect(texts(localItems(held))).toEqual(texts(localItems(end.history)));
}

describe.each(kinds.flatMap((each) => ways.map((way) => ({ ...each, way }))))(
  "a session in $kind holds result.history after every end ($way)",
  ({ make, way }) => {
    it.each(stops)("$name", async (stop) => {
      await using stand = await serve([reply.text("Hello."), ...stop.script, reply.text("Here again."), reply.text("And again.")]);
      using kept = make();
      const history = () => ({ kind: "local", session: kept.session }) as const;
      const plain = agentFor(stand.client, { name: "plain", script: [], ends: "completed" }, new AbortController());
      await ends(plain.run("Hello?", { history: history() }));

      const controller = new AbortController();
      if (stop.abortAt === "start") controller.abort(new Error("enough"));
      const agent = agentFor(stand.client, stop, controller);
      const end = await endOf(runIn(way, agent, "Go.", { signal: controller.signal, history: history() }), stop);
      await expectEqual(kept.session, end);
      // Nothing comes late.
      await sleep(5);
      await expectEqual(kept.reopen(), end);

      // The next run finds what it would find in the application's hands, and the server takes it.
      const onSession = await ends(plain.run("Go on.", { history: history() }));
      expect(onSession).toMatchObject({ stopReason: "completed", output: "Here again." });
      await expectEqual(kept.reopen(), onSession);
      const onItems = await ends(plain.run("Go on.", { history: end.history }));
      const [first, second] = [stand.server.requests.at(-2), stand.server.requests.at(-1)];
      if (first === undefined || second === undefined) throw new Error("The requests are missing.");
      expect(texts(inputOf(first))).toEqual(texts(inputOf(second)));
      expect(onItems.output).toBe("And again.");
      stand.server.assertDone();
    });
  },
);
