import { Agent } from "@toolwright/core";
import { modelRetry } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

const cutOff = reply.output(
  reply.text("Let me do both."),
  reply.calls(callOf("work", "call_A", 1), { name: "work", callId: "call_B", arguments: '{"n":1' }),
);

describe.each(waysAndHistories)("S05: a response that was cut off ($way, $kind)", ({ way, history }) => {
  it.each(["max_output_tokens", "content_filter"])("%s: no call runs, the one with whole arguments neither", async (reason) => {
    await using stand = await serve([reply.incomplete({ reason }, cutOff).with({ responseId: "resp_1" })]);
    const seen: number[] = [];
    const tools = [numberTool("work", (n) => seen.push(n))];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [modelRetry({ minDelayMs: 1 })], history });
    const error = await ends(failureOf(runIn(way, agent, "Do both.")));
    await sleep(20);

    expect(error).toMatchObject({
      code: "MODEL_INCOMPLETE",
      retryable: false,
      details: { reason, responseId: "resp_1", partialText: "Let me do both." },
    });
    expect(error.message).toContain(reason);
    expect(seen).toEqual([]);
    expect(stand.server.requests).toHaveLength(1);
    expect(error.result).toMatchObject({ stopReason: "error", items: [], steps: [], usage: { requests: 1 } });
    expect(error.result.usage.outputTokens).toBeGreaterThan(0);
  });
});
