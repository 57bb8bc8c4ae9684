import { inspect } from "node:util";
import { Agent, type AgentOptions, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, owners, pause, stored, type StoredState, withConversation } from "../support/pausing.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways } from "../support/ways.js";

const secret = "correct horse battery staple, twice over";
const another = "another secret that is as long as this one";

async function scene(options: Omit<Partial<AgentOptions<unknown>>, "output"> = {}) {
  const stand = await serve(({ body, context }) => {
    if (context.at(-1)?.type === "function_call_output") return reply.text("Done.");
    if (body.model === "inner") return reply.calls(callOf("pay", "call_p", 1));
    const helper = { name: "helper", callId: "call_a", arguments: { input: "Go." } };
    return reply.calls(callOf("pay", "call_1", 5), callOf("write", "call_2", 2), helper);
  }, withConversation);
  const ran: string[] = [];
  const pay = numberTool("pay", (n) => (ran.push(`pay ${n}`), n), { effect: "write", approval: true, resource: "account:{n}" });
  const write = numberTool("write", (n) => (ran.push(`write ${n}`), n), { effect: "write" });
  const helper = new Agent({ model: "inner", client: stand.client, tools: [pay] }).asTool({ name: "helper", description: "Helps." });
  const agent = (more: Omit<Partial<AgentOptions<unknown>>, "output"> = {}): Agent =>
    new Agent({ model: "outer", client: stand.client, tools: [pay, write, helper], stateSecret: secret, ...options, ...more });
  return { stand, agent, ran, [Symbol.asyncDispose]: () => stand.server.close() };
}

const decisions = approve("call_1", "call_a/call_p");

// As some databases give JSON back: the same values, the keys in another order.
function reordered<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reordered) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, each]) => [key, reordered(each)])) as T;
}

describe.each(owners.flatMap((owner) => ways.map((way) => ({ ...owner, way }))))(
  "a signed state on a history of $owner ($way)",
  ({ own, way }) => {
    it("is resumed as an object, as text, and with its keys in another order", async () => {
      const parsed = (state: RunState): RunState => JSON.parse(JSON.stringify(state)) as RunState;
      for (const form of [(state: RunState) => state, parsed, (state: RunState) => reordered(parsed(state))]) {
        using owned = own();
        await using run = await scene({ history: owned.history });
        const { state } = await pause(ends(runIn(way, run.agent(), "Go.")));
        expect(state.signature).toMatch(/^[\w-]{43}$/);
        const half = await pause(ends(resumeIn(way, run.agent(), form(state), { ...owned.elsewhere(), decisions: approve("call_1") })));
        const last = await ends(
          resumeIn(way, run.agent(), form(half.state), { ...owned.elsewhere(), decisions: approve("call_a/call_p") }),
        );
        expect(last.output).toBe("Done.");
        expect(run.ran).toEqual(["write 2", "pay 5", "pay 1"]);
      }
    });
  },
);

describe("whoever can write to where states are kept", () => {
  const edits: readonly (readonly [string, (state: StoredState) => void])[] = [
    [
      "cannot have other arguments approved",
      ({ calls, reply: items }) => {
        Object.assign(calls[0] ?? {}, { arguments: { n: 500 } });
        Object.assign(items[0] ?? {}, { arguments: '{"n":500}' });
      },
    ],
    ["cannot approve", ({ calls }) => Object.assign(calls[0] ?? {}, { decision: { callId: "call_1", approve: true } })],
    [
      "cannot approve inside of an agent",
      ({ calls }) => Object.assign(calls[2]?.agent?.calls[0] ?? {}, { decision: { callId: "call_p", approve: true } }),
    ],
    ["cannot have a finished call run again", ({ calls }) => delete calls[1]?.["outcome"]],
    ["cannot say what a call came to", ({ calls }) => Object.assign(calls[1] ?? {}, { outcome: { kind: "ok", output: "Nothing." } })],
    ["cannot have a decision count twice under another name of the run", (state) => (state["runId"] = "another")],
    ["cannot give a budget back", (state) => Object.assign(state["usage"] as object, { requests: 0 })],
    ["cannot give calls back", (state) => (state["toolCalls"] = {})],
    ["cannot change what middlewares know", (state) => (state["middleware"] = { budget: { calls: 0 } })],
    ["cannot change what the model reads", (state) => (state["history"] = { kind: "local", items: [] })],
    ["cannot lead it to another conversation", (state) => (state["history"] = { kind: "conversation", id: "conv_2" })],
    ["cannot hand over", (state) => (state["handoffs"] = [])],
    ["cannot leave the signature out", (state) => delete state["signature"]],
    ["cannot make one up", (state) => (state["signature"] = "x".repeat(43))],
  ];

  it.each(edits)("%s", async (_, edit) => {
    await using run = await scene();
    const { state } = await pause(ends(run.agent().run("Go.")));
    const edited = stored(state);
    edit(edited);
    const error = await failureOf(run.agent().resume(JSON.stringify(edited), { decisions }));
    expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringMatching(/is not signed|not the one that was signed/) });
    expect(run.ran).toEqual(["write 2"]);
  });
});

describe("stateSecret", () => {
  it("of another agent does not do", async () => {
    await using run = await scene();
    const { state } = await pause(ends(run.agent().run("Go.")));
    const error = await failureOf(run.agent({ stateSecret: another }).resume(state, { decisions }));
    expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("not the one that was signed") });
    const unsigned = await pause(ends(run.agent({ stateSecret: undefined }).run("Go.")));
    expect(unsigned.state).not.toHaveProperty("signature");
    expect(await failureOf(run.agent().resume(unsigned.state, { decisions }))).toMatchObject({
      message: expect.stringContaining("is not signed"),
    });
  });

  it("can be changed: the first of a list signs, each is believed", async () => {
    await using run = await scene();
    const { state } = await pause(ends(run.agent().run("Go.")));
    const half = await pause(ends(run.agent({ stateSecret: [another, secret] }).resume(state, { decisions: approve("call_1") })));
    const result = await ends(run.agent({ stateSecret: another }).resume(half.state, { decisions: approve("call_a/call_p") }));
    expect(result.output).toBe("Done.");
  });

  it("is never shown", async () => {
    await using run = await scene();
    const agent = run.agent();
    const paused = await pause(ends(agent.run("Go.")));
    const error = await failureOf(agent.resume({ ...paused.state, signature: "x" }, { decisions }));
    const told = [JSON.stringify([agent, paused, error]), inspect([agent, paused, error], { depth: 20 }), String(agent.explain())];
    for (const text of told) expect(text).not.toContain(secret);
    for (const { text } of run.stand.server.requests) expect(text).not.toContain(secret);
  });

  it.each(["", "short", 7, [], [secret, "short"], [[secret]], {}, null])("is refused when it is %j, without being quoted", (value) => {
    const make = (): unknown => new Agent({ model: "test", stateSecret: value as string });
    expect(make).toThrow(/`stateSecret` is no secret of at least 32 characters/);
    expect(make).not.toThrow(/short/);
  });
});
