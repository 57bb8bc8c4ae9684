import { Agent, type AgentOptions, defineMiddleware, handoff, type ToolCall } from "@toolwright/core";
import { approval, type ApprovalOptions } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, resumeIn, runIn, ways } from "../support/ways.js";

const calls = reply.calls(
  callOf("look", "call_look", 1),
  callOf("write", "call_write", 2),
  callOf("remove", "call_remove", 3),
  callOf("plain", "call_plain", 4),
);

/** One tool of each effect, and one that declares none. */
async function scene(options?: ApprovalOptions, more: Omit<Partial<AgentOptions<unknown>>, "output"> = {}) {
  const stand = await serve([calls, reply.text("Done.")]);
  const ran: string[] = [];
  const tool = (name: string, effect?: "read" | "write" | "destructive") =>
    numberTool(name, () => (ran.push(name), "done"), { effect, resource: `${name}:{n}` });
  const tools = [tool("look", "read"), tool("write", "write"), tool("remove", "destructive"), tool("plain")];
  const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [approval(options)], ...more });
  return { stand, ran, agent, [Symbol.asyncDispose]: () => stand.server.close() };
}

describe.each(ways)("approval (%s)", (way) => {
  it.each<readonly [string, ApprovalOptions | undefined, readonly string[]]>([
    ["by itself: what destroys", undefined, ["remove"]],
    ["no options: the same", {}, ["remove"]],
    ["by effects; an undeclared one is a write", { effects: ["write", "destructive"] }, ["write", "remove", "plain"]],
    ["by effects, reads too", { effects: ["read"] }, ["look"]],
    ["by tools, and by these alone", { tools: ["write"] }, ["write"]],
    ["by effects or tools", { effects: ["destructive"], tools: ["look"] }, ["look", "remove"]],
    ["by a rule over all calls", { when: (call) => Number(call.arguments["n"]) % 2 === 0 }, ["write", "plain"]],
    ["by a rule over calls of some effects", { effects: ["write"], when: ({ name }) => name !== "plain" }, ["write"]],
    ["by a rule over calls of some tools", { tools: ["look", "plain"], when: (call) => call.arguments["n"] === 4 }, ["plain"]],
    ["by a rule that takes its time", { when: async ({ tool }) => Promise.resolve(tool?.effect === "read") }, ["look"]],
    ["none", { effects: [] }, []],
  ])("asks %s", async (_, options, asked) => {
    await using run = await scene(options);
    const result = await ends(runIn(way, run.agent, "Go."));
    expect(result.interruptions.map(({ tool }) => tool)).toEqual(asked);
    const free = ["look", "write", "remove", "plain"].filter((name) => !asked.includes(name));
    expect(run.ran.toSorted()).toEqual(free.toSorted());
    if (result.stopReason !== "interrupted") return;
    const decisions = approve(...result.interruptions.map(({ callId }) => callId));
    expect((await ends(resumeIn(way, run.agent, result.state, { decisions }))).output).toBe("Done.");
    expect(run.ran.slice(free.length).toSorted()).toEqual([...asked].toSorted());
  });

  it("gives the rule the call as it will run, and what is known of tool and run", async () => {
    const seen: (readonly [ToolCall, unknown])[] = [];
    await using run = await scene({ tools: ["write"], when: (call, { app }) => (seen.push([call, app]), false) });
    await ends(way === "run" ? run.agent.run("Go.", { app: "of Ada" }) : run.agent.stream("Go.", { app: "of Ada" }).result);
    const [[call, app] = []] = seen;
    expect(seen).toHaveLength(1);
    expect(call).toMatchObject({ callId: "call_write", name: "write", arguments: { n: 2 }, tool: { effect: "write" } });
    expect(app).toBe("of Ada");
  });

  it("does not ask the rule again about what a person has decided, but once more about what waits", async () => {
    const asked: string[] = [];
    await using run = await scene({ effects: ["write", "destructive"], when: ({ name }) => (asked.push(name), true) });
    const first = await pause(ends(runIn(way, run.agent, "Go.")));
    expect(asked).toEqual(["write", "remove", "plain"]);
    const half = await pause(ends(resumeIn(way, run.agent, first.state, { decisions: approve("call_write") })));
    expect(half.interruptions.map(({ tool }) => tool)).toEqual(["remove", "plain"]);
    expect(run.ran.toSorted()).toEqual(["look", "write"]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("the policy server is down")), "RUN_MIDDLEWARE"],
    ["gives no answer that is one", () => "no" as unknown as boolean, "RUN_MIDDLEWARE"],
    ["gives nothing", () => undefined as unknown as boolean, "RUN_MIDDLEWARE"],
  ])("ends the run when the rule %s, and the call does not run", async (_, when, code) => {
    await using run = await scene({ tools: ["remove"], when });
    const error = await ends(failureOf(runIn(way, run.agent, "Go.")));
    expect(error.code).toBe(code);
    expect(run.ran).not.toContain("remove");
    // What ran beside it is kept.
    expect(error.result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "ok", "skipped", "ok"]);
  });
});

describe("approval", () => {
  it("does not ask about a call that is wrong, nor about a tool that is nowhere", async () => {
    await using stand = await serve([
      reply.calls({ name: "remove", callId: "call_1", arguments: { n: "x" } }, { name: "nowhere", callId: "call_2" }),
      reply.text("Sorry."),
    ]);
    const tools = [numberTool("remove", (n) => n, { effect: "destructive" })];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [approval()] });
    const result = await ends(agent.run("Go."));
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["invalid", "invalid"]);
  });

  it("two of them ask each for its own, and a call of both once", async () => {
    const both = [approval(), { ...approval({ tools: ["write", "remove"] }), name: "by name" }];
    await using run = await scene(undefined, { middleware: both });
    const paused = await pause(ends(run.agent.run("Go.")));
    expect(paused.interruptions.map(({ tool }) => tool)).toEqual(["write", "remove"]);
    expect((await ends(run.agent.resume(paused.state, { decisions: approve("call_write", "call_remove") }))).output).toBe("Done.");
  });

  it("cannot be taken back by a layer further in", async () => {
    const takesBack = defineMiddleware({ name: "takes back", wrapToolCall: (call, next) => next({ ...call, approval: undefined }) });
    await using run = await scene(undefined, { middleware: [approval(), takesBack] });
    const paused = await pause(ends(run.agent.run("Go.")));
    expect(paused.interruptions.map(({ tool }) => tool)).toEqual(["remove"]);
  });

  it("a name that no tool has ends the run before any call", async () => {
    await using run = await scene({ tools: ["write", "remvoe"] });
    const error = await ends(failureOf(run.agent.run("Go.")));
    expect(error).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringContaining('names "remvoe", which is no tool') });
    expect(error.message).toContain("look, write, remove, plain");
    expect(run.ran).toEqual([]);
  });

  it("may name tools of agents that the run is handed over to, and is theirs too", async () => {
    await using stand = await serve([
      reply.calls({ name: "transfer_to_billing", callId: "call_t", arguments: {} }),
      reply.calls(callOf("refund", "call_1", 5)),
      reply.text("Refunded."),
    ]);
    const ran: number[] = [];
    const billing = new Agent({
      name: "billing",
      model: "test",
      client: stand.client,
      tools: [numberTool("refund", (n) => ran.push(n), { effect: "write" })],
    });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [handoff(billing)],
      middleware: [approval({ tools: ["refund"] })],
    });
    const paused = await pause(ends(agent.run("Give it back.")));
    expect(paused.interruptions).toMatchObject([{ tool: "refund", arguments: { n: 5 } }]);
    expect(ran).toEqual([]);
    // The agent that answers now has no handoff and no other tool: the names were right when the run began.
    expect((await ends(agent.resume(JSON.stringify(paused.state), { decisions: approve("call_1") }))).output).toBe("Refunded.");
    expect(ran).toEqual([5]);
  });

  it("of an agent used as a tool asks about its calls, at the top", async () => {
    await using stand = await serve(({ body, context }) => {
      if (context.at(-1)?.type === "function_call_output") return reply.text("Done.");
      return body.model === "inner"
        ? reply.calls(callOf("remove", "call_1", 1))
        : reply.calls({ name: "helper", callId: "call_h", arguments: { input: "Go." } });
    });
    const remove = numberTool("remove", (n) => n, { effect: "destructive" });
    const helper = new Agent({ model: "inner", client: stand.client, tools: [remove], middleware: [approval()] });
    const agent = new Agent({ model: "outer", client: stand.client, tools: [helper.asTool({ name: "helper", description: "Helps." })] });
    const paused = await pause(ends(agent.run("Go.")));
    expect(paused.interruptions).toMatchObject([{ callId: "call_h/call_1", path: ["helper"], tool: "remove" }]);
    expect((await ends(agent.resume(paused.state, { decisions: approve("call_h/call_1") }))).output).toBe("Done.");
  });

  it.each<readonly [unknown, string]>([
    [{ effects: "write" }, "effects"],
    [{ effects: ["delete"] }, "effects"],
    [{ tools: "pay" }, "tools"],
    [{ tools: [5] }, "tools"],
    [{ when: true }, "when"],
    [{ only: ["pay"] }, "only"],
    [null, "approval"],
  ])("refuses the options %j by name", (options, name) => {
    const make = (): unknown => approval(options as ApprovalOptions);
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringContaining(name) }));
  });

  it("says what it does in explain()", () => {
    const agent = new Agent({ model: "test", middleware: [approval({ tools: ["pay"], when: () => true })] });
    expect(agent.explain().middleware).toMatchObject([{ name: "approval", options: { effects: [], tools: ["pay"], when: true } }]);
  });
});
