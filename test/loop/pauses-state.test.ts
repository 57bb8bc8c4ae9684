import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause, stored, type StoredCall, type StoredState } from "../support/pausing.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

type Edit = (state: StoredState) => void;

function call(state: StoredState, index = 0): StoredCall {
  const found = state.calls[index];
  if (found === undefined) throw new Error(`The state has no call ${index}.`);
  return found;
}

function inner(state: StoredState, index: number): StoredState {
  const { agent } = call(state, index);
  if (agent === undefined) throw new Error(`The call ${index} is no agent's.`);
  return agent;
}

/** A run that waits for `pay`, and for the same inside of two calls of an agent; `look` and `write` beside them have run. */
async function scene() {
  const stand = await serve(({ body, context }) => {
    if (context.at(-1)?.type === "function_call_output") return reply.text("Done.");
    if (body.model === "inner") return reply.calls(callOf("pay", "call_p", context.length));
    const helpers = ["call_a", "call_b"].map((callId) => ({ name: "helper", callId, arguments: { input: callId } }));
    return reply.calls(callOf("pay", "call_1", 5), callOf("write", "call_2", 2), ...helpers, callOf("nowhere", "call_5", 5));
  });
  const ran: string[] = [];
  const record = (name: string) => (n: number) => (ran.push(`${name} ${n}`), `did ${n}`);
  const pay = () => numberTool("pay", record("pay"), { effect: "destructive", approval: true, resource: "account:{n}" });
  const helper = new Agent({ model: "inner", client: stand.client, tools: [pay()] });
  const tools = [
    pay(),
    numberTool("write", record("write"), { effect: "write" }),
    numberTool("look", record("look")),
    helper.asTool({ name: "helper", description: "Helps." }),
  ];
  const agent = new Agent({ model: "outer", client: stand.client, tools });
  const { state } = await pause(ends(agent.run("Go.")));
  return { stand, agent, ran, state, pay, [Symbol.asyncDispose]: () => stand.server.close() };
}

const all = approve("call_1", "call_a/call_p", "call_b/call_p");

async function expectRefused(edit: Edit, words: string | RegExp): Promise<void> {
  await using run = await scene();
  const before = [...run.ran];
  const state = stored(run.state);
  edit(state);
  for (const decisions of [all, []]) {
    const error = await ends(failureOf(run.agent.resume(JSON.stringify(state), { decisions })));
    expect(error.code).toBe("RUN_STATE");
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/\nFix: /);
  }
  expect(run.ran).toEqual(before);
}

it("the state as it was given is resumed, and runs each call once", async () => {
  await using run = await scene();
  expect((await ends(run.agent.resume(JSON.stringify(run.state), { decisions: all }))).output).toBe("Done.");
  expect(run.ran).toEqual(["write 2", "pay 5", "pay 1", "pay 1"]);
});

describe("a state of another version", () => {
  it.each([
    ["none", undefined, /it has no `version`/],
    ["0", 0, /has version 0; this release reads version 1/],
    ["2", 2, /has version 2; this release reads version 1/],
    ["a text", "1", /has version "1"; this release reads version 1/],
    ["null", null, /has version null/],
  ])("%s is refused in words, outside and inside", async (_, version, words) => {
    await expectRefused((state) => (state["version"] = version), words);
    await expectRefused((state) => (inner(state, 2)["version"] = version), words);
  });

  it("says what to do", async () => {
    await using run = await scene();
    const error = await failureOf(run.agent.resume(JSON.stringify({ ...run.state, version: 2 })));
    expect(error.fix).toBe("Resume it with the release that wrote it.");
  });
});

it.each([
  ["no JSON", "{", /not JSON/],
  ["a text", '"state"', /not the state of a run/],
  ["null", "null", /not the state of a run/],
  ["a list", "[]", /not the state of a run/],
  ["a result in its place", '{"stopReason":"interrupted","state":{}}', /no `version`/],
])("%s is no state", async (_, text, words) => {
  await using run = await scene();
  const error = await failureOf(run.agent.resume(text, { decisions: all }));
  expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringMatching(words) });
});

const needed = [
  "runId",
  "step",
  "history",
  "items",
  "reply",
  "calls",
  "steps",
  "usage",
  "usageBefore",
  "toolCalls",
  "middleware",
  "pauses",
];

describe.each(needed)("a state whose `%s` is gone or odd is refused by name", (field) => {
  it.each([undefined, null, "odd", -1, 0.5, [7], { kind: "odd" }])("%j", async (value) => {
    await using run = await scene();
    const state = { ...stored(run.state), [field]: value };
    const error = await ends(failureOf(run.agent.resume(JSON.stringify(state), { decisions: all })));
    expect(error.code).toBe("RUN_STATE");
    // A text is a run id like any other, but not the one that its agents are called after.
    if (field === "runId" && value === "odd") expect(error.message).toContain("is another call's");
    else expect(error.message).toContain(`The state's \`${field}\` is missing, or not of its form.`);
    expect(run.ran).toEqual(["write 2"]);
  });
});

describe("a state that was edited so that it contradicts itself is refused", () => {
  const item = (state: StoredState) => state.reply[0] ?? {};
  const edits: readonly (readonly [string, Edit, RegExp])[] = [
    [
      "arguments of a call, not of the reply",
      (state) => (call(state)["arguments"] = { n: 500 }),
      /two things about the arguments of call_1/,
    ],
    [
      "arguments of the reply, not of a call",
      (state) => (item(state)["arguments"] = '{"n":500}'),
      /two things about the arguments of call_1/,
    ],
    [
      "arguments of the reply, and none of the call",
      (state) => {
        item(state)["arguments"] = '{"n":500}';
        delete call(state)["arguments"];
      },
      /two things about the arguments of call_1/,
    ],
    [
      "arguments inside of an agent",
      (state) => (call(inner(state, 2))["arguments"] = { n: 500 }),
      /two things about the arguments of call_p/,
    ],
    [
      "another tool's name in the reply",
      (state) => (item(state)["name"] = "write"),
      /call_1 is of write, and the state says that it is for/,
    ],
    [
      "another tool in a call, with its own hash",
      (state) => Object.assign(call(state), { tool: call(state, 1)["tool"], toolHash: call(state, 1)["toolHash"] }),
      /call_1 is of pay, and the state says that it is for/,
    ],
    ["no tool in a call", (state) => void (delete call(state)["tool"], delete call(state)["toolHash"]), /does not say which tool/],
    [
      "a tool that is nowhere",
      (state) => (call(state)["tool"] = "app#refund.execute"),
      /app#refund.execute, which this agent does not have/,
    ],
    ["another hash", (state) => (call(state)["toolHash"] = "0".repeat(32)), /has changed since/],
    ["no hash", (state) => delete call(state)["toolHash"], /has changed since/],
    ["a call left out", (state) => void state.calls.splice(0, 1), /two things about which calls/],
    ["a finished call left out", (state) => void state.calls.splice(1, 1), /two things about which calls/],
    ["a call told twice", (state) => void state.calls.push(call(state)), /two things about which calls/],
    ["a call that the model did not make", (state) => void state.calls.push({ ...call(state), callId: "call_x" }), /about which calls/],
    [
      "a call put into the reply",
      (state) => void state.reply.push({ type: "function_call", call_id: "call_x", name: "pay", arguments: '{"n":1}' }),
      /about which calls/,
    ],
    [
      "what one agent waits for put into another's call",
      (state) => {
        const [a, b] = [call(state, 2), call(state, 3)];
        [a.agent, b.agent] = [b.agent, a.agent];
      },
      /The paused agent in the call call_a is another call's/,
    ],
    ["an agent's state in a call of another tool", (state) => (call(state).agent = inner(state, 2)), /is no agent/],
    [
      "outcomes for all that waited",
      (state) => {
        for (const each of state.calls) {
          delete each.agent;
          each["outcome"] = { kind: "ok", output: "done" };
        }
      },
      /Nothing in the state waits/,
    ],
    ["an outcome that is none", (state) => (call(state)["outcome"] = { kind: "fine" }), /`calls` is missing, or not of its form/],
    ["an outcome without its output", (state) => (call(state)["outcome"] = { kind: "ok" }), /`calls` is missing/],
    ["a decision with no clear word", (state) => (call(state)["decision"] = { callId: "call_1", approve: "yes" }), /neither an approval/],
    ["another call's decision", (state) => (call(state)["decision"] = { callId: "call_2", approve: true }), /another call's decision/],
    ["handoffs that never were", (state) => (state["handoffs"] = ["look"]), /no handoff of this agent/],
  ];

  it.each(edits)("%s", async (_, edit, words) => {
    await expectRefused(edit, words);
  });
});

it("a state of which a tool has become another one is refused, and says how to go on", async () => {
  await using run = await scene();
  const changed = numberTool("pay", (n) => run.ran.push(`changed ${n}`), { effect: "write", approval: true, resource: "account:{n}" });
  const tools = [changed, numberTool("write", String, { effect: "write" }), numberTool("look", String)];
  const other = new Agent({ model: "outer", client: run.stand.client, tools });
  const error = await failureOf(other.resume(run.state, { decisions: all }));
  expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("has changed since the call call_1 was paused") });
  expect(error.fix).toContain("result.history");
  expect(run.ran).toEqual(["write 2"]);
});

// What an unsigned state cannot tell from the truth: `stateSecret` is there for that.
describe("what an edit that does not contradict itself can do", () => {
  it("an approval that says what was shown binds it: other arguments are not run", async () => {
    await using run = await scene();
    const state = stored(run.state);
    call(state)["arguments"] = { n: 500 };
    Object.assign(state.reply[0] ?? {}, { arguments: '{"n":500}' });
    const shown = { n: 5 };
    await ends(run.agent.resume(JSON.stringify(state), { decisions: [{ callId: "call_1", approve: true, arguments: shown }] }));
    expect(run.ran).toEqual(["write 2", "pay 5"]);
  });

  it("a tool that asks still asks, whatever else the state says", async () => {
    await using run = await scene();
    const state = stored(run.state);
    // As if nobody had been asked yet, and the budget, the steps and what the middlewares knew were other ones.
    delete call(state)["outcome"];
    Object.assign(state, { steps: [], toolCalls: {}, middleware: {}, usage: { ...run.state.usage, requests: 0 } });
    const paused = await pause(ends(run.agent.resume(JSON.stringify(state))));
    expect(paused.interruptions.map(({ callId }) => callId)).toEqual(["call_1", "call_a/call_p", "call_b/call_p"]);
    expect(run.ran).toEqual(["write 2"]);
  });
});
