import { Agent, defineMiddleware, ToolError } from "@toolwright/core";
import { standard, toolRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, localItems, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, runIn, waysAndHistories } from "../support/ways.js";

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

const threeCalls = reply.calls(callOf("look", "call_a", 0), callOf("look", "call_b", 1), callOf("look", "call_c", 2));

describe.each(waysAndHistories)("L01: one call, one output ($way, $kind)", ({ way, kind, history }) => {
  it.each(orders)("outputs stand in the model's order when the calls finish in the order %i, %i, %i", async (...order) => {
    await using stand = await serve([threeCalls, reply.text("Done.")]);
    const doors = order.map(() => Promise.withResolvers<void>());
    const look = numberTool("look", async (n) => {
      await doors[n]?.promise;
      // Each lets the next one go, so that the order is certain.
      doors[order[order.indexOf(n as 0 | 1 | 2) + 1] ?? -1]?.resolve();
      return `seen ${n}`;
    });
    const finished: string[] = [];
    const watch = defineMiddleware({
      name: "watch",
      onEvent: (event) => void (event.type === "tool-outcome" && finished.push(event.callId)),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware: [watch], history });
    doors[order[0]]?.resolve();
    const result = await ends(runIn(way, agent, "Look."));

    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs).toEqual([
      ["call_a", "seen 0"],
      ["call_b", "seen 1"],
      ["call_c", "seen 2"],
    ]);
    expect(outputsIn(result.items)).toEqual(outputs);
    expect(finished).toEqual(order.map((n) => ["call_a", "call_b", "call_c"][n]));
    stand.server.assertDone();
  });

  it("every kind of end gives its call one output, and its siblings keep theirs", async () => {
    await using stand = await serve([
      reply.calls(
        callOf("fine", "call_ok", 1),
        callOf("throws", "call_throws", 2),
        callOf("says", "call_says", 3),
        callOf("policed", "call_denied", 4),
        callOf("fine", "call_over_limit", 5),
        { name: "fine", callId: "call_bad_json", arguments: "{n:1}" },
        { name: "fine", callId: "call_bad_arguments", arguments: { n: "one" } },
        callOf("nowhere", "call_no_tool", 6),
        callOf("flaky", "call_retried", 7),
        callOf("slow", "call_timeout", 8),
      ),
      reply.text("Done."),
    ]);
    let tries = 0;
    const tools = [
      numberTool("fine", (n) => n, { maxCalls: 1 }),
      numberTool("throws", () => Promise.reject(new Error("private"))),
      numberTool("says", () => Promise.reject(new ToolError({ code: "CLOSED", message: "Closed today." }))),
      numberTool("policed", (n) => n),
      numberTool("flaky", (n) => (++tries < 3 ? Promise.reject(new ToolError({ code: "BUSY", message: "Busy.", retryable: true })) : n)),
      numberTool("slow", () => new Promise(() => {}), { timeoutMs: 30, effect: "write" }),
    ];
    const police = defineMiddleware({
      name: "police",
      wrapToolCall: async (call, next) => (call.name === "policed" ? { kind: "denied", reason: "Not on Sundays." } : next(call)),
    });
    const middleware = [police, toolRetry({ minDelayMs: 1, maxDelayMs: 1 })];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware, history });
    const result = await ends(runIn(way, agent, "Do it all."));

    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(result.steps[0]?.calls.map((call) => call.callId));
    expect(result.steps[0]?.calls.map(({ callId, outcome }) => [callId, outcome.kind])).toEqual([
      ["call_ok", "ok"],
      ["call_throws", "failed"],
      ["call_says", "failed"],
      ["call_denied", "denied"],
      ["call_over_limit", "skipped"],
      ["call_bad_json", "invalid"],
      ["call_bad_arguments", "invalid"],
      ["call_no_tool", "invalid"],
      ["call_retried", "ok"],
      ["call_timeout", "unknown"],
    ]);
    expect(outputs[0]?.[1]).toBe("1");
    expect(errorIn(outputs[2]?.[1])).toEqual({ code: "CLOSED", message: "Closed today.", retryable: false });
    expect(errorIn(outputs[3]?.[1])).toMatchObject({ code: "TOOL_DENIED", message: expect.stringContaining("Not on Sundays.") });
    expect(outputs[8]?.[1]).toBe("7");
    stand.server.assertDone();
  });

  it("identical twins are one call: run once, answered once", async () => {
    await using stand = await serve([
      reply.calls(
        { ...callOf("look", "call_t", 1), id: "fc_1" },
        { ...callOf("look", "call_t", 1), id: "fc_2" },
        callOf("look", "call_u", 2),
      ),
      reply.text("Done."),
    ]);
    const seen: number[] = [];
    const look = numberTool("look", (n) => seen.push(n));
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], history });
    const result = await ends(runIn(way, agent, "Look."));

    expect(seen).toEqual([1, 2]);
    expect(outputsIn(inputOf(stand.server.request(1))).map(([callId]) => callId)).toEqual(["call_t", "call_u"]);
    expect(result.steps[0]?.calls).toHaveLength(2);
    stand.server.assertDone();
  });

  it("differing twins do not run, are answered by one error, and local history keeps the first", async () => {
    await using stand = await serve([
      reply.calls(
        { ...callOf("look", "call_t", 1), id: "fc_1" },
        { ...callOf("look", "call_t", 2), id: "fc_2" },
        callOf("look", "call_u", 3),
      ),
      reply.text("Done."),
      reply.text("Still here."),
    ]);
    const seen: number[] = [];
    const look = numberTool("look", (n) => seen.push(n));
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], history });
    const result = await ends(runIn(way, agent, "Look."));

    expect(seen).toEqual([3]);
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(["call_t", "call_u"]);
    expect(errorIn(outputs[0]?.[1])).toMatchObject({ code: "TOOL_DUPLICATE_CALL", message: expect.stringContaining("call_t") });
    if (kind === "local") {
      expect(
        localItems(result.history)
          .filter((item) => item.type === "function_call")
          .map((item) => item["id"]),
      ).toEqual(["fc_1", "fc_of_call_u"]);
    }
    await runIn(way, agent, "Go on.", { history: result.history });
    stand.server.assertDone();
  });

  it("an output joins by call_id, even where another call's item id is the same text", async () => {
    await using stand = await serve([
      reply.calls({ ...callOf("look", "fc_2", 1), id: "fc_1" }, { ...callOf("look", "fc_1", 2), id: "fc_2" }),
      reply.text("Done."),
    ]);
    const look = numberTool("look", (n) => `seen ${n}`);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], history });
    await ends(runIn(way, agent, "Look."));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
      ["fc_2", "seen 1"],
      ["fc_1", "seen 2"],
    ]);
    stand.server.assertDone();
  });

  it("a call id that the server uses again in a later step is a new call", async () => {
    const again = (n: number) => reply.calls({ name: "look", callId: "call_same", id: `fc_${n}`, arguments: { n } });
    await using stand = await serve([again(1), again(2), again(3), reply.text("Done.")]);
    const seen: number[] = [];
    const keys = new Set<string>();
    const look = numberTool("look", (n, { idempotencyKey }) => {
      keys.add(idempotencyKey);
      return seen.push(n);
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], history });
    const result = await ends(runIn(way, agent, "Look."));
    expect(seen).toEqual([1, 2, 3]);
    expect(keys.size).toBe(3);
    expect(outputsIn(result.items)).toEqual([
      ["call_same", "1"],
      ["call_same", "2"],
      ["call_same", "3"],
    ]);
    stand.server.assertDone();
  });
});

describe("L01: outputs are never doubled by what a wrap does", () => {
  it("a call that is tried three times has one outcome and one output", async () => {
    await using stand = await serve([reply.calls(callOf("flaky", "call_1", 1)), reply.text("Done.")]);
    let tries = 0;
    const flaky = numberTool("flaky", () => {
      tries += 1;
      if (tries < 3) throw new Error("not yet");
      return "at last";
    });
    const middleware = [...standard().filter(({ name }) => name !== "toolRetry"), toolRetry({ minDelayMs: 1, maxDelayMs: 1 })];
    const agent = new Agent({ model: "test", client: stand.client, tools: [flaky], middleware });
    const { result, events } = await ends(collect(agent, "Go."));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", "at last"]]);
    expect(events.filter((event) => event.type === "tool-outcome")).toHaveLength(1);
    expect(events.filter((event) => event.type === "tool-attempt").map((event) => event.attempt)).toEqual([1, 2, 3]);
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 3, outcome: { kind: "ok" } });
  });
});
