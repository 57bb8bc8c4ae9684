import { Agent, defineMiddleware, type Middleware, type RunEvent, type RunResult, ToolError } from "@toolwright/core";
import { modelRetry, stepBudget, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { collect, type RunFailure, runIn } from "../support/ways.js";

let made = 0;
const passThrough = {
  wrapRun: (): Middleware => defineMiddleware({ name: `pass${++made}`, wrapRun: (call, next) => next(call) }),
  wrapModelCall: (): Middleware => defineMiddleware({ name: `pass${++made}`, wrapModelCall: (call, next) => next(call) }),
  wrapToolCall: (): Middleware => defineMiddleware({ name: `pass${++made}`, wrapToolCall: (call, next) => next(call) }),
  "all three, async": (): Middleware =>
    defineMiddleware({
      name: `pass${++made}`,
      wrapRun: async (call, next) => next(call),
      wrapModelCall: async (call, next) => next(call),
      wrapToolCall: async (call, next) => next(call),
    }),
} as const;
type Hook = keyof typeof passThrough;
const hooks = Object.keys(passThrough) as Hook[];

const script = [
  reply.http(500, { code: "server_error" }),
  reply
    .output(
      reply.reasoning({ id: "rs_1", encryptedContent: "sealed", summary: ["Hm."] }),
      reply.text("Let me see.", { id: "msg_1", phase: "commentary" }),
      reply.calls(
        callOf("look", "call_1", 1),
        callOf("flaky", "call_2", 2),
        { ...callOf("look", "call_3", 3), arguments: "[]" },
        callOf("nowhere", "call_4", 4),
      ),
    )
    .with({ responseId: "resp_1" }),
  reply.calls(callOf("ask", "call_5", 5), callOf("write", "call_6", 6)).with({ responseId: "resp_2" }),
  reply.text("Done.", { id: "msg_2" }).with({ responseId: "resp_3" }),
];

interface Seen {
  readonly requests: readonly string[];
  readonly events: readonly object[];
  readonly results: readonly object[];
  readonly executed: readonly string[];
}

/** Everything that can be seen of a run with retries, failures and a pause, without times and the run's own id. */
async function observe(insert: (list: readonly Middleware[]) => readonly Middleware[]): Promise<Seen> {
  await using stand = await serve(script, { verifyEncryptedContent: false });
  const executed: string[] = [];
  let tries = 0;
  const tools = [
    numberTool("look", (n) => executed.push(`look ${n}`)),
    numberTool("flaky", (n) => {
      executed.push(`flaky ${n}`);
      if (++tries < 2) throw new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
      return "at last";
    }),
    numberTool("ask", (n) => executed.push(`ask ${n}`), { effect: "write", approval: true }),
    numberTool("write", (n) => executed.push(`write ${n}`), { effect: "destructive" }),
  ];
  const list = [
    stepBudget(6),
    toolErrors({ format: (outcome) => `kind ${outcome.kind}` }),
    modelRetry({ minDelayMs: 1, maxDelayMs: 1 }),
    toolRetry({ minDelayMs: 1, maxDelayMs: 1 }),
  ];
  const agent = new Agent({ model: "test", client: stand.client, tools, middleware: insert(list) });

  const first = await ends(collect(agent, "Go."));
  if (first.result.stopReason !== "interrupted") throw new Error(first.result.stopReason);
  const stream = agent.stream(first.result.state, { decisions: [{ callId: "call_5", approve: true }] });
  const events: RunEvent[] = [...first.events];
  for await (const event of stream) events.push(event);
  const results = [first.result, await stream.result];
  stand.server.assertDone();
  return {
    requests: stand.server.requests.map(({ text }) => text),
    events: events.map(timeless),
    results: results.map(comparable),
    executed,
  };
}

function timeless(event: RunEvent): object {
  const { runId: _, ...rest } = event;
  return "durationMs" in rest ? { ...rest, durationMs: 0 } : rest;
}

function comparable({ items, history, stopReason, output, steps, usage, interruptions }: RunResult): object {
  return {
    items,
    history,
    stopReason,
    output,
    usage,
    interruptions,
    steps: steps.map((step) => ({ ...step, calls: step.calls.map((call) => ({ ...call, durationMs: 0 })) })),
  };
}

describe("L04: a pass-through middleware changes nothing", async () => {
  const expected = await observe((list) => list);

  it("is compared with a run that has seen retries, failures and a pause", () => {
    expect(expected.requests).toHaveLength(4);
    expect(expected.executed).toEqual(["look 1", "flaky 2", "flaky 2", "write 6", "ask 5"]);
    expect(expected.results.map((result) => (result as RunResult).stopReason)).toEqual(["interrupted", "completed"]);
  });

  it.each(hooks.flatMap((hook) => [0, 1, 2, 3, 4].map((at) => [hook, at] as const)))("%s, at place %i", async (hook, at) => {
    expect(await observe((list) => list.toSpliced(at, 0, passThrough[hook]()))).toEqual(expected);
  });

  it("ten of them, at every place", async () => {
    const everywhere = (list: readonly Middleware[]) => [
      ...list.flatMap((middleware) => [...hooks.map((hook) => passThrough[hook]()), middleware]),
      passThrough.wrapRun(),
    ];
    expect(await observe(everywhere)).toEqual(expected);
  });
});

describe("L04: nor does it change how a run fails", () => {
  const failing = {
    "a failed response": [reply.failed({ code: "server_error", message: "Broken." }, reply.text("Hel"))],
    "a refused request": [reply.http(400, { code: "invalid_value", message: "No." })],
    "a tool that the signal ends": [reply.calls(callOf("hang", "call_1", 1))],
    "a budget": Array.from({ length: 3 }, (_, n) => reply.calls(callOf("look", `call_${n}`, n))),
  } as const;

  async function failure(kind: keyof typeof failing, middleware: readonly Middleware[]): Promise<object> {
    await using stand = await serve(failing[kind].map((each, index) => each.with({ responseId: `resp_${index}` })));
    const controller = new AbortController();
    const hang = numberTool(
      "hang",
      () => {
        controller.abort(new Error("enough"));
        return forever();
      },
      { effect: "write" },
    );
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n), hang], middleware, maxSteps: 3 });
    const error = (await ends(
      runIn("stream", agent, "Go.", { signal: controller.signal }).catch((caught: unknown) => caught),
    )) as RunFailure;
    // Made up anew by each server.
    const { requestId: _, ...details } = error.details;
    return {
      code: error.code,
      message: error.message,
      details,
      cause: (error.cause as Error | undefined)?.message,
      result: comparable(error.result as unknown as RunResult),
    };
  }

  it.each(Object.keys(failing) as (keyof typeof failing)[])("%s", async (kind) => {
    const expected = await failure(kind, []);
    for (const hook of hooks) expect(await failure(kind, [passThrough[hook](), passThrough[hook]()])).toEqual(expected);
  });
});
