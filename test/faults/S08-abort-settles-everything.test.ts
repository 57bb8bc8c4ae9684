import { Agent, type RunEvent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep, untilAborted } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const slow = reply.text("word ".repeat(200)).with({ deltaSize: 2, eventDelayMs: 10 });

describe("S08: an abort settles every promise of a run", () => {
  it("in the middle of a stream: iteration and result reject with one error, and the request is cancelled", async () => {
    await using stand = await serve([slow]);
    const agent = new Agent({ model: "test", client: stand.client });
    const controller = new AbortController();
    const reason = new Error("enough");
    const stream = agent.stream("Talk.", { signal: controller.signal });
    const events: RunEvent[] = [];
    const iteration = (async () => {
      for await (const event of stream) {
        events.push(event);
        if (event.type === "text-delta" && !controller.signal.aborted) controller.abort(reason);
      }
    })();
    const [thrown, error] = await ends(Promise.all([failureOf(iteration), failureOf(stream.result)]));

    expect(thrown).toBe(error);
    expect(error.code).toBe("RUN_ABORTED");
    expect(error.cause).toBe(reason);
    expect(error.result).toMatchObject({ stopReason: "error", history: { kind: "local", items: [] } });
    expect(await ends(stand.server.request(0).ended, "The request")).toBe("aborted");
    // Nothing is told after the end.
    const told = events.length;
    await sleep(50);
    expect(events).toHaveLength(told);
    expect(events.at(-1)).toMatchObject({ type: "run-end", stopReason: "error" });
  });

  it.each([
    ["a JSON reply that is not there yet", reply.text("Late.").with({ delayMs: 60_000 })],
    ["a stream that has not begun", reply.hang({ beforeHeaders: true })],
    ["a stream that stalls", reply.hang({ afterEvents: 3 }, reply.text("Hello."))],
  ])("while the model is silent: %s", async (_, silent) => {
    await using stand = await serve([silent, silent]);
    const agent = new Agent({ model: "test", client: stand.client });
    const starts = [
      (signal: AbortSignal) => agent.run("Talk.", { signal }),
      (signal: AbortSignal) => agent.stream("Talk.", { signal }).result,
    ];
    for (const [index, start] of starts.entries()) {
      const controller = new AbortController();
      const run = failureOf(start(controller.signal));
      await stand.server.waitForRequest(index);
      await sleep(20);
      controller.abort();
      expect((await ends(run)).code).toBe("RUN_ABORTED");
    }
    expect(await ends(stand.server.request(1).ended, "The request")).toBe("aborted");
  });

  it.each([
    ["heeds the signal", (signal: AbortSignal) => untilAborted(signal)],
    ["is deaf", forever],
    ["swallows the abort and goes on", (signal: AbortSignal) => untilAborted(signal).catch(() => forever())],
  ])("while a tool runs that %s", async (_, hang) => {
    await using stand = await serve([reply.calls(callOf("hang", "call_1", 1))]);
    const reasons: unknown[] = [];
    const hangs = numberTool("hang", (_n, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return hang(signal);
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [hangs] });
    const controller = new AbortController();
    const reason = new Error("enough");
    const stream = agent.stream("Hang.", { signal: controller.signal });
    const iteration = (async () => {
      for await (const event of stream) if (event.type === "tool-attempt") controller.abort(reason);
    })();
    const [thrown, error] = await ends(Promise.all([failureOf(iteration), failureOf(stream.result)]));
    expect(thrown).toBe(error);
    expect(error.cause).toBe(reason);
    expect(reasons).toEqual([reason]);
    expect(error.result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "failed", error: { code: "TOOL_ABORTED" } });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("while nobody reads on: the consumer's slowness does not hold the result back", async () => {
    await using stand = await serve([reply.text("word ".repeat(2_000)).with({ deltaSize: 2 })]);
    const agent = new Agent({ model: "test", client: stand.client });
    const controller = new AbortController();
    const stream = agent.stream("Talk.", { signal: controller.signal });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await sleep(50);
    controller.abort();
    expect((await ends(failureOf(stream.result))).code).toBe("RUN_ABORTED");
    expect(await ends(stand.server.request(0).ended, "The request")).not.toBe("cut");
  });
});
