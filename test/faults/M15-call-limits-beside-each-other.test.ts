import { Agent, defineMiddleware } from "@toolwright/core";
import { standard } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

const five = reply.calls(...Array.from({ length: 5 }, (_, n) => callOf("look", `call_${n}`, n)));

/** Every layer waits its own random while, so that the calls reach the tool in any order. */
const jitter = () => sleep(Math.random() * 3);
const shuffles = defineMiddleware({ name: "shuffles", wrapToolCall: async (call, next) => (await jitter(), next(call)) });

describe.each(ways)("M15: calls side by side do not race past maxCalls (%s)", (way) => {
  it.each([1, 2, 4])(
    "a limit of %i: the first ones run and the others are told, 100 times the same",
    async (maxCalls) => {
      await using stand = await serve(({ index }) => (index % 2 === 0 ? five : reply.text("Done.")));
      let seen: number[] = [];
      const look = numberTool(
        "look",
        async (n) => {
          await jitter();
          seen.push(n);
          return `seen ${n}`;
        },
        { maxCalls },
      );
      const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware: [...standard(), shuffles] });
      const orders = new Set<string>();
      for (let repeat = 0; repeat < 100; repeat += 1) {
        seen = [];
        const result = await ends(runIn(way, agent, "Look."));
        orders.add(seen.join());
        expect(seen.toSorted()).toEqual(Array.from({ length: maxCalls }, (_, n) => n));
        const calls = result.steps[0]?.calls ?? [];
        expect(calls.map(({ outcome }) => outcome.kind)).toEqual(Array.from({ length: 5 }, (_, n) => (n < maxCalls ? "ok" : "skipped")));
        expect(calls.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 5 }, (_, n) => (n < maxCalls ? 1 : 0)));
        const outputs = outputsIn(inputOf(stand.server.request(2 * repeat + 1))).map(([, output]) => output);
        expect(outputs.slice(0, maxCalls)).toEqual(Array.from({ length: maxCalls }, (_, n) => `seen ${n}`));
        for (const output of outputs.slice(maxCalls)) {
          expect(errorIn(output)).toMatchObject({ code: "TOOL_SKIPPED", message: expect.stringContaining(`${maxCalls} times`) });
        }
      }
      // The calls did come in different orders, or the hundred would show no more than one.
      if (maxCalls > 1) expect(orders.size).toBeGreaterThan(1);
    },
    60_000,
  );

  it("a limit is of one tool and of one run", async () => {
    const both = (step: number) =>
      reply.calls(...["look", "peek", "look", "peek"].map((name, index) => callOf(name, `call_${step}_${index}`, index)));
    await using stand = await serve([both(1), both(2), reply.text("Done."), both(3), reply.text("Done.")]);
    const tools = [numberTool("look", (n) => n, { maxCalls: 1 }), numberTool("peek", (n) => n, { maxCalls: 3 })];
    const agent = new Agent({ model: "test", client: stand.client, tools });
    const first = await ends(runIn(way, agent, "Go."));
    expect(first.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([
      ["ok", "ok", "skipped", "ok"],
      ["skipped", "ok", "skipped", "skipped"],
      [],
    ]);
    const second = await ends(runIn(way, agent, "Again."));
    expect(second.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "ok", "skipped", "ok"]);
    stand.server.assertDone();
  });
});
