import {
  Agent,
  type AgentOptions,
  defineMiddleware,
  defineTool,
  type DefinedTool,
  type RunInfo,
  type RunState,
  ToolError,
} from "@toolwright/core";
import { cache, type CacheOptions, type CacheStore, modelRetry, stepBudget, untrusted } from "@toolwright/core/middleware";
import { reply, type ReplyFunction } from "@toolwright/testing";
import { describe, expect, it, vi } from "vitest";
import { outputsIn, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep, until, untilAborted } from "../support/wait.js";
import { collect, failureOf } from "../support/ways.js";

/** One reply with calls for each question, then an answer; the question says which: `look 1, look 2`. */
const obedient: ReplyFunction = ({ context, index }) => {
  const start = context.findLastIndex(({ role }) => role === "user");
  const steps = String(context[start]?.["content"]).split("; ");
  const done = context
    .slice(start)
    .filter((item, at, all) => item.type === "function_call_output" && all[at + 1]?.type !== item.type).length;
  const calls = steps[done]
    ?.split(", ")
    .map((each, at) => callOf(each.split(" ")[0] as string, `call_${index}_${at}`, Number(each.split(" ")[1])));
  return calls === undefined ? reply.text("Done.") : reply.calls(...calls);
};

/** Tools that say how often they ran. */
function counting() {
  const runs = new Map<string, number>();
  const count = (name: string, n: number): string => {
    const key = `${name} ${n}`;
    runs.set(key, (runs.get(key) ?? 0) + 1);
    return `${key} at ${runs.get(key)}`;
  };
  const make = (name: string, options: object): DefinedTool => numberTool(name, (n) => count(name, n), options);
  const tools = [
    make("look", {}),
    make("peek", {}),
    make("change", { effect: "write" }),
    make("guess", { effect: undefined }),
    make("secret", { approval: true }),
  ];
  return { runs, tools };
}

const agentOn = (
  stand: Stand,
  tools: readonly DefinedTool[],
  options: CacheOptions = {},
  more: Partial<Omit<AgentOptions, "output">> = {},
) => new Agent<unknown>({ model: "test", client: stand.client, tools, middleware: [cache(options)], ...more });

const userOf = ({ app }: RunInfo): string | undefined => (app as { user?: string } | undefined)?.user;
const asUser = (user: string | undefined) => ({ app: { user } });

describe("cache of reads", () => {
  it("runs a read once in a run, and again for other arguments", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const result = await agentOn(stand, tools).run("look 1; look 2; look 1");
    expect(outputsIn(result.items).map(([, output]) => output)).toEqual(["look 1 at 1", "look 2 at 1", "look 1 at 1"]);
    expect(Object.fromEntries(runs)).toEqual({ "look 1": 1, "look 2": 1 });
    expect(result.steps[2]?.calls[0]).toMatchObject({ attempts: 0, outcome: { kind: "ok" } });
  });

  it("makes equal reads of one reply once, whatever the order of their keys", async () => {
    await using stand = await serve([
      reply.calls(...['{"a":1,"b":2}', '{"b":2,"a":1}'].map((text, at) => ({ callId: `call_${at}`, name: "add", arguments: text }))),
      reply.text("Done."),
    ]);
    let count = 0;
    const parameters = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] } as const;
    const execute = async () => (await sleep(20), `sum ${(count += 1)}`);
    const add = defineTool({ name: "add", description: "Adds.", effect: "read", parameters, execute });
    const result = await agentOn(stand, [add]).run("Add.");
    expect(outputsIn(result.items).map(([, output]) => output)).toEqual(["sum 1", "sum 1"]);
  });

  it("shares nothing between runs by default", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const agent = agentOn(stand, tools);
    await Promise.all([agent.run("look 1"), agent.run("look 1")]);
    expect(runs.get("look 1")).toBe(2);
  });

  it("keeps users apart, and shares what one user has read", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const agent = agentOn(stand, tools, { user: userOf });
    for (const user of ["ann", "ben", "ann", "ben", undefined, undefined]) await agent.run("look 1", asUser(user));
    // Once for each user, and each time for a run of nobody.
    expect(runs.get("look 1")).toBe(4);
    const ann = await agent.run("look 1", asUser("ann"));
    expect(outputsIn(ann.items)[0]?.[1]).toBe("look 1 at 1");
    const ben = await agent.run("look 1", asUser("ben"));
    expect(outputsIn(ben.items)[0]?.[1]).toBe("look 1 at 2");
  });

  it("lets all runs share what is the same for everybody", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const agent = agentOn(stand, tools, { scope: "shared" });
    for (const user of ["ann", "ben"]) await agent.run("look 1", asUser(user));
    expect(runs.get("look 1")).toBe(1);
  });

  it("keeps declared reads only, and no tool that needs approval", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const agent = agentOn(stand, tools, { scope: "shared" });
    await agent.run("change 1; change 1; guess 1; guess 1");
    expect(Object.fromEntries(runs)).toEqual({ "change 1": 2, "guess 1": 2 });
    for (const _ of [1, 2]) expect(await agent.run("secret 1")).toMatchObject({ stopReason: "interrupted" });
  });

  it("keeps those of the named tools only", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    await agentOn(stand, tools, { tools: ["look"] }).run("look 1; peek 1; look 1; peek 1");
    expect(Object.fromEntries(runs)).toEqual({ "look 1": 1, "peek 1": 2 });
    await expect(agentOn(stand, tools, { tools: ["change"] }).run("look 1")).rejects.toMatchObject({
      code: "RUN_OPTIONS",
      message: expect.stringContaining("names change, which is not declared a read"),
    });
  });

  it("keeps outcomes that are ok, and nothing else", async () => {
    await using stand = await serve(obedient);
    let count = 0;
    const fail = numberTool("look", () => {
      count += 1;
      if (count < 3) throw new ToolError({ code: "BUSY", message: "Busy.", retryable: false });
      return "here";
    });
    const result = await agentOn(stand, [fail]).run("look 1; look 1; look 1; look 1");
    expect(result.steps.slice(0, 4).map(({ calls }) => calls[0]?.outcome.kind)).toEqual(["failed", "failed", "ok", "ok"]);
    expect(count).toBe(3);
  });

  it("forgets after its time, and what was not asked for longest", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const short = agentOn(stand, tools, { ttlMs: 30, scope: "shared" });
    await short.run("look 1; look 1");
    await sleep(40);
    await short.run("look 1");
    expect(runs.get("look 1")).toBe(2);
    runs.clear();
    // An entry of its own tells which time between two writes it is.
    const small = agentOn(stand, tools, { maxEntries: 3, scope: "shared" });
    await small.run("look 1; look 2; look 1; look 3; look 1; look 2");
    expect(Object.fromEntries(runs)).toEqual({ "look 1": 1, "look 2": 2, "look 3": 1 });
  });

  it("is bounded by bytes, too", async () => {
    await using stand = await serve(obedient);
    let count = 0;
    const big = numberTool("look", (n) => (n === 9 ? "x".repeat(50_000) : `small ${(count += 1)}`));
    const agent = agentOn(stand, [big], { maxBytes: 20_000, scope: "shared" });
    await agent.run("look 1; look 9; look 9; look 1");
    expect(count).toBe(1);
  });
});

describe("cache and writes", () => {
  it("drops what was read before any call that is not declared a read", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const result = await agentOn(stand, tools).run("look 1; change 5; look 1; guess 1; look 1; look 1");
    expect(runs.get("look 1")).toBe(3);
    expect(outputsIn(result.items).at(-1)?.[1]).toBe("look 1 at 3");
  });

  it("does so for all runs of the user, and for nobody else's", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const agent = agentOn(stand, tools, { user: userOf });
    for (const user of ["ann", "ben"]) await agent.run("look 1", asUser(user));
    await agent.run("change 1", asUser("ann"));
    for (const user of ["ann", "ben"]) await agent.run("look 1", asUser(user));
    expect(runs.get("look 1")).toBe(3);
  });

  it("does not give a read that comes after a write in one reply what was read before it", async () => {
    await using stand = await serve(obedient);
    let value = 0;
    const resource = "thing";
    const look = numberTool("look", async () => (await sleep(10), `value ${value}`), { resource });
    const change = numberTool("change", async (n) => (await sleep(10), (value = n)), { resource, effect: "write" });
    const result = await agentOn(stand, [look, change]).run("look 1; look 1, change 7, look 1; look 1");
    expect(outputsIn(result.items).map(([, output]) => output)).toEqual(["value 0", "value 0", "7", "value 7", "value 7"]);
  });

  it("does not keep what was read while somebody wrote", async () => {
    await using stand = await serve(obedient);
    let value = 0;
    let started = false;
    let finish = (): void => {};
    const look = numberTool("look", async () => {
      const read = value;
      if (!started) {
        started = true;
        await new Promise<void>((resolve) => (finish = resolve));
      }
      return `value ${read}`;
    });
    const change = numberTool("change", (n) => (value = n), { effect: "write" });
    const agent = agentOn(stand, [look, change], { scope: "shared" });
    const slow = agent.run("look 1");
    await until(() => started);
    await agent.run("change 7");
    finish();
    expect(outputsIn((await slow).items)[0]?.[1]).toBe("value 0");
    expect(outputsIn((await agent.run("look 1")).items)[0]?.[1]).toBe("value 7");
  });

  it("trusts nothing any more in a run in which a write may still have its effect", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const hang = numberTool("hang", () => new Promise(() => {}), { effect: "write", timeoutMs: 20 });
    const result = await agentOn(stand, [...tools, hang]).run("look 1; hang 1; look 1; look 1");
    expect(result.steps[1]?.calls[0]?.outcome.kind).toBe("unknown");
    expect(runs.get("look 1")).toBe(3);
  });

  it("does not take a call that ran nothing for a write", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const deny = defineMiddleware({
      name: "deny",
      wrapToolCall: async (call, next) => (call.name === "change" ? { kind: "denied", reason: "Not now." } : next(call)),
    });
    await agentOn(stand, tools, {}, { middleware: [cache(), deny] }).run("look 1; change 1; look 1");
    expect(runs.get("look 1")).toBe(1);
  });

  it("knows after a pause whether the step wrote", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const make = () => agentOn(stand, [...tools, numberTool("pay", () => "paid", { effect: "write", approval: true })]);
    const paused = await make().run("look 1; pay 1, look 1; look 1");
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const [{ callId = "" } = {}] = paused.interruptions;
    expect(await make().resume(state, { decisions: [{ callId, approve: true }] })).toMatchObject({ output: "Done." });
    expect(runs.get("look 1")).toBe(3);
  });
});

describe("cache and runs beside each other", () => {
  const slowTool = () => {
    const calls: AbortSignal[] = [];
    let finish = (): void => {};
    const released = new Promise<void>((resolve) => (finish = resolve));
    const look = numberTool("look", async (_, { signal }) => {
      calls.push(signal);
      await Promise.race([released, untilAborted(signal)]);
      return `seen by ${calls.length}`;
    });
    return { look, calls, finish: () => finish() };
  };

  it("makes a read once that two runs ask for at once", async () => {
    await using stand = await serve(obedient);
    const { look, calls, finish } = slowTool();
    const agent = agentOn(stand, [look], { scope: "shared" });
    const both = [agent.run("look 1"), agent.run("look 1")];
    await until(() => calls.length > 0);
    await sleep(30);
    finish();
    const results = await ends(Promise.all(both));
    expect(calls).toHaveLength(1);
    expect(results.map(({ items }) => outputsIn(items)[0]?.[1])).toEqual(["seen by 1", "seen by 1"]);
  });

  it("does not let one run's abort fail the other", async () => {
    await using stand = await serve(obedient);
    const { look, calls, finish } = slowTool();
    const agent = agentOn(stand, [look], { scope: "shared" });
    const controller = new AbortController();
    const first = failureOf(agent.run("look 1", { signal: controller.signal }));
    await until(() => calls.length === 1);
    const second = agent.run("look 1");
    await stand.server.waitForRequest(1);
    await sleep(30);
    controller.abort();
    expect((await ends(first)).code).toBe("RUN_ABORTED");
    await until(() => calls.length === 2);
    expect(calls[1]?.aborted).toBe(false);
    finish();
    expect(outputsIn((await ends(second)).items)[0]?.[1]).toBe("seen by 2");
  });

  it("lets the one that waits be aborted alone", async () => {
    await using stand = await serve(obedient);
    const { look, calls, finish } = slowTool();
    const agent = agentOn(stand, [look], { scope: "shared" });
    const first = agent.run("look 1");
    await until(() => calls.length === 1);
    const controller = new AbortController();
    const second = failureOf(agent.run("look 1", { signal: controller.signal }));
    await stand.server.waitForRequest(1);
    await sleep(30);
    controller.abort();
    const error = await ends(second);
    expect(error.code).toBe("RUN_ABORTED");
    expect(error.result.steps[0]?.calls[0]?.outcome.kind).toBe("skipped");
    finish();
    expect(outputsIn((await ends(first)).items)[0]?.[1]).toBe("seen by 1");
    expect(calls).toHaveLength(1);
  });

  it("makes the read itself when the other's fails", async () => {
    await using stand = await serve(obedient);
    let count = 0;
    const look = numberTool("look", async () => {
      count += 1;
      if (count === 1) await sleep(60);
      if (count === 1) throw new Error("down");
      return `seen by ${count}`;
    });
    const agent = agentOn(stand, [look], { scope: "shared" });
    const results = await Promise.all([agent.run("look 1"), agent.run("look 1")]);
    const [own, failed] = results.map(({ items }) => String(outputsIn(items)[0]?.[1])).sort();
    expect(failed).toContain("TOOL_FAILED");
    expect(own).toBe("seen by 2");
  });
});

describe("cache of replies", () => {
  const text = (result: { readonly output?: unknown }): unknown => result.output;

  it("answers an equal request without asking, with calls of its own, and tells a stream", async () => {
    await using stand = await serve([
      reply.output(reply.reasoning("Hm."), reply.calls(callOf("look", "call_1", 1))),
      reply.text("It is 1."),
    ]);
    let count = 0;
    const agent = agentOn(stand, [numberTool("look", () => ((count += 1), "seen"))], { model: true, tools: false });
    const first = await agent.run("What is it?");
    const { result: second, events } = await collect(agent, "What is it?");
    expect([first, second].map(text)).toEqual(["It is 1.", "It is 1."]);
    expect(second.usage).toMatchObject({ requests: 0, totalTokens: 0 });
    expect(second.steps).toHaveLength(2);
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")).toBe("It is 1.");
    expect(count).toBe(2);
    const callIds = [first, second].map(({ items }) => outputsIn(items)[0]?.[0]);
    expect(callIds[0]).toBe("call_1");
    expect(callIds[1]).not.toBe("call_1");
    stand.server.assertDone();
  });

  it.each<[what: string, more: Partial<Omit<AgentOptions, "output">>]>([
    ["instructions", { instructions: "Be brief." }],
    ["settings", { settings: { temperature: 1 } }],
    ["model", { model: "other" }],
    ["tools", { tools: [numberTool("other", () => 1)] }],
  ])("tells requests apart by their %s", async (_, more) => {
    await using stand = await serve([reply.text("1"), reply.text("2")]);
    const middleware = [cache({ model: true })];
    const options = { model: "test", client: stand.client, middleware };
    expect(text(await new Agent(options).run("Hello."))).toBe("1");
    expect(text(await new Agent({ ...options, ...more }).run("Hello."))).toBe("2");
    expect(text(await new Agent({ ...options, ...more }).run("Hello."))).toBe("2");
    stand.server.assertDone();
  });

  it("keeps users apart when there are any", async () => {
    await using stand = await serve([reply.text("1"), reply.text("2"), reply.text("3"), reply.text("4")]);
    const agent = agentOn(stand, [], { model: true, user: userOf });
    const asked = [];
    for (const user of ["ann", "ben", "ann", undefined, undefined]) asked.push(text(await agent.run("Hello.", asUser(user))));
    expect(asked).toEqual(["1", "2", "1", "3", "4"]);
  });

  it("keeps completed replies that hold words and calls alone", async () => {
    await using stand = await serve([
      reply.http(400, { code: "invalid_prompt" }),
      reply.refusal("No."),
      reply.output(reply.items([{ type: "web_search_call", status: "completed" }]), reply.text("Found.")),
      reply.text("Hello."),
    ]);
    const agent = agentOn(stand, [], { model: true });
    await expect(agent.run("Hello.")).rejects.toMatchObject({ code: "MODEL_BAD_REQUEST" });
    expect(await agent.run("Hello.")).toMatchObject({ stopReason: "refused" });
    expect(text(await agent.run("Hello."))).toBe("Found.");
    expect(text(await agent.run("Hello."))).toBe("Hello.");
    expect(text(await agent.run("Hello."))).toBe("Hello.");
    stand.server.assertDone();
  });

  it("passes requests on where the server keeps the history", async () => {
    await using stand = await serve([reply.text("1"), reply.text("2")]);
    const agent = agentOn(stand, [], { model: true }, { history: { kind: "chained" } });
    expect([text(await agent.run("Hello.")), text(await agent.run("Hello."))]).toEqual(["1", "2"]);
  });

  it("lets no budget be passed by", async () => {
    await using stand = await serve(obedient);
    const middleware = [cache({ model: true }), stepBudget(2)];
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => "seen")], middleware });
    await expect(agent.run("look 1; look 2; look 3")).rejects.toMatchObject({ code: "RUN_BUDGET" });
    const asked = stand.server.requests.length;
    await expect(agent.run("look 1; look 2; look 3")).rejects.toMatchObject({ code: "RUN_BUDGET" });
    expect(stand.server.requests).toHaveLength(asked);
  });

  it("finds replies to requests with fences, whose letters are others in each run", async () => {
    await using stand = await serve(obedient);
    const look = numberTool("look", () => "seen");
    const middleware = [untrusted(), cache({ model: true })];
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], middleware });
    await agent.run("look 1");
    expect(await agent.run("look 1")).toMatchObject({ output: "Done.", usage: { requests: 0 } });
  });
});

describe("the store of a cache", () => {
  const mapStore = (): CacheStore & { readonly map: Map<string, string> } => {
    const map = new Map<string, string>();
    return { map, get: async (key) => map.get(key) ?? null, set: async (key, value) => void map.set(key, value) };
  };

  it("can be shared by agents and processes, and sees digests for keys", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const store = mapStore();
    for (const user of ["ann", "ann", "ben"]) await agentOn(stand, tools, { user: userOf, store }).run("look 1; look 2", asUser(user));
    expect(runs.get("look 1")).toBe(2);
    for (const key of store.map.keys()) expect(key).toMatch(/^toolwright:(?:read|epoch|reply):[0-9a-f]{64}$/);
    await agentOn(stand, tools, { user: userOf, store }).run("change 1", asUser("ann"));
    await agentOn(stand, tools, { user: userOf, store }).run("look 1", asUser("ann"));
    expect(runs.get("look 1")).toBe(3);
  });

  it("gives nothing stale when it loses entries, whichever they are", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const store = mapStore();
    const agent = agentOn(stand, tools, { scope: "shared", store });
    await agent.run("look 1; change 1");
    for (const key of store.map.keys()) if (key.startsWith("toolwright:epoch")) store.map.delete(key);
    const result = await agent.run("look 1");
    expect(outputsIn(result.items)[0]?.[1]).toBe("look 1 at 2");
    expect(runs.get("look 1")).toBe(2);
  });

  it.each<[what: string, store: CacheStore, errors: number]>([
    ["rejects", { get: () => Promise.reject(new Error("down")), set: () => Promise.reject(new Error("down")) }, 1],
    [
      "throws",
      {
        get: () => {
          throw new Error("down");
        },
        set: () => {
          throw new Error("down");
        },
      },
      1,
    ],
    ["gives what is no entry", { get: () => "{", set: () => {} }, 1],
    ["gives an entry of another form", { get: () => JSON.stringify({ until: Date.now() + 9_999, data: 5 }), set: () => {} }, 0],
    ["gives a read of another form", { get: () => JSON.stringify({ until: Date.now() + 9_999, data: "x" }), set: () => {} }, 0],
  ])("fails no run when it %s", async (_, store, least) => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const told: unknown[] = [];
    const onStoreError = (error: unknown, operation: string): void => void told.push([operation, error]);
    const agent = agentOn(stand, tools, { scope: "shared", store, model: true, onStoreError });
    expect(await agent.run("look 1; look 1; change 1; look 1")).toMatchObject({ output: "Done." });
    expect(runs.get("look 1")).toBe(3);
    expect(told.length).toBeGreaterThanOrEqual(least);
  });

  it("is not waited for longer than a second, and not beyond an abort", async () => {
    await using stand = await serve(obedient);
    const { tools } = counting();
    const told: string[] = [];
    const store: CacheStore = { get: () => new Promise(() => {}), set: () => {} };
    const onStoreError = (error: unknown): void => void told.push(String(error));
    const agent = agentOn(stand, tools, { scope: "shared", store, onStoreError });
    const controller = new AbortController();
    const aborted = failureOf(agent.run("look 1", { signal: controller.signal }));
    await stand.server.waitForRequest(0);
    await sleep(50);
    controller.abort();
    expect((await ends(aborted)).code).toBe("RUN_ABORTED");
    expect(told).toEqual([]);
    expect(await agent.run("look 1")).toMatchObject({ output: "Done." });
    expect(told[0]).toContain("did not answer within 1000 ms");
  });

  it("stops giving what it has when it cannot be told of a write", async () => {
    await using stand = await serve(obedient);
    const { runs, tools } = counting();
    const store = mapStore();
    let down = false;
    const flaky: CacheStore = {
      get: (key) => store.get(key),
      set: (key, value, options) => (down ? Promise.reject(new Error("down")) : store.set(key, value, options)),
    };
    const write = numberTool("write", () => ((down = true), "written"), { effect: "write" });
    const agent = agentOn(stand, [...tools, write], { scope: "shared", store: flaky, onStoreError: () => {} });
    await agent.run("look 1; write 1; look 1; look 1");
    expect(runs.get("look 1")).toBe(3);
  });

  it("is told of once by a warning of the process, without its secrets", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      await using stand = await serve(obedient);
      const { tools } = counting();
      const store: CacheStore = { get: () => Promise.reject(new Error("redis://user:hunter2@host is down")), set: () => {} };
      await agentOn(stand, tools, { scope: "shared", store }).run("look 1; look 2");
      expect(warn).toHaveBeenCalledTimes(1);
      expect(String(warn.mock.calls[0]?.[0])).toContain("the run went on without it");
      expect(JSON.stringify(warn.mock.calls)).not.toContain("hunter2");
    } finally {
      warn.mockRestore();
    }
  });
});

describe("cache and others", () => {
  it("counts a read that was answered from memory as no attempt of a retry", async () => {
    await using stand = await serve(obedient);
    const { tools } = counting();
    const agent = agentOn(stand, tools, {}, { middleware: [cache({ model: true }), modelRetry()] });
    expect(await agent.run("look 1; look 1")).toMatchObject({ output: "Done." });
  });

  it.each([
    [{ tools: false }, /keeps neither reads nor replies/],
    [{ scope: "user" }, /needs `user`/],
    [{ scope: "shared", user: () => "ann" }, /exclude each other/],
    [{ scope: "tenant" }, /`scope` must be one of "run", "user", "shared"; it is "tenant"/],
    [{ ttlMs: 0 }, /`ttlMs` must be a positive integer; it is 0/],
    [{ tools: "look" }, /`tools` must be true or false, or a list of texts; it is "look"/],
    [{ store: new Date() }, /`store` must be a store with the methods get and set; it is an object/],
    [{ ttl: 5 }, /has no option "ttl"/],
  ])("refuses %j", (options, message) => {
    expect(() => cache(options as never)).toThrow(message);
  });

  it("refuses a user that is no text, in the run", async () => {
    await using stand = await serve(obedient);
    await expect(agentOn(stand, [], { user: () => 5 as never }).run("Hello.")).rejects.toMatchObject({
      code: "RUN_OPTIONS",
      message: expect.stringContaining("it gave 5"),
    });
  });
});
