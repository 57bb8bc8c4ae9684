import { modelRetry } from "@toolwright/core/middleware";
import { reply, type ReplyOptions } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { backgroundAgent, cancelsOf, soon } from "../support/background.js";
import { serve } from "../support/serve.js";
import { ends, sleep, until } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

describe("an abort", () => {
  const never: ReplyOptions = { responseId: "resp_1", background: { until: new Promise(() => {}) } };

  it.each(ways)("cancels the response that is waited for (%s)", async (way) => {
    await using stand = await serve([reply.text("Never.").with(never)]);
    const controller = new AbortController();
    let started = false;
    const agent = backgroundAgent(stand, { ...soon, onStarted: () => void (started = true) });
    const run = failureOf(ends(runIn(way, agent, "Go.", { signal: controller.signal })));
    await until(() => started);
    controller.abort(new Error("enough"));
    expect(await run).toMatchObject({ code: "RUN_ABORTED" });
    await until(() => cancelsOf(stand) === 1);
    await expect(stand.client.responses.retrieve("resp_1")).resolves.toMatchObject({ status: "cancelled" });
  });

  it.each(ways)("cancels a response whose id comes only after it (%s)", async (way) => {
    await using stand = await serve([reply.text("Never.").with({ ...never, delayMs: 150 })]);
    const controller = new AbortController();
    const run = failureOf(ends(runIn(way, backgroundAgent(stand), "Go.", { signal: controller.signal })));
    await stand.server.waitForRequest(0);
    controller.abort();
    expect(await run).toMatchObject({ code: "RUN_ABORTED" });
    expect(cancelsOf(stand)).toBe(0);
    await until(() => cancelsOf(stand) === 1);
  });

  it.each(ways)("leaves the response alone, if told so (%s)", async (way) => {
    await using stand = await serve([reply.text("Later.").with(never)]);
    const controller = new AbortController();
    let started = false;
    const agent = backgroundAgent(stand, { ...soon, onAbort: "leave", onStarted: () => void (started = true) });
    const run = failureOf(ends(runIn(way, agent, "Go.", { signal: controller.signal })));
    await until(() => started);
    controller.abort();
    expect(await run).toMatchObject({ code: "RUN_ABORTED" });
    await sleep(50);
    expect(cancelsOf(stand)).toBe(0);
  });

  it("of a stream that is left cancels it too", async () => {
    await using stand = await serve([reply.text("Never ending story.").with(never)]);
    const stream = backgroundAgent(stand).stream("Go.");
    for await (const event of stream) if (event.type === "text-delta") break;
    await expect(stream.result).rejects.toMatchObject({ code: "RUN_ABORTED" });
    await until(() => cancelsOf(stand) === 1);
  });
});

describe("a request that is repeated", () => {
  it("goes on with the response that it has started, and starts no second one", async () => {
    // One more than a look is repeated.
    const faults = Array.from({ length: 9 }, () => ({ status: 500 }));
    await using stand = await serve([reply.text("Done.").with({ responseId: "resp_1", background: { faults } })]);
    const agent = backgroundAgent(stand, { pollMs: 1, maxPollMs: 2 }, { middleware: [modelRetry({ minDelayMs: 1 })] });
    await expect(ends(agent.run("Go."))).resolves.toMatchObject({ output: "Done." });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("without a retry, the error names the response that may still be under way", async () => {
    const faults = Array.from({ length: 9 }, () => ({ status: 500 }));
    await using stand = await serve([reply.text("Done.").with({ responseId: "resp_1", background: { faults } })]);
    const error = await failureOf(ends(backgroundAgent(stand, { pollMs: 1, maxPollMs: 2 }).run("Go.")));
    expect(error).toMatchObject({ code: "MODEL_SERVER", retryable: true, details: { responseId: "resp_1" } });
    const again = backgroundAgent(stand, { ...soon, attach: String(error.details["responseId"]) });
    await expect(ends(again.run("Go."))).resolves.toMatchObject({ output: "Done." });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("starts anew when its response has failed", async () => {
    await using stand = await serve([reply.failed({ code: "server_error", message: "It broke." }), reply.text("Done.")]);
    const agent = backgroundAgent(stand, soon, { middleware: [modelRetry({ minDelayMs: 1 })] });
    await expect(ends(agent.run("Go."))).resolves.toMatchObject({ output: "Done." });
    expect(stand.server.requests).toHaveLength(2);
  });
});
