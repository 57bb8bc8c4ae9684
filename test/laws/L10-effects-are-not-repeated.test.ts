import { Agent, defineMiddleware, defineTool, type QueryAnswer, ToolError, type ToolEffect } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { payCall, payments, retries } from "../support/payments.js";
import { errorIn, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever, sleep, untilAborted } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways } from "../support/ways.js";

const done = reply.text("Done.");
const lost = (): never => {
  throw new Error("read ECONNRESET");
};
/** Loses the answer to the first call. */
const firstIsLost = (attempt: number): unknown => (attempt === 1 ? lost() : `paid ${attempt}`);

/** Ways in which the end of a started call stays open. */
const doubts: readonly (readonly [string, (attempt: number, signal: AbortSignal) => unknown, code: string])[] = [
  ["throws", lost, "TOOL_OUTCOME_UNKNOWN"],
  ["throws what is no error", () => Promise.reject("gone"), "TOOL_OUTCOME_UNKNOWN"],
  ["is over its time", forever, "TOOL_TIMEOUT"],
  ["is over its time, and says so", (_, signal) => untilAborted(signal), "TOOL_TIMEOUT"],
  ["answers about another one", () => ({ to: "Bob" }), "TOOL_ECHO_MISMATCH"],
];
const effects: readonly ToolEffect[] = ["write", "destructive"];
const declaredDoubts = effects.flatMap((effect) => doubts.map(([name, execute, code]) => ({ effect, name, execute, code })));

describe("L10: a started write without a sure end", () => {
  it.each(declaredDoubts)("a $effect that $name is unknown, and never tried again", async ({ effect, execute, code }) => {
    await using stand = await serve([reply.calls(payCall("call_1")), done]);
    const { keys, pay } = payments(execute, { effect, timeoutMs: 30, echo: ["to"] });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
    const result = await ends(agent.run("Pay."));
    await sleep(20);
    expect(keys).toHaveLength(1);
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 1, outcome: { kind: "unknown", error: { code, retryable: false } } });
    const told = errorIn(outputsIn(result.items)[0]?.[1]);
    expect(told.message).toMatch(/may or may not have taken effect\. Do not repeat it/);
    stand.server.assertDone();
  });

  it.each(effects)("a %s that is aborted is unknown, and the error lists it", async (effect) => {
    await using stand = await serve([reply.calls(payCall("call_1"))]);
    const controller = new AbortController();
    const { keys, pay } = payments(() => (controller.abort(), forever()), { effect });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
    const error = await ends(failureOf(agent.run("Pay.", { signal: controller.signal })));
    expect(keys).toHaveLength(1);
    expect(error.result.unknownCalls).toMatchObject([
      { callId: "call_1", attempts: 1, outcome: { kind: "unknown", error: { code: "TOOL_ABORTED" } } },
    ]);
  });

  it.each([
    ["a read", { effect: "read" }],
    ["an idempotent write", { effect: "write", idempotent: true }],
  ] as const)("%s is failed instead, and tried again under the same key", async (_, options) => {
    await using stand = await serve([reply.calls(payCall("call_1")), done]);
    const { keys, pay } = payments(lost, options);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries(3)] });
    const result = await ends(agent.run("Pay."));
    expect(keys).toHaveLength(3);
    expect(new Set(keys)).toEqual(new Set([`${result.runId}/0/call_1`]));
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 3, outcome: { kind: "failed" } });
  });

  it("a ToolError of a write says that nothing was done: failed, not tried again, and an equal call may run", async () => {
    await using stand = await serve([reply.calls(payCall("call_1")), reply.calls(payCall("call_2")), done]);
    const busy = new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
    const { keys, pay } = payments((attempt) => (attempt === 1 ? Promise.reject(busy) : "paid"));
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
    const result = await ends(agent.run("Pay."));
    expect(result.steps.map((step) => step.calls.map(({ outcome, attempts }) => [outcome.kind, attempts]))).toEqual([
      [["failed", 1]],
      [["ok", 1]],
      [],
    ]);
    expect(keys).toHaveLength(2);
  });

  it.each([
    ["throws", firstIsLost],
    ["is over its time", (attempt: number) => (attempt === 1 ? forever() : "paid")],
  ] as const)(
    "a tool without a declared effect that %s is failed, not tried again, and an equal call is not held up",
    async (_, execute) => {
      await using stand = await serve([reply.calls(payCall("call_1")), reply.calls(payCall("call_2")), done]);
      const { keys, pay } = payments(execute, { effect: undefined, timeoutMs: 30 });
      const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
      const result = await ends(agent.run("Pay."));
      expect(result.steps.map((step) => step.calls.map(({ outcome, attempts }) => [outcome.kind, attempts]))).toEqual([
        [["failed", 1]],
        [["ok", 1]],
        [],
      ]);
      expect(keys).toHaveLength(2);
    },
  );

  it("a layer of its own that tries everything again repeats neither a write that is done nor one that may be", async () => {
    const insists = defineMiddleware({
      name: "insists",
      repeats: true,
      wrapToolCall: async (call, next) => (await next(call), next(call)),
    });
    await using stand = await serve([reply.calls(payCall("call_1")), reply.calls(payCall("call_2", "Bob")), done]);
    const { keys, pay } = payments((attempt) => (attempt === 1 ? "paid" : lost()));
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [insists] });
    const result = await ends(agent.run("Pay."));
    expect(keys).toHaveLength(2);
    expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 1, outcome: { kind: "ok", output: "paid" } });
    // Whether the second one is done, only a person can say.
    expect(result).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_2", reason: "unknown-outcome" }] });
  });
});

const inOneStep = [reply.calls(payCall("call_1"), payCall("call_2"))];
const inTwoSteps = [reply.calls(payCall("call_1")), reply.calls(payCall("call_2"))];
/** Where the equal call comes, whatever the order of its keys. */
const places = [
  { place: "in the same step", script: inOneStep },
  { place: "in a later step", script: inTwoSteps },
  {
    place: "in a later step, its arguments the other way round",
    script: [inTwoSteps[0], reply.calls({ ...payCall("call_2"), arguments: '{"amount":5,"to":"Ada"}' })],
  },
].map(({ place, script }) => ({ place, script: script.filter((each) => each !== undefined) }));

describe.each(ways)("L10: a write equal to one of unknown outcome waits for a person (%s)", (way) => {
  const paused = async (agent: Agent) => {
    const result = await ends(runIn(way, agent, "Pay."));
    if (result.stopReason !== "interrupted") throw new Error(result.stopReason);
    expect(result.interruptions).toEqual([
      { callId: "call_2", tool: "pay", arguments: { to: "Ada", amount: 5 }, reason: "unknown-outcome" },
    ]);
    return result;
  };

  it.each(places)("$place: done, says the person, and it is not run", async ({ script }) => {
    await using stand = await serve([...script, done]);
    const { keys, pay } = payments(firstIsLost);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
    const { state } = await paused(agent);
    const decisions = [{ callId: "call_2", resolve: "done", output: { receipt: 7 } }] as const;
    const result = await ends(resumeIn(way, agent, JSON.parse(JSON.stringify(state)) as typeof state, { decisions }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(keys).toHaveLength(1);
    expect(new Map(outputsIn(result.items)).get("call_2")).toBe('{"receipt":7}');
    stand.server.assertDone();
  });

  it.each(places)("$place: absent, says the person, and it runs once, under its own key", async ({ script }) => {
    await using stand = await serve([...script, done]);
    const { keys, pay } = payments(firstIsLost);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
    const { state, runId } = await paused(agent);
    const result = await ends(resumeIn(way, agent, state, { decisions: [{ callId: "call_2", resolve: "absent" }] }));
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(keys).toEqual([`${runId}/0/call_1`, `${runId}/${script.length - 1}/call_2`]);
    expect(new Map(outputsIn(result.items)).get("call_2")).toBe("paid 2");
    stand.server.assertDone();
  });

  it.each(places)("$place: nobody says anything, and a new run answers it as not run", async ({ script }) => {
    await using stand = await serve([...script, done]);
    const { keys, pay } = payments(firstIsLost);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    const { history } = await paused(agent);
    await ends(runIn(way, agent, "Never mind.", { history }));
    expect(keys).toHaveLength(1);
    const { context } = stand.server.request(script.length);
    expect(errorIn(new Map(outputsIn(context)).get("call_2"))).toMatchObject({ code: "TOOL_SKIPPED" });
    stand.server.assertDone();
  });

  it("other arguments are another write", async () => {
    const others = reply.calls(payCall("call_2", "Bob"), payCall("call_3", "Ada", 6));
    await using stand = await serve([reply.calls(payCall("call_1")), others, done]);
    const { keys, pay } = payments(firstIsLost);
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: [pay] }), "Pay."));
    expect(result.steps[1]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "ok"]);
    expect(keys).toHaveLength(3);
  });

  it("a write that had a sure end is no matter", async () => {
    await using stand = await serve([...inTwoSteps, done]);
    const { keys, pay } = payments((attempt) => `paid ${attempt}`);
    const result = await ends(runIn(way, new Agent({ model: "test", client: stand.client, tools: [pay] }), "Pay."));
    expect(result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([["ok"], ["ok"], []]);
    expect(keys).toHaveLength(2);
  });

  it("what a person has edited holds while the call waits for another decision", async () => {
    await using stand = await serve([reply.calls(payCall("call_1")), reply.calls(payCall("call_2", "Ada", 500)), done]);
    const paid: unknown[] = [];
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      effect: "write",
      approval: true,
      parameters: { type: "object", properties: { to: { type: "string" }, amount: { type: "integer" } }, required: ["to", "amount"] },
      execute: (args) => (paid.push(args) === 1 ? lost() : "paid"),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
    let result = await ends(runIn(way, agent, "Pay."));
    // The second payment is cut down to what the first one was, which makes it the same payment.
    for (const decision of [
      { callId: "call_1", approve: true },
      { callId: "call_2", approve: true, arguments: { to: "Ada", amount: 5 } },
      { callId: "call_2", resolve: "absent" },
    ] as const) {
      if (result.stopReason !== "interrupted") throw new Error(result.stopReason);
      const state = JSON.parse(JSON.stringify(result.state)) as typeof result.state;
      result = await ends(resumeIn(way, agent, state, { decisions: [decision] }));
    }
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(paid).toEqual([
      { to: "Ada", amount: 5 },
      { to: "Ada", amount: 5 },
    ]);
    expect(result.steps[1]?.calls[0]?.arguments).toEqual({ to: "Ada", amount: 5 });
  });

  it("the doubt outlives a pause for something else, through JSON", async () => {
    const ask = numberTool("ask", (n) => n, { effect: "write", approval: true });
    await using stand = await serve([
      reply.calls(payCall("call_1")),
      reply.calls(callOf("ask", "call_a", 1)),
      reply.calls(payCall("call_2")),
      done,
    ]);
    const { keys, pay } = payments(firstIsLost);
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay, ask] });
    const first = await ends(runIn(way, agent, "Pay."));
    if (first.stopReason !== "interrupted") throw new Error(first.stopReason);
    const decisions = [{ callId: "call_a", approve: true }] as const;
    const second = await ends(resumeIn(way, agent, JSON.parse(JSON.stringify(first.state)) as typeof first.state, { decisions }));
    expect(second).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_2", reason: "unknown-outcome" }] });
    expect(keys).toHaveLength(1);
  });
});

describe("L10: a tool's own query settles an unknown write", () => {
  async function asked(answer: (key: string) => QueryAnswer | Promise<QueryAnswer>, script = inTwoSteps) {
    await using stand = await serve([...script, done]);
    const questions: (readonly [to: unknown, amount: unknown, key: string])[] = [];
    const { keys, pay } = payments(firstIsLost, {
      timeoutMs: 60,
      query: ({ to, amount }: Record<string, unknown>, { idempotencyKey }) => {
        questions.push([to, amount, idempotencyKey]);
        return answer(idempotencyKey);
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [retries()] });
    return { result: await ends(agent.run("Pay.")), keys, questions };
  }

  it.each([
    ["in a later step", inTwoSteps],
    ["in the same step", inOneStep],
  ])("it is asked by the first call's key, and when that was done, the equal call has its result (%s)", async (_, script) => {
    const { result, keys, questions } = await asked(() => ({ done: true, result: { receipt: 7 } }), script);
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(keys).toEqual([`${result.runId}/0/call_1`]);
    expect(questions).toEqual([["Ada", 5, keys[0]]]);
    expect(new Map(outputsIn(result.items)).get("call_2")).toBe('{"receipt":7}');
    expect(result.steps.at(-2)?.calls.at(-1)).toMatchObject({ callId: "call_2", attempts: 0, outcome: { kind: "ok" } });
  });

  it("every equal call asks again, always about the first", async () => {
    const { keys, questions } = await asked(() => ({ done: true, result: 7 }), [...inTwoSteps, reply.calls(payCall("call_3"))]);
    expect(keys).toHaveLength(1);
    expect(questions.map(([, , key]) => key)).toEqual([keys[0], keys[0]]);
  });

  it.each([
    ["unknown", () => ({ unknown: true }) as const],
    // It may have been on its way when it was asked about.
    ["absent", () => ({ absent: true }) as const],
    ["an error", () => Promise.reject(new Error("no answer"))],
    ["nothing in its time", forever],
  ])("%s is no certainty: the call waits for a person", async (_, answer) => {
    const { result, keys, questions } = await asked(answer);
    expect(result).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_2", reason: "unknown-outcome" }] });
    expect(keys).toHaveLength(1);
    expect(questions.length).toBeGreaterThan(0);
  });
});
