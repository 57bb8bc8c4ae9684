import { Agent, type AgentOptions, defineTool, type Item, type Middleware, ToolError } from "@toolwright/core";
import { afterUntrusted, type GuardWarning, type SeenOutput, toolGuard, type ToolGuardOptions } from "@toolwright/core/middleware";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const agentOf = (stand: Stand, middleware: readonly Middleware[], more: Omit<Partial<AgentOptions>, "output">): Agent =>
  new Agent({ model: "test", client: stand.client, middleware, ...more });

const outputOf = (stand: Stand, request = 1, place = 0): unknown => outputsIn(inputOf(stand.server.request(request)))[place]?.[1];

/** A run with one reply of calls, each of a tool that remembers what it ran with. */
async function guarded(
  options: ToolGuardOptions,
  script: Script = [reply.calls(callOf("pay", "call_1", 1), callOf("pay", "call_2", 200)), reply.text("Done.")],
) {
  const stand = await serve(script);
  const ran: number[] = [];
  const pay = numberTool("pay", (n) => (ran.push(n), `paid ${n}`), { effect: "write" });
  return {
    stand,
    ran,
    agent: agentOf(stand, [toolGuard(options)], { tools: [pay] }),
    [Symbol.asyncDispose]: () => stand[Symbol.asyncDispose](),
  };
}

describe("toolGuard, before a call", () => {
  it.each(ways)("blocks one call, and the model reads why: %s", async (way) => {
    await using run = await guarded({
      name: "limit",
      check: (call) => (Number(call.arguments["n"]) > 100 ? { block: "over 100." } : { pass: true }),
    });
    const { steps } = await runIn(way, run.agent, "Pay.");
    expect(run.ran).toEqual([1]);
    expect(steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "denied"]);
    expect(outputOf(run.stand)).toBe("paid 1");
    expect(errorIn(outputOf(run.stand, 1, 1))).toMatchObject({
      code: "TOOL_DENIED",
      message: "The call was refused: over 100.",
      retryable: false,
    });
  });

  it("changes arguments, which are checked again", async () => {
    await using run = await guarded({
      check: (call) => ({ rewrite: { ...call.arguments, n: Math.min(100, Number(call.arguments["n"])) } }),
    });
    await run.agent.run("Pay.");
    expect(run.ran).toEqual([1, 100]);
    await using wrong = await guarded({ check: () => ({ rewrite: { n: "many" } }) });
    const { steps } = await wrong.agent.run("Pay.");
    expect(wrong.ran).toEqual([]);
    expect(steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["invalid", "invalid"]);
  });

  it("has a person asked, once, and only where it may", async () => {
    const big: ToolGuardOptions["check"] = (call) => (Number(call.arguments["n"]) > 100 ? { ask: true } : { pass: true });
    await using run = await guarded({ mayAsk: true, check: big });
    const paused = await run.agent.run("Pay.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(run.ran).toEqual([1]);
    expect(paused.interruptions).toEqual([{ callId: "call_2", tool: "pay", arguments: { n: 200 }, reason: "approval" }]);
    // Nobody has decided yet.
    const still = await run.agent.resume(JSON.stringify(paused.state), { decisions: [] });
    if (still.stopReason !== "interrupted") throw new Error(still.stopReason);
    expect(run.ran).toEqual([1]);
    const done = await run.agent.resume(JSON.stringify(still.state), { decisions: [{ callId: "call_2", approve: true }] });
    expect(done.stopReason).toBe("completed");
    expect(run.ran).toEqual([1, 200]);

    await using another = await guarded({ check: big });
    expect(await failureOf(another.agent.run("Pay."))).toMatchObject({
      code: "RUN_MIDDLEWARE",
      message: expect.stringContaining("without `mayAsk: true`"),
    });
    const order = [toolGuard({ name: "asks", mayAsk: true, check: big }), toolGuard({ name: "changes", check: () => ({ pass: true }) })];
    expect(() => agentOf(another.stand, order, {})).toThrow(/Put changes before asks/);
    expect(() => agentOf(another.stand, order.toReversed(), {})).not.toThrow();
  });

  it("sees whose outputs the model could have read", async () => {
    const seen: (readonly SeenOutput[])[] = [];
    const tools = ["look", "fail"].map((name) =>
      numberTool(name, (n) => {
        if (name === "fail") throw new ToolError({ code: "NO", message: "No." });
        return n;
      }),
    );
    await using stand = await serve([
      reply.calls(callOf("look", "call_1", 1), callOf("look", "call_2", 2)),
      reply.calls(callOf("fail", "call_3", 3), callOf("nowhere", "call_4", 4)),
      reply.calls(callOf("look", "call_5", 5)),
      reply.text("Done."),
    ]);
    const guard = toolGuard({ check: (_, context) => (seen.push(context.seen), { pass: true }) });
    const items: Item[] = [
      { type: "function_call", call_id: "call_0", name: "search", arguments: "{}" },
      { type: "function_call_output", call_id: "call_0", output: "found" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
    ];
    await agentOf(stand, [guard], { tools }).run("Go.", { history: { kind: "local", items } });
    const before = [
      { tool: "search", step: 0 },
      { tool: "web_search", step: 0 },
    ];
    expect(seen).toEqual([
      before,
      before,
      [...before, { tool: "look", step: 1 }],
      [...before, { tool: "look", step: 1 }, { tool: "fail", step: 2 }],
    ]);
  });

  it("lets nothing pass that it could not look at, unless told to; what is invalid it does not look at", async () => {
    const warnings: GuardWarning[] = [];
    const check: ToolGuardOptions["check"] = (call) => {
      if (call.callId === "call_1") throw new Error("private-of-the-guard");
      return forever();
    };
    const options: ToolGuardOptions = { name: "police", check, timeoutMs: 20, onWarn: (warning) => warnings.push(warning) };
    await using run = await guarded(options);
    const { steps, runId } = await ends(run.agent.run("Pay."));
    expect(run.ran).toEqual([]);
    expect(steps[0]?.calls.map(({ outcome }) => outcome)).toEqual(
      [1, 2].map(() => ({ kind: "denied", reason: "it could not be checked." })),
    );
    expect(run.stand.server.request(1).text).not.toContain("private-of-the-guard");
    expect(warnings.map(({ cause: _, message: __, ...rest }) => rest)).toEqual(
      ["call_1", "call_2"].map((callId) => ({ guard: "police", runId, step: 0, tool: "pay", callId })),
    );
    await using passing = await guarded({ ...options, onError: "pass" });
    await ends(passing.agent.run("Pay."));
    expect(passing.ran).toEqual([1, 200]);

    let asked = 0;
    await using invalid = await guarded({ check: () => ((asked += 1), { block: "never." }) }, [
      reply.calls({ callId: "call_1", name: "pay", arguments: "{" }, { callId: "call_2", name: "nowhere", arguments: {} }),
      reply.text("Done."),
    ]);
    const { steps: wrong } = await invalid.agent.run("Pay.");
    expect(wrong[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["invalid", "invalid"]);
    expect(asked).toBe(0);
  });

  it("ends at once with the run, and nothing starts behind it", async () => {
    const controller = new AbortController();
    await using run = await guarded({ check: () => (setTimeout(() => controller.abort(), 10), forever()) });
    const error = await failureOf(ends(run.agent.run("Pay.", { signal: controller.signal })));
    expect(error.code).toBe("RUN_ABORTED");
    expect(run.ran).toEqual([]);
    expect(error.result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["skipped", "skipped"]);
  });
});

describe("toolGuard, after a call", () => {
  it("changes what the model reads, and never what has happened", async () => {
    const verdicts: Record<string, ReturnType<NonNullable<ToolGuardOptions["checkOutcome"]>>> = {
      call_1: { rewrite: "[cleaned]" },
      call_2: { block: "it holds a password." },
    };
    const warned: string[] = [];
    await using run = await guarded({
      checkOutcome: (_, call) => verdicts[call.callId] ?? { warn: "odd" },
      onWarn: ({ message }) => warned.push(message),
    });
    const { steps } = await run.agent.run("Pay.");
    expect(run.ran).toEqual([1, 200]);
    expect(steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "ok"]);
    expect(outputOf(run.stand, 1, 0)).toBe("[cleaned]");
    expect(outputOf(run.stand, 1, 1)).toMatch(/^The tool has run\. What it said is withheld: it holds a password\. Do not call it again/);
    expect(run.stand.server.request(1).text).not.toContain("paid 200");
  });

  it("looks at failures as well, and keeps their kind and cause", async () => {
    const failing = ["read", "write"].map((effect) =>
      defineTool({
        name: effect,
        description: "Fails.",
        effect: effect as "read" | "write",
        parameters: { type: "object", properties: {} },
        execute: () => {
          throw effect === "read" ? new ToolError({ code: "NO", message: "password: hunter2" }) : new Error("private");
        },
      }),
    );
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "read", arguments: {} }, { callId: "call_2", name: "write", arguments: {} }),
      reply.text("Done."),
    ]);
    const guard = toolGuard({ checkOutcome: () => ({ block: "private." }) });
    const { steps } = await agentOf(stand, [guard], { tools: failing }).run("Go.");
    expect(steps[0]?.calls.map(({ outcome }) => [outcome.kind, (outcome as { cause?: unknown }).cause instanceof Error])).toEqual([
      ["failed", true],
      ["unknown", true],
    ]);
    expect(stand.server.request(1).text).not.toContain("hunter2");
  });

  it("withholds what it could not look at", async () => {
    await using run = await guarded({ checkOutcome: () => Promise.reject(new Error("x")), onWarn: () => {} });
    const { steps } = await run.agent.run("Pay.");
    expect(steps[0]?.calls[0]?.outcome.kind).toBe("ok");
    expect(outputOf(run.stand)).toMatch(/withheld: it could not be checked\./);
  });

  it("leaves a call that waits for a person as it is", async () => {
    let looked = 0;
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Done.")]);
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const guard = toolGuard({ checkOutcome: () => ((looked += 1), { block: "no." }) });
    expect(await agentOf(stand, [guard], { tools: [pay] }).run("Pay.")).toMatchObject({ stopReason: "interrupted" });
    expect(looked).toBe(0);
  });

  it.each([
    [{}, /neither `check` nor `checkOutcome`/],
    [{ check: "no" }, /`check` must be a function; it is "no"/],
    [{ checks: () => {} }, /no option "checks"/],
  ])("refuses the options %j", (options, message) => {
    expect(() => toolGuard(options as ToolGuardOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });
});

describe("afterUntrusted", () => {
  it.each([
    [{}, /`tools` must be a list of texts, or a function; it is undefined/],
    [{ tools: ["a"], onSeen: "warn" }, /`onSeen` must be one of "block", "ask"; it is "warn"/],
  ])("refuses the options %j", (options, message) => {
    expect(() => afterUntrusted(options as unknown as Parameters<typeof afterUntrusted>[0])).toThrow(message);
  });

  it("tells in explain() what it does, and nothing of its rules", () => {
    const agent = new Agent({ model: "test", middleware: [afterUntrusted({ tools: ["fetch"], allow: () => false })] });
    expect(String(agent.explain())).toContain(
      'afterUntrusted({"tools":["fetch"],"trusted":[],"allow":true,"onSeen":"block","serverHistory":"untrusted"})',
    );
  });
});
