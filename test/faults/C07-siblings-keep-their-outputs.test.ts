import { Agent, defineMiddleware } from "@toolwright/core";
import { standard, toolErrors } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

const three = reply.calls(callOf("work", "call_quick", 5), callOf("fail", "call_fail", 1), callOf("work", "call_slow", 20));

function tools() {
  const finished: number[] = [];
  const work = numberTool("work", async (n) => (await sleep(n), finished.push(n), `worked ${n}`));
  const fail = numberTool("fail", async (n) => (await sleep(n), Promise.reject(new Error("db://user:pw@host"))));
  return { finished, tools: [work, fail] };
}

describe.each(waysAndHistories)("C07: siblings of a failing call keep their outputs ($way, $kind)", ({ way, history }) => {
  it.each([
    ["without middleware", []],
    ["with the standard ones", standard().filter(({ name }) => name !== "toolRetry")],
  ])("three calls, three outputs, %s", async (_, middleware) => {
    await using stand = await serve([three, reply.text("Two of three."), reply.text("Again.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: tools().tools, middleware, history });
    const result = await ends(runIn(way, agent, "Go."));
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs.map(([callId]) => callId)).toEqual(["call_quick", "call_fail", "call_slow"]);
    expect([outputs[0]?.[1], outputs[2]?.[1]]).toEqual(["worked 5", "worked 20"]);
    expect(errorIn(outputs[1]?.[1]).code).toBe("TOOL_FAILED");
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    stand.server.assertDone();
  });

  it.each([
    ["a failure that is to end the run", toolErrors({ rethrow: ["TOOL_FAILED"] }), "RUN_TOOL_FAILED"],
    [
      "a middleware that throws",
      defineMiddleware({
        name: "odd",
        wrapToolCall: (call, next) => (call.name === "fail" ? Promise.reject(new Error("boom")) : next(call)),
      }),
      "RUN_MIDDLEWARE",
    ],
  ])("%s ends it when all siblings have settled, and the history stays valid", async (_, middleware, code) => {
    await using stand = await serve([three, reply.text("Again.")]);
    const { finished, tools: list } = tools();
    const agent = new Agent({ model: "test", client: stand.client, tools: list, middleware: [middleware], history });
    const error = await ends(failureOf(runIn(way, agent, "Go.")));
    expect(error.code).toBe(code);
    expect(finished).toEqual([5, 20]);
    expect(outputsIn(error.result.items).map(([callId]) => callId)).toEqual(["call_quick", "call_fail", "call_slow"]);
    const plain = new Agent({ model: "test", client: stand.client, tools: list });
    await ends(runIn(way, plain, "Go on.", { history: error.result.history }));
    stand.server.assertDone();
  });
});
