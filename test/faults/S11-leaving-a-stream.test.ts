import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep, untilAborted } from "../support/wait.js";
import { failureOf, runIn } from "../support/ways.js";

const slow = reply.text("word ".repeat(200)).with({ deltaSize: 2, eventDelayMs: 10 });

async function leaveBy(way: "break" | "return" | "throw", agent: Agent, type: string): Promise<unknown> {
  const stream = agent.stream("Talk.");
  const read = async () => {
    for await (const event of stream) {
      if (event.type !== type) continue;
      if (way === "break") break;
      if (way === "return") return;
      throw new Error("the consumer's own");
    }
  };
  const thrown = await ends(
    read().catch((error: unknown) => error),
    "Leaving",
  );
  expect((await ends(failureOf(stream.result))).code).toBe("RUN_ABORTED");
  return thrown;
}

describe("S11: leaving the loop over a stream ends the run", () => {
  it.each(["break", "return", "throw"] as const)(
    "%s after the first text: the request is cancelled, nothing goes on, and the agent can be used again",
    async (way) => {
      await using stand = await serve([slow, reply.text("Hello.")]);
      const agent = new Agent({ model: "test", client: stand.client });
      const thrown = await leaveBy(way, agent, "text-delta");
      expect(thrown).toEqual(way === "throw" ? new Error("the consumer's own") : undefined);
      expect(await ends(stand.server.request(0).ended, "The request")).toBe("aborted");
      await sleep(100);
      expect(stand.server.requests).toHaveLength(1);
      expect(await ends(runIn("stream", agent, "Hello?"))).toMatchObject({ output: "Hello." });
      stand.server.assertDone();
    },
  );

  it("break in the middle of a tool ends the tool", async () => {
    await using stand = await serve([reply.calls(callOf("hang", "call_1", 1))]);
    const heard = Promise.withResolvers<unknown>();
    const hang = numberTool("hang", (_, { signal }) => untilAborted(signal).catch((reason: unknown) => heard.resolve(reason)));
    const agent = new Agent({ model: "test", client: stand.client, tools: [hang] });
    await leaveBy("break", agent, "tool-attempt");
    expect(await ends(heard.promise, "The tool")).toMatchObject({ name: "AbortError" });
    await sleep(50);
    expect(stand.server.requests).toHaveLength(1);
  });

  it("break before anything has begun lets nothing begin", async () => {
    await using stand = await serve([]);
    const agent = new Agent({ model: "test", client: stand.client });
    await leaveBy("break", agent, "run-start");
    await sleep(50);
    expect(stand.server.requests.filter(({ status }) => status === 200)).toEqual([]);
  });

  it("break at the last event is no abort: the run has ended", async () => {
    await using stand = await serve([reply.text("Hello.")]);
    const agent = new Agent({ model: "test", client: stand.client });
    const stream = agent.stream("Hello?");
    for await (const event of stream) if (event.type === "run-end") break;
    expect(await ends(stream.result)).toMatchObject({ stopReason: "completed", output: "Hello." });
  });

  it("a stream can be iterated once, and the second time says so", async () => {
    await using stand = await serve([reply.text("Hello.")]);
    const stream = new Agent({ model: "test", client: stand.client }).stream("Hello?");
    for await (const _ of stream);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "RUN_OPTIONS" }));
  });

  it("break in a resumed run ends that run, and what was decided is not carried out again", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), slow, reply.text("Here again.")]);
    const paid: number[] = [];
    const pay = numberTool("pay", (n) => (paid.push(n), "paid"), { effect: "write", approval: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const { state } = await pause(ends(agent.run("Pay.")));
    const stream = agent.stream(state, { decisions: approve("call_1") });
    for await (const event of stream) if (event.type === "text-delta") break;
    const error = await ends(failureOf(stream.result));
    expect(error.code).toBe("RUN_ABORTED");
    const again = agent.stream(state, { decisions: approve("call_1") });
    expect(await ends(failureOf(again.result))).toMatchObject({ code: "RUN_STATE" });
    expect(await ends(agent.run("Hello?", { history: error.result.history }))).toMatchObject({ output: "Here again." });
    expect(paid).toEqual([1]);
  });
});
