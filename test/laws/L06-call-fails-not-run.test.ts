import { Agent, defineTool, ToolError, type ToolContext } from "@toolwright/core";
import { type CallSpec, reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep, untilAborted } from "../support/wait.js";
import { runIn, type Way, ways } from "../support/ways.js";

type Execute = (n: number, context: ToolContext) => unknown;

interface BadCall {
  readonly name: string;
  readonly call: Omit<CallSpec, "callId" | "name"> & { readonly name?: string };
  readonly code: string;
  readonly kind?: string;
  readonly execute?: Execute;
  readonly error?: object;
}

const bad = (name: string, text: string | object, error?: object): BadCall => ({
  name,
  call: { arguments: text },
  code: "TOOL_ARGUMENTS_INVALID",
  kind: "invalid",
  ...(error !== undefined && { error }),
});

const wrongCalls: readonly BadCall[] = [
  bad("single quotes", "{'n':1}"),
  bad("a trailing comma", '{"n":1,}'),
  bad("cut text", '{"n":'),
  bad("a list", "[1]"),
  bad("a text", '"n"'),
  bad("a number", "12"),
  bad("a key given twice", '{"n":1,"n":2}'),
  bad("no arguments", ""),
  bad("null", "null"),
  bad("a wrong type", { n: "1" }, { issues: [{ path: "n", expected: expect.any(String), received: expect.any(String) }] }),
  bad("a fraction", { n: 1.5 }),
  bad("a missing key", {}, { issues: [{ path: "n", expected: expect.any(String), received: expect.any(String) }] }),
  bad("an unknown key", { n: 1, m: 2 }, { issues: [expect.objectContaining({ path: expect.stringContaining("m") })] }),
  bad("a number past 2^53", '{"n":9007199254740993}'),
  { name: "an unknown tool", call: { name: "nowhere" }, code: "TOOL_UNKNOWN", kind: "invalid", error: { tools: ["odd", "fine"] } },
  { name: "the name of a property of every object", call: { name: "constructor" }, code: "TOOL_UNKNOWN", kind: "invalid" },
];

const throws = (name: string, execute: Execute, more: Partial<BadCall> = {}): BadCall => ({
  name,
  call: { arguments: { n: 1 } },
  code: "TOOL_FAILED",
  kind: "failed",
  execute,
  ...more,
});

const failures: readonly BadCall[] = [
  throws("throws at once", () => {
    throw new Error("secret");
  }),
  throws("rejects later", () => sleep(5).then(() => Promise.reject(new Error("secret")))),
  throws("throws undefined", () => Promise.reject(undefined)),
  throws("throws a text", () => Promise.reject("secret")),
  throws("throws a ToolError", () => Promise.reject(new ToolError({ code: "CLOSED", message: "Closed today.", retryable: true })), {
    code: "CLOSED",
    error: { message: "Closed today.", retryable: true },
  }),
];

async function oneBadAmongGood(way: Way, { call, execute = (n) => n }: BadCall, odd: Parameters<typeof numberTool>[2] = {}) {
  await using stand = await serve([
    reply.calls(callOf("fine", "call_before", 1), { name: "odd", ...call, callId: "call_odd" }, callOf("fine", "call_after", 2)),
    reply.text("Done."),
  ]);
  const seen: number[] = [];
  const tools = [numberTool("odd", execute, odd), numberTool("fine", async (n) => (await sleep(10), seen.push(n), `fine ${n}`))];
  const agent = new Agent({ model: "test", client: stand.client, tools });
  const result = await ends(runIn(way, agent, "Go."));
  stand.server.assertDone();
  expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
  expect(seen).toEqual([1, 2]);
  const outputs = outputsIn(inputOf(stand.server.request(1)));
  expect(outputs.map(([callId]) => callId)).toEqual(["call_before", "call_odd", "call_after"]);
  expect([outputs[0]?.[1], outputs[2]?.[1]]).toEqual(["fine 1", "fine 2"]);
  return { outcome: result.steps[0]?.calls[1]?.outcome, output: outputs[1]?.[1], attempts: result.steps[0]?.calls[1]?.attempts };
}

describe.each(ways)("L06: a call fails, not the run (%s)", (way) => {
  it.each(wrongCalls)("arguments: $name", async (row) => {
    let ran = 0;
    const { outcome, output, attempts } = await oneBadAmongGood(way, { ...row, execute: () => (ran += 1) });
    expect(outcome).toMatchObject({ kind: row.kind, error: { code: row.code } });
    expect(errorIn(output)).toMatchObject({ code: row.code, message: expect.any(String), retryable: false, ...row.error });
    expect([ran, attempts]).toEqual([0, 0]);
  });

  it.each(failures)("a tool that $name", async (row) => {
    const { outcome, output } = await oneBadAmongGood(way, row);
    expect(outcome).toMatchObject({ kind: row.kind, error: { code: row.code } });
    expect(errorIn(output)).toMatchObject({ code: row.code, message: expect.any(String), ...row.error });
    // What was thrown is for logs, never for the model.
    expect(String(output)).not.toContain("secret");
  });

  it("a tool that hangs is ended by its time, and told", async () => {
    const heard = Promise.withResolvers<unknown>();
    const hang = throws("hangs", (_, { signal }) => untilAborted(signal).catch((reason: unknown) => heard.resolve(reason)));
    const { outcome, output } = await oneBadAmongGood(way, hang, { timeoutMs: 30 });
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "TOOL_TIMEOUT" } });
    expect(errorIn(output)).toMatchObject({ code: "TOOL_TIMEOUT" });
    expect(await ends(heard.promise)).toMatchObject({ code: "TOOL_TIMEOUT" });
  });

  it("a tool that hangs deaf is left behind, and its late result is not used", async () => {
    const { outcome } = await oneBadAmongGood(
      way,
      throws("hangs", () => sleep(60).then(() => "too late")),
      { timeoutMs: 30 },
    );
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "TOOL_TIMEOUT" } });
    await sleep(60);
  });

  it.each([
    ["throws anything but a ToolError", (() => Promise.reject(new Error("secret"))) as Execute, "TOOL_OUTCOME_UNKNOWN"],
    ["hangs", forever, "TOOL_TIMEOUT"],
  ])("a declared write that %s is unknown, and the model is told not to repeat it", async (_, execute, code) => {
    const { outcome, output } = await oneBadAmongGood(way, throws("breaks", execute), { effect: "write", timeoutMs: 30 });
    expect(outcome).toMatchObject({ kind: "unknown", error: { code } });
    expect(errorIn(output)).toMatchObject({ code, retryable: false, message: expect.stringContaining("Do not repeat it") });
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  it.each([
    ["a cycle", cycle],
    ["a function", () => 1],
    [
      "a throwing getter",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("secret");
        },
      }),
    ],
  ])("a result that cannot be shown (%s) is no failure: the effect happened", async (_, value) => {
    const { outcome, output } = await oneBadAmongGood(
      way,
      throws("returns", () => value),
    );
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(output).toContain("cannot be shown");
  });
});

describe("L06: what is asked before a tool runs", () => {
  it.each([
    [
      "throws at once",
      () => {
        throw new Error("secret");
      },
    ],
    ["rejects later", () => sleep(5).then(() => Promise.reject(new Error("secret")))],
  ])("an approval that %s fails its call, runs nothing, and leaves the siblings alone", async (_, approval) => {
    await using stand = await serve([reply.calls(callOf("guarded", "call_1", 1), callOf("fine", "call_2", 2)), reply.text("Done.")]);
    let ran = 0;
    const parameters = { type: "object", properties: { n: { type: "integer" } } };
    const guarded = defineTool({
      name: "guarded",
      description: "Is guarded.",
      effect: "write",
      parameters,
      approval,
      execute: () => (ran += 1),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [guarded, numberTool("fine", (n) => n)] });
    const result = await ends(agent.run("Go."));
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["failed", "ok"]);
    expect(ran).toBe(0);
    expect(stand.server.request(1).text).not.toContain("secret");
  });
});
