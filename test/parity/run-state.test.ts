import { Agent, type Middleware, type RunState } from "@toolwright/core";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";
import { paused } from "./support.js";

type Writable = { -readonly [Key in keyof RunState]: RunState[Key] } & Record<string, unknown>;

const yes = { decisions: [{ callId: "call_1", approve: true }] } as const;
const script = (): Reply[] => [reply.calls(callOf("look", "call_0", 1), callOf("pay", "call_1", 5)), reply.text("Paid.")];

function cashier(stand: Stand, middleware: readonly Middleware[] = []) {
  const did: string[] = [];
  const pay = numberTool("pay", (n) => (did.push(`pay ${n}`), "paid"), { effect: "write", approval: true });
  const look = numberTool("look", (n) => (did.push(`look ${n}`), "seen"));
  return { did, pay, look, agent: new Agent({ model: "test", client: stand.client, tools: [pay, look], middleware }) };
}

/** The JSON of the state of a run that waits, after a change. */
async function changedState(stand: Stand, change: (state: Writable) => void): Promise<string> {
  const { state } = await paused(cashier(stand).agent.run("Pay."));
  const copy = JSON.parse(JSON.stringify(state)) as Writable;
  change(copy);
  return JSON.stringify(copy);
}

describe("a state that is none is refused in words, and nothing starts", () => {
  it.each(["{not json", '"paused"', "null", "[]", '{"version":1}'])("%s", async (text) => {
    await using stand = await serve([]);
    const { agent, did } = cashier(stand);
    expect(await ends(failureOf(agent.resume(text, yes)))).toMatchObject({ code: "RUN_STATE" });
    expect(did).toEqual([]);
  });
});

describe("a state that was changed is refused, and nothing runs", () => {
  interface Call {
    arguments: object;
    tool?: string;
    toolHash?: string;
  }
  const call = (state: Writable): Call => state.calls[1] as unknown as Call;
  it.each<readonly [string, (state: Writable) => void]>([
    ["no version", (state) => void delete (state as Partial<Writable>).version],
    ["a later version", (state) => void (state.version = 99 as 1)],
    ["a version that is a text", (state) => void (state.version = "1" as unknown as 1)],
    ["no calls", (state) => void (state.calls = "none" as unknown as [])],
    ["other arguments than the model's", (state) => void (call(state).arguments = { n: 500 })],
    [
      "another reply than was answered",
      (state) => void ((state.reply as unknown as object[])[1] = { ...state.reply[1], arguments: '{"n":500}' }),
    ],
    ["another tool for the call", (state) => void (call(state).tool = "app#look.execute")],
    ["a tool that is not there", (state) => void (call(state).tool = "app#transfer.execute")],
    ["the hash of another tool", (state) => void (call(state).toolHash = "0".repeat(32))],
  ])("%s", async (_, change) => {
    await using stand = await serve(script());
    const text = await changedState(stand, change);
    const { agent, did } = cashier(stand);
    expect(await ends(failureOf(agent.resume(text, yes)))).toMatchObject({ code: "RUN_STATE" });
    expect([did, stand.server.requests.length]).toEqual([[], 1]);
  });

  it("keys that name parts of prototypes change no prototype, whatever becomes of the state", async () => {
    await using stand = await serve(script());
    const text = (await changedState(stand, () => {}))
      .replace('"toolCalls":{', '"toolCalls":{"__proto__":{"polluted":1},')
      .replace(/^\{/, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},');
    const end = await ends(cashier(stand).agent.resume(text, yes)).catch((error: unknown) => error);
    expect(end).toMatchObject(end instanceof Error ? { code: "RUN_STATE" } : { output: "Paid." });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("an agent that is another by the time it resumes", () => {
  it("has a tool with other parameters of the same name: refused, with the way on", async () => {
    await using stand = await serve([...script().slice(0, 1), reply.text("As you like.")]);
    const { agent } = cashier(stand);
    const { state, history } = await paused(agent.run("Pay."));
    const pay = numberTool("pay", () => "paid", { effect: "destructive", approval: true });
    const later = new Agent({ model: "test", client: stand.client, tools: [pay, numberTool("look", () => "seen")] });
    const error = await ends(failureOf(later.resume(state, yes)));
    expect(error).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("result.history") });
    expect(await ends(later.run("Never mind.", { history }))).toMatchObject({ output: "As you like." });
  });

  it("has lost the tool of a call that is done: refused as well", async () => {
    await using stand = await serve(script());
    const { agent, pay } = cashier(stand);
    const { state } = await paused(agent.run("Pay."));
    const later = new Agent({ model: "test", client: stand.client, tools: [pay] });
    expect(await ends(failureOf(later.resume(state, yes)))).toMatchObject({ code: "RUN_STATE", message: expect.stringContaining("look") });
  });

  it("has further tools, other instructions and another middleware: it goes on with those", async () => {
    await using stand = await serve(script());
    const first = cashier(stand);
    const { state } = await paused(first.agent.run("Pay."));
    const seen: string[] = [];
    const watch: Middleware = { name: "watch", onEvent: ({ type }) => void seen.push(type) };
    const { pay, look, did } = cashier(stand);
    const tools = [numberTool("more", () => 1), look, pay];
    const later = new Agent({ model: "later", client: stand.client, tools, instructions: "Be brief.", middleware: [watch] });
    expect(await ends(later.resume(JSON.stringify(state), yes))).toMatchObject({ output: "Paid." });
    expect(did).toEqual(["pay 5"]);
    expect(seen).toContain("run-end");
    expect(stand.server.request(1).body).toMatchObject({ model: "later", instructions: "Be brief." });
    expect(stand.server.request(1).body.tools?.map(({ name }) => name)).toEqual(["more", "look", "pay"]);
  });
});

it("a state is plain JSON: a round trip loses nothing, and what ran before the pause is not run again", async () => {
  await using stand = await serve(script());
  const { agent, did } = cashier(stand);
  const { state } = await paused(agent.run("Pay."));
  expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  await ends(agent.resume(JSON.stringify(state), yes));
  expect(did).toEqual(["look 1", "pay 5"]);
  expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([
    ["call_0", "seen"],
    ["call_1", "paid"],
  ]);
});

it("usage of a run that paused is that of all its requests, each counted once", async () => {
  const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 1 } });
  await using stand = await serve([
    reply.calls(callOf("pay", "call_1", 5)).with(usage(10)),
    reply.calls({ ...callOf("pay", "call_2", 6) }).with(usage(100)),
    reply.text("Paid.").with(usage(1000)),
  ]);
  const { agent } = cashier(stand);
  const first = await paused(agent.run("Pay."));
  expect(first.usage).toMatchObject({ requests: 1, inputTokens: 10 });
  const second = await paused(agent.resume(JSON.stringify(first.state), yes));
  expect(second.usage).toMatchObject({ requests: 2, inputTokens: 110 });
  const result = await ends(agent.resume(JSON.stringify(second.state), { decisions: [{ callId: "call_2", approve: true }] }));
  expect(result.usage).toMatchObject({ requests: 3, inputTokens: 1110, outputTokens: 3 });
  expect(result.steps.map((step) => [step.index, step.usage.inputTokens])).toEqual([
    [0, 10],
    [1, 100],
    [2, 1000],
  ]);
});
