import { Agent, defineMiddleware } from "@toolwright/core";
import { toolRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep, until, untilAborted } from "../support/wait.js";

describe("L06: a method that outlives its run", () => {
  it("is not told of after the end, but logged", async () => {
    await using stand = await serve([reply.calls(callOf("slow", "call_1", 1)), reply.text("Done.")]);
    const runEnds = Promise.withResolvers<void>();
    const slow = numberTool(
      "slow",
      async (_, { progress }) => {
        progress("begun");
        await runEnds.promise;
        progress("still here");
      },
      { timeoutMs: 20 },
    );
    const logged: string[] = [];
    const note = (_: object, message = "") => void logged.push(message);
    const seen: string[] = [];
    const watch = defineMiddleware({
      name: "watch",
      onEvent: (event) => void seen.push(event.type === "tool-progress" ? String(event.update) : event.type),
    });
    const log = { debug: note, info: note, warn: note, error: note };
    await ends(new Agent({ model: "test", client: stand.client, tools: [slow], middleware: [watch], log }).run("Go."));
    runEnds.resolve();
    await until(() => logged.length > 0);
    expect(logged).toEqual(["a tool ended after its call was settled; its result is not used"]);
    expect(seen).toContain("begun");
    expect(seen).not.toContain("still here");
    expect(seen.at(-1)).toBe("run-end");
  });
});

describe("L06: a repeated call and the attempt it leaves behind", () => {
  it("the second attempt's result counts, though the first one's method ends in the middle of it", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    const firstEnds = Promise.withResolvers<void>();
    const look = numberTool(
      "look",
      async (_, { attempt }) => {
        if (attempt === 1) return firstEnds.promise.then(() => "too late");
        firstEnds.resolve();
        await sleep(10);
        return "second";
      },
      { timeoutMs: 200 },
    );
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [look],
      middleware: [toolRetry({ minDelayMs: 1, maxDelayMs: 1 })],
    });
    const result = await ends(agent.run("Look."));
    expect(result.steps[0]?.calls[0]).toMatchObject({ outcome: { kind: "ok", output: "second" }, attempts: 2 });
  });

  it("a write whose first attempt timed out is repeated though another write of its toolkit runs meanwhile", async () => {
    await using stand = await serve([reply.calls(callOf("put", "call_1", 1), callOf("put", "call_2", 2)), reply.text("Done.")]);
    const put = numberTool(
      "put",
      async (n, { attempt, signal }) => {
        if (n === 1 && attempt === 1) return untilAborted(signal);
        if (n === 2) await sleep(60);
        return `put ${n}`;
      },
      { effect: "write", idempotent: true, timeoutMs: 300 },
    );
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [put],
      middleware: [toolRetry({ minDelayMs: 1, maxDelayMs: 1 })],
    });
    await ends(agent.run("Put."));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
      ["call_1", "put 1"],
      ["call_2", "put 2"],
    ]);
  });

  it("a write that never ends does not hold up later writes without a key", async () => {
    await using stand = await serve([
      reply.calls(callOf("put", "call_1", 1)),
      reply.calls(callOf("put", "call_2", 2)),
      reply.text("Done."),
    ]);
    const put = numberTool("put", (n) => (n === 1 ? forever() : `put ${n}`), { effect: "write", idempotent: true, timeoutMs: 30 });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [put],
      middleware: [toolRetry({ attempts: 2, minDelayMs: 1, maxDelayMs: 1 })],
    });
    const result = await ends(agent.run("Put."));
    expect(result.steps.flatMap((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual(["failed", "ok"]);
  });
});
