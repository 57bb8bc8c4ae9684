import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Item, memorySession } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { backgroundAgent, soon, textOf } from "../support/background.js";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, until } from "../support/wait.js";
import { collect, failureOf, runIn, ways } from "../support/ways.js";

describe("attaching to a response", () => {
  it.each(ways)("goes on with it instead of starting one, and later steps are started (%s)", async (way) => {
    const gate = Promise.withResolvers<void>();
    await using stand = await serve([
      reply.calls(callOf("look", "call_1", 1)).with({ responseId: "resp_1", background: { until: gate.promise } }),
      reply.text("Seen."),
    ]);
    const first = await stand.client.responses.create({
      model: "test",
      input: "Look.",
      background: true,
      stream: false,
      tools: [] as never[],
    });
    expect(first.status).toBe("queued");
    const agent = backgroundAgent(stand, { ...soon, attach: "resp_1" }, { tools: [numberTool("look", (n) => n)] });
    const run = runIn(way, agent, "Look.");
    setTimeout(gate.resolve, 60);
    const result = await ends(run);
    expect(result).toMatchObject({ output: "Seen.", steps: [{ responseId: "resp_1" }, {}] });
    expect(stand.server.requests).toHaveLength(2);
    // The next run is none that was interrupted.
    expect(inputOf(stand.server.request(1)).map(({ type }: Item) => type)).toEqual(["message", "function_call", "function_call_output"]);
  });

  it("follows the events from the first one, where the response was started with a stream", async () => {
    await using stand = await serve([
      reply.cut({ afterEvents: 5 }, reply.text("A long story.")).with({ responseId: "resp_1", deltaSize: 3 }),
    ]);
    const lost = backgroundAgent(stand, { ...soon, onAbort: "leave" });
    const broken = lost.stream("Tell.");
    for await (const event of broken) if (event.type === "text-delta") break;
    const { events, result } = await ends(collect(backgroundAgent(stand, { ...soon, attach: "resp_1" }), "Tell."));
    expect([textOf(events), result.output]).toEqual(["A long story.", "A long story."]);
  });

  it("goes on after the process that started it was killed", async () => {
    const gate = Promise.withResolvers<void>();
    await using stand = await serve([reply.text("Late, but here.").with({ background: { until: gate.promise } })]);
    const script = fileURLToPath(new URL("../support/start-in-background.mjs", import.meta.url));
    const child = spawn(process.execPath, [script, stand.server.url, "What took you so long?"], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await ends(once(child.stdout, "data"))) as [Buffer];
    await until(() => stand.server.otherRequests.length > 0);
    child.kill("SIGKILL");
    await ends(once(child, "close"));
    gate.resolve();
    const agent = backgroundAgent(stand, { ...soon, attach: line.toString().trim() });
    const result = await ends(agent.run("What took you so long?"));
    expect(result).toMatchObject({ output: "Late, but here.", steps: [{ responseId: line.toString().trim() }] });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("in the middle of a run on a session, goes on with no new input", async () => {
    const gate = Promise.withResolvers<void>();
    await using stand = await serve([
      reply.calls(callOf("look", "call_1", 1)),
      reply.text("Seen.").with({ background: { until: gate.promise } }),
      reply.text("Yes."),
    ]);
    const history = { kind: "local", session: memorySession() } as const;
    const tools = [numberTool("look", () => "seen")];
    const controller = new AbortController();
    const started: string[] = [];
    const first = backgroundAgent(
      stand,
      { ...soon, onAbort: "leave", onStarted: (each) => void started.push(each.responseId) },
      { history, tools },
    );
    const run = failureOf(ends(first.run("Look.", { signal: controller.signal })));
    await until(() => started.length === 2);
    controller.abort();
    await run;
    gate.resolve();
    const second = backgroundAgent(stand, { ...soon, attach: started[1] }, { history, tools });
    await expect(ends(second.run([]))).resolves.toMatchObject({ output: "Seen." });
    await ends(second.run("Sure?"));
    expect(inputOf(stand.server.request(2)).map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "message",
      "message",
    ]);
    stand.server.assertDone();
  });

  it("is refused for a response of another history", async () => {
    await using stand = await serve([reply.text("One."), reply.text("Two.").with({ responseId: "resp_2" })]);
    const one = await ends(backgroundAgent(stand, soon, { history: { kind: "chained" } }).run("One?"));
    await ends(backgroundAgent(stand, soon, { history: one.history }).run("Two?"));
    const agent = backgroundAgent(stand, { ...soon, attach: "resp_2" }, { history: { kind: "chained" } });
    const error = await failureOf(ends(agent.run("Two?")));
    expect(error).toMatchObject({ code: "RUN_OPTIONS", details: { responseId: "resp_2" } });
    const right = backgroundAgent(stand, { ...soon, attach: "resp_2" }, { history: one.history });
    await expect(ends(right.run("Two?"))).resolves.toMatchObject({ output: "Two." });
  });

  it("to one that is not there says so", async () => {
    await using stand = await serve([]);
    const error = await failureOf(ends(backgroundAgent(stand, { ...soon, attach: "resp_none" }).run("Go.")));
    expect(error).toMatchObject({ code: "MODEL_NOT_FOUND", details: { responseId: "resp_none" } });
  });
});
