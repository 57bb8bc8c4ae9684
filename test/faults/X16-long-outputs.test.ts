import { Agent, type AgentOptions, type RunEvent, ToolError } from "@toolwright/core";
import { logging, toolErrors, trimOutputs } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { failureOf, runIn, waysAndHistories } from "../support/ways.js";

const megabytes5 = 5_000_000;
const results: readonly (readonly [what: string, result: () => unknown])[] = [
  ["a text of 5 MB", () => "x".repeat(megabytes5)],
  ["50,000 rows", () => Array.from({ length: 50_000 }, (_, index) => ({ index, name: `row ${index}`, note: "y".repeat(50) }))],
  [
    "a failure of 5 MB",
    () => {
      throw new ToolError({ code: "LONG", message: "z".repeat(megabytes5), retryable: false });
    },
  ],
  ["characters of two units", () => "😀".repeat(megabytes5 / 2)],
];

const steps = 4;
const script = [...Array.from({ length: steps }, (_, step) => reply.calls(callOf("dump", `call_${step}`, step))), reply.text("Done.")];
const dumping = (result: () => unknown) => [numberTool("dump", result)];

describe.each(waysAndHistories)("X16: a long output is cut once and for all ($way, $kind)", ({ way, history }) => {
  it.each(results)("%s, in every request after it", async (_, result) => {
    await using stand = await serve(script);
    const agent = new Agent({ model: "test", client: stand.client, tools: dumping(result), history, maxOutputChars: 10_000 });
    const { items } = await runIn(way, agent, "Dump it.");
    // What was cut is what is kept, and so it is what is sent again.
    const outputs = outputsIn(items).map(([, output]) => String(output));
    expect(outputs).toHaveLength(steps);
    for (const output of outputs) {
      // A failure stays the JSON that it is: its message is cut.
      const text = output.startsWith('{"error"') ? errorIn(output).message : output;
      expect(text).toMatch(/\n\[Cut here: the first \d+ of \d+ characters\. [^\n]+\.\]$/);
      expect(output.length).toBeLessThan(10_200);
      expect(output.isWellFormed()).toBe(true);
    }
    stand.server.requests.forEach(({ text, context }, step) => {
      expect(text.length).toBeLessThan(4_000 + 14_000 * (history.kind === "local" ? step : 1));
      expect(outputsIn(context).map(([, output]) => output)).toEqual(outputs.slice(0, step));
    });
    stand.server.assertDone();
  });
});

describe("X16: the limit", () => {
  const outputOf = async (result: () => unknown, more: Partial<Omit<AgentOptions, "output">> = {}): Promise<string> => {
    await using stand = await serve([reply.calls(callOf("dump", "call_0", 0)), reply.text("Done.")]);
    const { items } = await new Agent({ model: "test", client: stand.client, tools: dumping(result), ...more }).run("Dump it.");
    return String(outputsIn(items)[0]?.[1]);
  };

  it("is there without being asked for, and tells both sizes", async () => {
    expect(await outputOf(() => "x".repeat(megabytes5))).toMatch(/\[Cut here: the first 100000 of 5000000 characters\./);
  });

  it("can be another one for each tool, with a hint of its own", async () => {
    const middleware = [trimOutputs({ maxChars: 1_000, tools: { dump: 50 }, hint: "Ask for fewer rows." })];
    expect(await outputOf(() => "x".repeat(megabytes5), { middleware })).toBe(
      `${"x".repeat(50)}\n[Cut here: the first 50 of 5000000 characters. Ask for fewer rows.]`,
    );
  });

  it("holds for texts that a layer makes", async () => {
    const middleware = [toolErrors({ format: () => "w".repeat(megabytes5) })];
    const result = (): never => {
      throw new Error("broken");
    };
    expect((await outputOf(result, { middleware })).length).toBeLessThan(101_000);
  });
});

describe("X16: nothing else holds on to it", () => {
  it("neither the records and events of the run, nor its log", async () => {
    await using stand = await serve(script);
    let written = "";
    const stream = { write: (line: string) => (written += line) };
    const middleware = [logging({ content: true, stream, format: "json" }), trimOutputs({ maxChars: 1_000 })];
    const agent = new Agent({ model: "test", client: stand.client, tools: dumping(() => "x".repeat(megabytes5)), middleware });
    const events: RunEvent[] = [];
    const run = agent.stream("Dump it.");
    for await (const event of run) events.push(event);
    const result = await run.result;
    expect(JSON.stringify([result, events]).length).toBeLessThan(40_000);
    // A line has 2,000 characters at most.
    expect(Math.max(...written.split("\n").map((line) => line.length))).toBeLessThanOrEqual(2_001);
    expect(written.length).toBeLessThan(30_000);
  });

  it("nor what a failed run leaves", async () => {
    await using stand = await serve([...script.slice(0, 2), reply.http(400, { code: "invalid_prompt" })]);
    const agent = new Agent({ model: "test", client: stand.client, tools: dumping(() => "x".repeat(megabytes5)), maxOutputChars: 1_000 });
    const { result } = await failureOf(agent.run("Dump it."));
    expect(JSON.stringify(result.items).length).toBeLessThan(5_000);
    expect(JSON.stringify(result.history).length).toBeLessThan(5_000);
    expect(JSON.stringify(result.steps).length).toBeLessThan(5_000);
  });
});
