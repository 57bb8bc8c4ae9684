import { Agent, defineMiddleware, type Middleware } from "@toolwright/core";
import { modelRetry, toolRetry } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep, until } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

interface Wait {
  readonly name: string;
  readonly script: readonly Reply[];
  readonly middleware?: readonly Middleware[];
  readonly concurrency?: number;
  /** Outcomes of the calls that there are, by their ids. */
  readonly outcomes?: { readonly [callId: string]: string };
}

const minute = 60_000;
const stuck = (name: string, hooks: Omit<Middleware, "name">) => [defineMiddleware({ name, ...hooks })];
const read = (n: number) => callOf("read", `read_${n}`, n);
const write = (n: number) => callOf("write", `write_${n}`, n);

const waits: readonly Wait[] = [
  { name: "the back-off of modelRetry", script: [reply.http(500)], middleware: [modelRetry({ minDelayMs: minute, maxDelayMs: minute })] },
  { name: "a wait that the server asked for", script: [reply.http(429, { headers: { "retry-after": "60" } })], middleware: [modelRetry()] },
  {
    name: "the back-off of toolRetry",
    script: [reply.calls(callOf("fails", "fails_1", 1))],
    middleware: [toolRetry({ minDelayMs: minute, maxDelayMs: minute })],
    outcomes: { fails_1: "failed" },
  },
  { name: "a request that is not answered", script: [reply.hang({ beforeHeaders: true })] },
  { name: "a reply that stops in the middle", script: [reply.hang({}, reply.text("Hello, hello, hello."))] },
  { name: "a read", script: [reply.calls(read(1))], outcomes: { read_1: "failed" } },
  { name: "a write", script: [reply.calls(write(1))], outcomes: { write_1: "unknown" } },
  { name: "a free slot", script: [reply.calls(read(1), read(2))], concurrency: 1, outcomes: { read_1: "failed", read_2: "skipped" } },
  {
    name: "a free slot for a repetition: what the first attempt came to stays",
    script: [reply.calls(callOf("fails", "fails_1", 1), read(1))],
    middleware: [toolRetry({ minDelayMs: 1, maxDelayMs: 1 })],
    concurrency: 1,
    outcomes: { fails_1: "failed", read_1: "failed" },
  },
  { name: "one's turn in a lane", script: [reply.calls(write(1), write(2))], outcomes: { write_1: "unknown", write_2: "skipped" } },
  {
    name: "a finished call beside a running one",
    script: [reply.calls(callOf("quick", "quick_1", 1), read(1))],
    outcomes: { quick_1: "ok", read_1: "failed" },
  },
  { name: "a wrap of the run", script: [], middleware: stuck("stuck", { wrapRun: forever }) },
  { name: "a wrap of the model call", script: [], middleware: stuck("stuck", { wrapModelCall: forever }) },
  {
    name: "a wrap of a tool call",
    script: [reply.calls(read(1))],
    middleware: stuck("stuck", { wrapToolCall: forever }),
    outcomes: { read_1: "skipped" },
  },
  {
    name: "a wrap that never comes back from a finished tool",
    script: [reply.calls(callOf("quick", "quick_1", 1))],
    middleware: stuck("stuck", { wrapToolCall: (call, next) => next(call).then(forever) }),
    outcomes: { quick_1: "ok" },
  },
];

describe.each(ways)("L09: an abort ends every wait (%s)", (way) => {
  it.each(waits)("$name", async ({ script, middleware, concurrency, outcomes = {} }) => {
    await using stand = await serve(script);
    let begun = 0;
    const begins = (name: string, execute: () => unknown, effect: "read" | "write") =>
      numberTool(name, () => (begun++, execute()), { effect });
    const tools = [
      begins("read", forever, "read"),
      begins("write", forever, "write"),
      begins("quick", () => 1, "write"),
      begins("fails", () => Promise.reject(new Error("no")), "read"),
    ];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware, concurrency });
    const controller = new AbortController();
    const run = failureOf(runIn(way, agent, "Go.", { signal: controller.signal }));
    const toBegin = Object.values(outcomes).filter((kind) => kind !== "skipped").length;
    await until(() => stand.server.requests.length === script.length && begun === toBegin);
    // A little more, so that the run has come to its wait.
    await sleep(30);
    const reason = new Error("enough");
    controller.abort(reason);
    const error = await ends(run, "The run");

    expect(error.code).toBe("RUN_ABORTED");
    expect(error.cause).toBe(reason);
    const calls = error.result.steps.flatMap((step) => step.calls);
    expect(Object.fromEntries(calls.map(({ callId, outcome }) => [callId, outcome.kind]))).toEqual(outcomes);
    expect(outputsIn(error.result.items).map(([callId]) => callId)).toEqual(Object.keys(outcomes));
    expect(error.result.unknownCalls.map(({ callId }) => callId)).toEqual(
      calls.filter(({ outcome }) => outcome.kind === "unknown").map(({ callId }) => callId),
    );
    // The run goes on nowhere.
    await sleep(30);
    expect(stand.server.requests).toHaveLength(script.length);
    for (const request of stand.server.requests) await ends(request.ended, "The request");
  });

  it("a signal that is aborted already lets nothing begin", async () => {
    await using stand = await serve([]);
    let begun = 0;
    const count = stuck("count", { wrapRun: (call, next) => (begun++, next(call)) });
    const agent = new Agent({ model: "test", client: stand.client, middleware: count });
    const error = await ends(failureOf(runIn(way, agent, "Go.", { signal: AbortSignal.abort(new Error("enough")) })));
    expect(error).toMatchObject({ code: "RUN_ABORTED", cause: expect.objectContaining({ message: "enough" }) });
    expect([begun, stand.server.requests.length]).toEqual([0, 0]);
  });

  it("a time limit is an abort like any other", async () => {
    await using stand = await serve([reply.calls(read(1))]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("read", forever)] });
    const error = await ends(failureOf(runIn(way, agent, "Go.", { signal: AbortSignal.timeout(40) })));
    expect(error).toMatchObject({ code: "RUN_ABORTED", cause: expect.objectContaining({ name: "TimeoutError" }) });
  });

  it("no listener stays on the caller's signal, however many runs use it", async () => {
    await using stand = await serve(() => reply.text("Done."));
    const controller = new AbortController();
    const { addEventListener, removeEventListener } = controller.signal;
    let listeners = 0;
    controller.signal.addEventListener = (...parameters: Parameters<AbortSignal["addEventListener"]>) => (
      listeners++,
      addEventListener.apply(controller.signal, parameters)
    );
    controller.signal.removeEventListener = (...parameters: Parameters<AbortSignal["removeEventListener"]>) => (
      listeners--,
      removeEventListener.apply(controller.signal, parameters)
    );
    const agent = new Agent({ model: "test", client: stand.client });
    for (let run = 0; run < 5; run += 1) await runIn(way, agent, "Go.", { signal: controller.signal });
    expect(listeners).toBe(0);
  });
});
