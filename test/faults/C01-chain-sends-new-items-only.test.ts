import { Agent, type HistoryOption, type Item } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

const turn = (n: number) => [
  reply.output(reply.reasoning("Hm."), reply.calls(callOf("stock_level", `call_${n}`, n))).with({ responseId: `resp_${n}a` }),
  reply.output(reply.reasoning("So."), reply.text(`There are ${n}.`)).with({ responseId: `resp_${n}b` }),
];

const idsOf = (items: readonly Item[]) => items.map((item) => item["id"]).filter((id) => id !== undefined);

describe.each(ways)("C01: a chained run posts new items only (%s)", (way) => {
  it("over four turns, nothing that the server gave is posted back", async () => {
    await using stand = await serve([1, 2, 3, 4].flatMap(turn));
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("stock_level", (n) => n)],
      history: { kind: "chained" },
    });
    const received: unknown[] = [];
    let history: HistoryOption | undefined;
    for (const n of [1, 2, 3, 4]) {
      const result = await ends(runIn(way, agent, `How many of ${n}?`, { history }));
      received.push(...idsOf(result.items));
      history = result.history;
    }

    expect(received).toHaveLength(16);
    for (const [index, request] of stand.server.requests.entries()) {
      const input = inputOf(request);
      expect(input).toHaveLength(1);
      expect(idsOf(input)).toEqual([]);
      const n = Math.floor(index / 2) + 1;
      if (index % 2 === 0) expect(input[0]).toEqual({ type: "message", role: "user", content: `How many of ${n}?` });
      else expect(input[0]).toEqual({ type: "function_call_output", call_id: `call_${n}`, output: String(n) });
      expect(request.body.previous_response_id).toBe(
        index === 0 ? undefined : `resp_${Math.floor((index + 1) / 2)}${index % 2 === 0 ? "b" : "a"}`,
      );
    }
    stand.server.assertDone();
  });
});
