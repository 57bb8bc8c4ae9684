import { Agent, content, defineMiddleware, defineTool, type Middleware, type OutputPart, type ToolOutcome } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { ends, sleep } from "../support/wait.js";

const parameters = { type: "object", properties: {} } as const;
const write = (execute: () => unknown) => defineTool({ name: "pay", description: "Pays.", effect: "write", parameters, execute });
const call = () => reply.calls({ callId: "call_1", name: "pay" });

async function outputOf(execute: () => unknown, middleware: readonly Middleware[] = []): Promise<unknown> {
  await using stand = await serve([call(), reply.text("Done.")]);
  const agent = new Agent({ model: "test", client: stand.client, tools: [write(execute)], middleware });
  expect(await ends(agent.run("Pay."))).toMatchObject({ stopReason: "completed" });
  stand.server.assertDone();
  return outputsIn(inputOf(stand.server.request(1)))[0]?.[1];
}

describe("a result that cannot be shown is done all the same", () => {
  const parts: readonly (readonly [string, unknown])[] = [
    ["a part of the wire's own form", { type: "input_text", text: "paid" }],
    ["a text in place of a part", "paid"],
    ["null in place of a part", null],
    ["an image without a source", { type: "image" }],
    ["a file with two sources", { type: "file", url: "https://example.com/a", fileId: "file_1" }],
  ];
  it.each(parts)("%s", async (_, part) => {
    expect(await outputOf(() => content([part as OutputPart]))).toMatch(/The tool is done, but its result cannot be shown/);
  });

  it("an object whose every look throws", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(await outputOf(() => [proxy])).toMatch(/cannot be shown/);
  });
});

it("a thrown object whose every look throws is a failure like another", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const output = await outputOf(() => {
    throw proxy;
  });
  expect(errorIn(output).code).toBe("TOOL_OUTCOME_UNKNOWN");
});

describe("a middleware cannot make a started write certain, or lose it", () => {
  const early: ToolOutcome = { kind: "failed", error: { code: "SLOW", message: "Slow.", retryable: true } };

  it("by answering while the write still runs", async () => {
    const race = defineMiddleware({
      name: "race",
      wrapToolCall: (inner, next) => Promise.race([next(inner), sleep(10).then(() => early)]),
    });
    expect(errorIn(await outputOf(() => sleep(60), [race]))).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN", retryable: false });
  });

  it("by an output of a wrong form", async () => {
    await using stand = await serve([call()]);
    const odd = defineMiddleware({
      name: "odd",
      wrapToolCall: async (inner, next) => {
        await next(inner);
        return { kind: "ok", output: [{ type: "input_text", text: 5n }] } as unknown as ToolOutcome;
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [write(() => "paid")], middleware: [odd] });
    const error = await agent.run("Pay.").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE" });
    expect((error as { result: { steps: unknown } }).result.steps).toMatchObject([
      { calls: [{ outcome: { kind: "ok", output: "paid" } }] },
    ]);
  });

  it("by passing it on as another call", async () => {
    await using stand = await serve([call()]);
    const other = defineMiddleware({ name: "other", wrapToolCall: (inner, next) => next({ ...inner, callId: "call_9" }) });
    const agent = new Agent({ model: "test", client: stand.client, tools: [write(() => "paid")], middleware: [other] });
    await expect(ends(agent.run("Pay."))).rejects.toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining('"call_9"') });
  });

  it("by a state that cannot be kept: it is refused before anything runs", async () => {
    await using stand = await serve([]);
    const state = () => ({ report() {} }) as unknown as Record<string, never>;
    const agent = new Agent({ model: "test", client: stand.client, middleware: [defineMiddleware({ name: "odd", state })] });
    await expect(agent.run("Pay.")).rejects.toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining('"odd"') });
    expect(stand.server.requests).toHaveLength(0);
  });
});

describe("nothing but a boolean approves", () => {
  it.each(["false", "no", {}, [], 1])("%j as a decision is refused", async (approve) => {
    await using stand = await serve([call()]);
    let paid = 0;
    const pay = defineTool({ name: "pay", description: "Pays.", effect: "write", approval: true, parameters, execute: () => (paid += 1) });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const { state } = await agent.run("Pay.");
    const decisions = [{ callId: "call_1", approve: approve as true }];
    await expect(agent.resume(JSON.stringify(state), { decisions })).rejects.toMatchObject({ code: "RUN_STATE" });
    expect(paid).toBe(0);
  });

  it.each(["yes", undefined, {}])("%j from a predicate runs nothing", async (answer) => {
    await using stand = await serve([call(), reply.text("Not paid.")]);
    let paid = 0;
    const approval = () => answer as unknown as boolean;
    const pay = defineTool({ name: "pay", description: "Pays.", effect: "write", approval, parameters, execute: () => (paid += 1) });
    await new Agent({ model: "test", client: stand.client, tools: [pay] }).run("Pay.");
    expect(errorIn(outputsIn(inputOf(stand.server.request(1)))[0]?.[1]).code).toBe("TOOL_FAILED");
    expect(paid).toBe(0);
  });

  it("edited arguments that do not fit leave the call waiting", async () => {
    await using stand = await serve([reply.calls({ callId: "call_1", name: "pay", arguments: { amount: 1 } }), reply.text("Paid.")]);
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      effect: "write",
      approval: true,
      parameters: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
      execute: ({ amount }) => amount,
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const { state } = await agent.run("Pay.");
    const edit = (amount: unknown) => ({
      decisions: [{ callId: "call_1", approve: true, arguments: { amount: amount as number } }] as const,
    });
    await expect(agent.resume(state ?? "", edit("much"))).rejects.toMatchObject({
      code: "RUN_STATE",
      message: expect.stringContaining("amount"),
    });
    expect(await agent.resume(state ?? "", edit(2))).toMatchObject({ output: "Paid." });
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", "2"]]);
  });
});

it("an abort by an observer of its start keeps a write from starting", async () => {
  await using stand = await serve([call()]);
  const controller = new AbortController();
  let paid = 0;
  const stop = defineMiddleware({ name: "stop", onEvent: (event) => void (event.type === "tool-start" && controller.abort()) });
  const agent = new Agent({ model: "test", client: stand.client, tools: [write(() => (paid += 1))], middleware: [stop] });
  await expect(ends(agent.run("Pay.", { signal: controller.signal }))).rejects.toMatchObject({ code: "RUN_ABORTED" });
  expect(paid).toBe(0);
});

describe("options that cannot be meant are refused by name", () => {
  const agent = () => new Agent({ model: "test" });
  it.each([
    ["a misspelt option", () => agent().run("Hi.", { signl: 1 } as object), /"signl"/],
    [
      "a controller in place of its signal",
      () => agent().run("Hi.", { signal: new AbortController() as unknown as AbortSignal }),
      /`signal`/,
    ],
    ["no options at all", () => agent().run("Hi.", 5 as unknown as object), /options of a run are 5/],
    ["a time that no timer holds", async () => new Agent({ model: "test", timeoutMs: 1e12 }), /`timeoutMs` is 1000000000000/],
    ["a client that is none", async () => new Agent({ model: "test", client: {} as never }), /`client` has no method `post`/],
    ["instructions that are none", async () => new Agent({ model: "test", instructions: 5 as unknown as string }), /`instructions` is 5/],
    [
      "a setting that is no data",
      async () => new Agent({ model: "test", settings: { metadata: (() => 1) as never } }),
      /`settings.metadata`/,
    ],
  ])("%s", async (_, make, message) => {
    const attempt = async (): Promise<unknown> => make();
    const error = await attempt().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringMatching(message) });
  });
});
