import { type FunctionCallOutputItem, type Item, memorySession, type Session, ToolwrightError } from "@toolwright/core";
import { describe, expect, it } from "vitest";
import { kinds, texts } from "./support.js";

const user = (text: string): Item => ({ type: "message", role: "user", content: text });
const call = (callId: string): Item => ({ type: "function_call", id: `fc_${callId}`, call_id: callId, name: "write", arguments: "{}" });
const output = (callId: string, text = "done"): FunctionCallOutputItem => ({ type: "function_call_output", call_id: callId, output: text });
const answer: Item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] };

const step = { runId: "run_1", step: 0 };
const intent = { tool: "app#write", arguments: "{}", idempotencyKey: "run_1/0/call_1" };
const ok = { kind: "ok", output: "done" } as const;

async function hold(session: Session) {
  if (session.acquire === undefined) throw new Error("The session cannot be held.");
  return session.acquire();
}

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "not refused",
    (error: unknown) => (ToolwrightError.is(error) ? error.code : error),
  );

describe.each(kinds)("what a session in $kind keeps", ({ make }) => {
  it("is empty at first", async () => {
    using kept = make();
    expect(await kept.session.load()).toEqual({ items: [], unfinished: undefined });
  });

  it("items come back as the text that they were, whatever is in them", async () => {
    const odd: readonly Item[] = [
      {
        type: "hologram",
        z: null,
        a: { 2: "two", 1: [1e21, -0.5, true, null] },
        text: "line\u2028\u0000 \ud83d \ud83d\ude00 é",
        empty: {},
      },
      {
        content: [{ text: "", type: "output_text", annotations: [], logprobs: null }],
        role: "assistant",
        type: "message",
        status: "completed",
        phase: null,
        id: "msg_1",
      },
    ];
    using kept = make();
    const held = await hold(kept.session);
    await held.input([user("Hi.")]);
    await held.reply({ ...step, responseId: undefined, output: odd });
    await held.release();
    const { items, unfinished } = await kept.reopen().load();
    expect(texts(items)).toEqual(texts([user("Hi."), ...odd]));
    expect(unfinished).toBeUndefined();
  });

  it("input is part of it from the first reply on, and other input replaces it before", async () => {
    using kept = make();
    const held = await hold(kept.session);
    await held.input([user("One."), user("Two.")]);
    expect((await kept.session.load()).items).toEqual([]);
    await held.input([user("Three.")]);
    await held.reply({ ...step, responseId: "resp_1", output: [answer] });
    expect((await kept.session.load()).items).toEqual([user("Three."), answer]);
    await held.input([user("Lost.")]);
    await held.release();
    // A run that sends nothing new does not find what the one before could not ask.
    const next = await hold(kept.reopen());
    await next.reply({ runId: "run_2", step: 0, responseId: "resp_2", output: [answer] });
    await next.release();
    expect((await kept.session.load()).items).toEqual([user("Three."), answer, answer]);
  });

  it("a reply with calls is unfinished until its outputs come, and tells what became of each call", async () => {
    using kept = make();
    const held = await hold(kept.session);
    const reply = [{ type: "reasoning", id: "rs_1", summary: [] }, call("call_1"), call("call_2"), call("call_3")];
    await held.reply({ ...step, responseId: "resp_1", output: reply });
    await held.started({ ...step, callId: "call_1", ...intent });
    await held.started({ ...step, callId: "call_2", ...intent });
    await held.outcome({ ...step, callId: "call_2" }, ok);
    await held.outcome({ ...step, callId: "call_3" }, { kind: "denied", reason: "no" });
    await held.release();
    const { items, unfinished } = await kept.reopen().load();
    expect(items).toEqual(reply);
    expect(unfinished).toEqual({
      ...step,
      responseId: "resp_1",
      output: reply,
      pausedBy: undefined,
      calls: [
        { callId: "call_1", started: true, outcome: undefined },
        { callId: "call_2", started: true, outcome: ok },
        { callId: "call_3", started: false, outcome: { kind: "denied", reason: "no" } },
      ],
    });
    const next = await hold(kept.session);
    await next.outputs({ ...step, items: [output("call_1"), output("call_2"), output("call_3")] });
    await next.release();
    expect(await kept.reopen().load()).toEqual({
      items: [...reply, output("call_1"), output("call_2"), output("call_3")],
      unfinished: undefined,
    });
  });

  it("a call that starts again has no outcome until it ends again", async () => {
    using kept = make();
    const held = await hold(kept.session);
    await held.reply({ ...step, responseId: undefined, output: [call("call_1")] });
    await held.started({ ...step, callId: "call_1", ...intent });
    await held.outcome({ ...step, callId: "call_1" }, { kind: "failed", error: { code: "BUSY", message: "Busy.", retryable: true } });
    await held.started({ ...step, callId: "call_1", ...intent });
    expect((await kept.session.load()).unfinished?.calls).toEqual([{ callId: "call_1", started: true, outcome: undefined }]);
    await held.release();
  });

  it("a paused step keeps its first outputs, and all of them take their place later", async () => {
    using kept = make();
    const held = await hold(kept.session);
    const reply = [call("call_1"), call("call_2")];
    await held.reply({ ...step, responseId: "resp_1", output: reply });
    await held.outcome({ ...step, callId: "call_2" }, ok);
    await held.outputs({ ...step, items: [output("call_2")], pausedBy: "run_1" });
    const paused = await kept.session.load();
    expect(paused.items).toEqual([...reply, output("call_2")]);
    expect(paused.unfinished).toMatchObject({
      pausedBy: "run_1",
      output: reply,
      calls: [
        { callId: "call_1", outcome: undefined },
        { callId: "call_2", outcome: ok },
      ],
    });
    await held.outputs({ ...step, items: [output("call_1", "late"), output("call_2")] });
    await held.release();
    expect(await kept.reopen().load()).toEqual({ items: [...reply, output("call_1", "late"), output("call_2")], unfinished: undefined });
  });

  it("call ids that come again in a later step are other calls", async () => {
    using kept = make();
    const held = await hold(kept.session);
    await held.reply({ ...step, responseId: undefined, output: [call("call_1")] });
    await held.started({ ...step, callId: "call_1", ...intent });
    await held.outcome({ ...step, callId: "call_1" }, ok);
    await held.outputs({ ...step, items: [output("call_1")] });
    await held.reply({ runId: "run_1", step: 1, responseId: undefined, output: [call("call_1")] });
    // Of the step before, told too late.
    await held.outcome({ ...step, callId: "call_1" }, ok);
    expect((await kept.session.load()).unfinished?.calls).toEqual([{ callId: "call_1", started: false, outcome: undefined }]);
    expect(await refusal(held.started({ ...step, callId: "call_1", ...intent }))).toBe("RUN_SESSION");
    await held.release();
  });

  it("nothing follows a step whose calls have no outputs, and no outputs come twice", async () => {
    using kept = make();
    const held = await hold(kept.session);
    await held.reply({ ...step, responseId: undefined, output: [call("call_1")] });
    expect(await refusal(held.input([user("Hi.")]))).toBe("RUN_SESSION");
    expect(await refusal(held.reply({ ...step, step: 1, responseId: undefined, output: [answer] }))).toBe("RUN_SESSION");
    expect(await refusal(held.outputs({ ...step, step: 1, items: [] }))).toBe("RUN_SESSION");
    await held.outputs({ ...step, items: [output("call_1")] });
    expect(await refusal(held.outputs({ ...step, items: [output("call_1")] }))).toBe("RUN_SESSION");
    await held.release();
    expect((await kept.reopen().load()).items).toEqual([call("call_1"), output("call_1")]);
  });

  it("records can be written without holding it, but not while a run has it", async () => {
    using kept = make();
    const held = await hold(kept.session);
    expect(await refusal(kept.session.reply({ ...step, responseId: undefined, output: [answer] }))).toBe("RUN_SESSION_BUSY");
    await held.release();
    expect(await refusal(held.input([user("Late.")]))).toBe("RUN_SESSION");
    await kept.session.input([user("Hi.")]);
    await kept.session.reply({ ...step, responseId: undefined, output: [call("call_1")] });
    await kept.session.started({ ...step, callId: "call_1", ...intent });
    await kept.session.outcome({ ...step, callId: "call_1" }, ok);
    await kept.session.outputs({ ...step, items: [output("call_1")] });
    expect(await kept.reopen().load()).toEqual({ items: [user("Hi."), call("call_1"), output("call_1")], unfinished: undefined });
  });
});

describe("a session in memory", () => {
  it("starts from items, of which it keeps a copy", async () => {
    const given = [user("Hi."), { ...answer }];
    const session = memorySession(given);
    Object.assign(given[1] ?? {}, { content: "changed" });
    given.pop();
    expect((await session.load()).items).toEqual([user("Hi."), answer]);
    (await session.load()).items.forEach((item) => Object.assign(item, { role: "changed" }));
    expect((await session.load()).items).toEqual([user("Hi."), answer]);
  });

  it.each([
    ["a call without an output", [call("call_1")]],
    ["an output without a call", [output("call_1")]],
    ["an id twice", [{ ...answer, id: "msg_1" }, user("Hm?"), { ...answer, id: "msg_1" }]],
    ["reasoning without a follower", [{ type: "reasoning", id: "rs_1", summary: [] }, user("Hm?")]],
  ])("refuses %s", (_, items) => {
    expect(() => memorySession(items)).toThrow(
      expect.objectContaining({ code: "RUN_HISTORY", fix: expect.stringContaining("repairHistory") }),
    );
  });
});
