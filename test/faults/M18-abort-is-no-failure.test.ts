import { Agent, defineMiddleware, type ToolOutcome } from "@toolwright/core";
import { modelRetry, standard, stepBudget, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep, untilAborted } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const quick = { minDelayMs: 1, maxDelayMs: 1 } as const;
const layers = () => [
  stepBudget(9),
  toolErrors({ format: () => "It failed, try again." }),
  modelRetry(quick),
  toolRetry({ ...quick, attempts: 3 }),
];

/** How a tool may take an abort: all are the same abort to the run. */
const tempers: readonly (readonly [string, (signal: AbortSignal) => Promise<unknown>])[] = [
  ["throws the signal's reason", untilAborted],
  ["throws an AbortError of its own", (signal) => untilAborted(signal).catch(() => Promise.reject(new DOMException("gone", "AbortError")))],
  ["throws something else", (signal) => untilAborted(signal).catch(() => Promise.reject(new Error("connection closed")))],
  ["returns as if nothing were", (signal) => untilAborted(signal).catch(() => "fine")],
  ["does not listen", () => sleep(60)],
];

describe.each(ways)("M18: an abort passes through every layer (%s)", (way) => {
  it.each(tempers)("while a tool runs that %s: one attempt, no further request, nothing told to the model", async (_, hang) => {
    await using stand = await serve([reply.calls(callOf("fetch", "call_1", 1))]);
    const controller = new AbortController();
    let attempts = 0;
    const fetches = numberTool("fetch", (_n, { signal }) => {
      attempts += 1;
      queueMicrotask(() => controller.abort(new Error("enough")));
      return hang(signal);
    });
    const passed: (ToolOutcome | string)[] = [];
    const watch = defineMiddleware({
      name: "watch",
      async wrapToolCall(call, next) {
        const outcome = await next(call);
        passed.push(outcome);
        return outcome;
      },
      wrapModelCall: (call, next) => (passed.push(`request ${call.step}`), next(call)),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [fetches], middleware: [watch, ...layers()] });
    const error = await ends(failureOf(runIn(way, agent, "Fetch.", { signal: controller.signal })));
    await sleep(80);

    expect(error).toMatchObject({ code: "RUN_ABORTED", cause: expect.objectContaining({ message: "enough" }) });
    expect(attempts).toBe(1);
    expect(stand.server.requests).toHaveLength(1);
    expect(passed).toMatchObject(["request 0", { kind: "failed", error: { code: "TOOL_ABORTED", retryable: false } }]);
    expect(error.result.steps[0]?.calls[0]).toMatchObject({ attempts: 1, outcome: { kind: "failed", error: { code: "TOOL_ABORTED" } } });
  });

  it("while a request is on its way: it is not repeated", async () => {
    await using stand = await serve([reply.hang({ afterEvents: 2 }, reply.text("Hello."))]);
    const controller = new AbortController();
    const agent = new Agent({ model: "test", client: stand.client, middleware: layers() });
    const run = failureOf(runIn(way, agent, "Hello?", { signal: controller.signal }));
    await stand.server.waitForRequest(0);
    controller.abort();
    expect((await ends(run)).code).toBe("RUN_ABORTED");
    await sleep(30);
    expect(stand.server.requests).toHaveLength(1);
  });

  it("a layer that swallows everything does not keep the run alive", async () => {
    await using stand = await serve([reply.calls(callOf("fetch", "call_1", 1))]);
    const controller = new AbortController();
    const fetches = numberTool("fetch", (_n, { signal }) => {
      queueMicrotask(() => controller.abort());
      return untilAborted(signal);
    });
    const swallows = defineMiddleware({
      name: "swallows",
      wrapToolCall: (call, next) => next(call).then(() => ({ kind: "ok" as const, output: "All is well." })),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [fetches], middleware: [swallows, ...layers()] });
    expect((await ends(failureOf(runIn(way, agent, "Fetch.", { signal: controller.signal })))).code).toBe("RUN_ABORTED");
    await sleep(30);
    expect(stand.server.requests).toHaveLength(1);
  });
});

/** What a tool's own request throws when its own time is over. */
const ownAborts: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["an AbortError", () => Promise.reject(new DOMException("This operation was aborted", "AbortError"))],
  ["a TimeoutError of its own signal", () => untilAborted(AbortSignal.timeout(5))],
  [
    "the reason of its own controller",
    () => {
      const own = new AbortController();
      own.abort();
      return untilAborted(own.signal);
    },
  ],
];

describe.each(ways)("M18: a tool's private AbortError is an error like any other (%s)", (way) => {
  it.each(ownAborts)("%s: tried again as a read is, then told to the model, and the run goes on", async (_, fails) => {
    await using stand = await serve([reply.calls(callOf("fetch", "call_1", 1)), reply.text("Done.")]);
    let attempts = 0;
    const fetches = numberTool("fetch", () => {
      attempts += 1;
      return fails();
    });
    const middleware = standard().map((each) => (each.name === "toolRetry" ? toolRetry({ ...quick, attempts: 3 }) : each));
    const agent = new Agent({ model: "test", client: stand.client, tools: [fetches], middleware });
    const result = await ends(runIn(way, agent, "Fetch.", { signal: new AbortController().signal }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(attempts).toBe(3);
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 3, outcome: { kind: "failed", error: { code: "TOOL_FAILED" } } });
    const [output] = outputsIn(inputOf(stand.server.request(1)));
    expect(errorIn(output?.[1])).toMatchObject({ code: "TOOL_FAILED" });
    stand.server.assertDone();
  });

  it("of a write it leaves the outcome unknown, after one attempt", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Done.")]);
    let attempts = 0;
    const pay = numberTool("pay", () => (attempts++, Promise.reject(new DOMException("aborted", "AbortError"))), { effect: "write" });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: layers() });
    const result = await ends(runIn(way, agent, "Pay."));
    expect(attempts).toBe(1);
    expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "unknown", error: { code: "TOOL_OUTCOME_UNKNOWN" } });
    stand.server.assertDone();
  });
});
