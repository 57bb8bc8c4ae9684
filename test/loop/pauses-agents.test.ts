import { Agent, defineMiddleware, isFunctionCallOutput, type ToolContext } from "@toolwright/core";
import { reply, type CallSpec } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, type Owned, owners, pause, withConversation } from "../support/pausing.js";
import { errorIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const helper = (callId: string): CallSpec => ({ name: "helper", callId, arguments: { input: "Go." } });

/** An agent and one inside of it, on one key of things: `pay` waits for a person, `write` does not. */
async function scene(outer: readonly CallSpec[], inner: readonly (readonly CallSpec[])[], owned?: Owned) {
  const stand = await serve(({ body, context }) => {
    const answered = new Set(context.filter(isFunctionCallOutput).map((item) => item.call_id));
    const calls = (body.model === "inner" ? inner : [outer]).find((step) => step.some(({ callId }) => !answered.has(callId ?? "")));
    return calls === undefined ? reply.text(`${body.model} is done.`) : reply.calls(...calls);
  }, withConversation);
  const ran: string[] = [];
  const record =
    (name: string) =>
    (n: number, { callId }: ToolContext) => (ran.push(`${name} ${n} ${callId}`), "done");
  const tools = [
    numberTool("pay", record("pay"), { effect: "write", approval: true, resource: "thing:{n}" }),
    numberTool("write", record("write"), { effect: "write", resource: "thing:{n}" }),
    numberTool("look", record("look")),
  ];
  const inside = new Agent({ model: "inner", client: stand.client, tools });
  const agent = (middleware: readonly ReturnType<typeof defineMiddleware>[] = []): Agent =>
    new Agent({
      model: "outer",
      client: stand.client,
      tools: [...tools, inside.asTool({ name: "helper", description: "Helps." })],
      middleware,
      history: owned?.history,
    });
  return { stand, ran, agent, [Symbol.asyncDispose]: () => stand.server.close() };
}

describe("a call inside of an agent that waits behind one of the run above", () => {
  const outer = [callOf("pay", "call_1", 7), helper("call_h")];
  const inner = [[callOf("write", "call_2", 7), callOf("look", "call_3", 3)], [callOf("write", "call_4", 4)]];

  it("is no question of its own: it waits with it, and runs after it", async () => {
    await using run = await scene(outer, inner);
    const first = await pause(ends(run.agent().run("Go.")));
    expect(first.interruptions.map(({ callId }) => callId)).toEqual(["call_1"]);
    expect(run.ran).toEqual(["look 3 call_3"]);
    // Nothing has been decided, so that it waits still.
    const second = await pause(ends(run.agent().resume(JSON.stringify(first.state))));
    expect(second.interruptions).toEqual(first.interruptions);
    const result = await ends(run.agent().resume(JSON.stringify(second.state), { decisions: approve("call_1") }));
    expect(result.output).toBe("outer is done.");
    expect(run.ran).toEqual(["look 3 call_3", "pay 7 call_1", "write 7 call_2", "write 4 call_4"]);
    expect(run.stand.server.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });

  it("runs as well when that one was denied", async () => {
    await using run = await scene(outer, inner);
    const { state } = await pause(ends(run.agent().run("Go.")));
    await ends(run.agent().resume(JSON.stringify(state), { decisions: [{ callId: "call_1", approve: false }] }));
    expect(run.ran).toEqual(["look 3 call_3", "write 7 call_2", "write 4 call_4"]);
  });
});

describe.each(owners)("an agent that waits when nobody decides any more, on a history of $owner", ({ own }) => {
  const cases = [
    ["had acted before", [[callOf("write", "call_1", 1)], [callOf("pay", "call_2", 2)]], "TOOL_OUTCOME_UNKNOWN"],
    ["had only looked", [[callOf("look", "call_1", 1)], [callOf("pay", "call_2", 2)]], "TOOL_SKIPPED"],
  ] as const;

  it.each(cases)("and that %s: a new run tells the model", async (_, inner, code) => {
    using owned = own();
    await using run = await scene([helper("call_h"), callOf("pay", "call_p", 5)], inner, owned);
    const paused = await pause(ends(run.agent().run("Go.")));
    const stored = owned.elsewhere().history ?? (JSON.parse(JSON.stringify(paused.history)) as typeof paused.history);
    const result = await ends(run.agent().run("Never mind.", { history: stored }));
    expect(result.output).toBe("outer is done.");
    const outputs = (run.stand.server.requests.at(-1)?.context ?? []).filter(isFunctionCallOutput);
    const [told, other] = ["call_h", "call_p"].map((callId) => errorIn(outputs.find((item) => item.call_id === callId)?.output));
    expect(told).toMatchObject({ code, retryable: false });
    expect(told?.message.includes("Do not repeat it")).toBe(code === "TOOL_OUTCOME_UNKNOWN");
    expect(other?.code).toBe("TOOL_SKIPPED");
    expect(run.ran).toHaveLength(1);
  });

  it.each(cases)("and that %s: so does a run that ends at that moment", async (_, inner, code) => {
    using owned = own();
    await using run = await scene([helper("call_h")], inner, owned);
    const odd = defineMiddleware({ name: "odd", wrapRun: (call, next) => next(call).then(() => Promise.reject(new Error("boom"))) });
    const error = await ends(failureOf(run.agent([odd]).run("Go.")));
    const kind = code === "TOOL_SKIPPED" ? "skipped" : "unknown";
    expect(error.result.steps[0]?.calls[0]?.outcome.kind).toBe(kind);
    expect(error.result.unknownCalls).toHaveLength(kind === "unknown" ? 1 : 0);
    const stored = owned.elsewhere().history ?? error.result.history;
    await ends(run.agent().run("And now?", { history: stored }));
    const outputs = (run.stand.server.requests.at(-1)?.context ?? []).filter(isFunctionCallOutput);
    expect(errorIn(outputs.find((item) => item.call_id === "call_h")?.output).code).toBe(code);
  });
});

it("what a layer made of the arguments of a call that has run is told after the pause as before", async () => {
  await using run = await scene([callOf("look", "call_1", 1), callOf("pay", "call_2", 2)], []);
  const more = defineMiddleware({
    name: "more",
    wrapToolCall: (call, next) => next(call.name === "look" ? { ...call, arguments: { n: Number(call.arguments["n"]) + 10 } } : call),
  });
  const { state } = await pause(ends(run.agent([more]).run("Go.")));
  const result = await ends(run.agent([more]).resume(JSON.stringify(state), { decisions: approve("call_2") }));
  expect(run.ran).toEqual(["look 11 call_1", "pay 2 call_2"]);
  expect(result.steps[0]?.calls.map(({ arguments: args }) => args)).toEqual([{ n: 11 }, { n: 2 }]);
});
