import { Agent, type AgentOptions, type HistoryOption, type Item, openaiModel, repairHistory, type RunState } from "@toolwright/core";
import { compact, type CompactOptions } from "@toolwright/core/middleware";
import { type RecordedRequest, reply, type ReplyFunction } from "@toolwright/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, until, untilAborted } from "../support/wait.js";
import { collect, failureOf } from "../support/ways.js";

const look = numberTool("look", (n) => `result ${n} ${"x".repeat(400)}`);
const isSummary = ({ body }: Pick<RecordedRequest, "body">): boolean => String(body.instructions).startsWith("You keep the notes");
const summaries = ({ server }: Stand): readonly RecordedRequest[] => server.requests.filter(isSummary);
const steps = ({ server }: Stand): readonly RecordedRequest[] => server.requests.filter((request) => !isSummary(request));
const questionOf = (request: RecordedRequest): string => String(inputOf(request)[0]?.["content"]);
const notesIn = (items: readonly Item[]): readonly string[] =>
  items.flatMap(({ role, content }) => (role === "assistant" && String(content).startsWith("My notes") ? [String(content)] : []));

/** A model that thinks and calls, two calls a step, then answers; asked for a summary, it gives one. */
function worker(length: number): ReplyFunction {
  let step = 0;
  let asked = 0;
  return (request) => {
    if (isSummary(request)) return reply.text(`Summary ${(asked += 1)}.`);
    const n = (step += 1);
    if (n > length) return reply.text("Done.");
    return reply.output(
      reply.reasoning(`Thought ${n}.`),
      reply.calls(callOf("look", `call_${n}a`, n), callOf("look", `call_${n}b`, n + 100)),
    );
  };
}

const agentOn = (stand: Stand, options: CompactOptions, more: Partial<Omit<AgentOptions, "output">> = {}) =>
  new Agent<unknown>({
    model: "test",
    client: stand.client,
    instructions: "Look.",
    tools: [look],
    middleware: [compact(options)],
    maxSteps: 60,
    ...more,
  });

describe("compact", () => {
  it("keeps every request of a long run short, and the history whole", async () => {
    await using stand = await serve(worker(20));
    const result = await agentOn(stand, { maxChars: 8_000 }).run("Look at them all.");
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    const sizes = steps(stand).map((request) => inputOf(request).reduce((sum, item) => sum + JSON.stringify(item).length, 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8_000);
    // Nothing is lost: twenty steps of reasoning, two calls and two outputs, and both messages.
    expect(localItems(result.history)).toHaveLength(1 + 20 * 5 + 1);
    expect(result.items).toEqual(localItems(result.history));
    expect(repairHistory(localItems(result.history)).repairs).toEqual([]);
    stand.server.assertDone();
  });

  it("puts one summary in place of the oldest steps, behind the question, and asks for it without tools", async () => {
    await using stand = await serve(worker(10));
    const result = await agentOn(
      stand,
      { maxChars: 8_000, keepSteps: 2 },
      { settings: { reasoning: { effort: "low" }, tool_choice: "auto" } },
    ).run("Look.");
    const [first] = summaries(stand);
    expect(first?.body.tools).toBeUndefined();
    expect(first?.body.tool_choice).toBeUndefined();
    expect(first?.body).toMatchObject({ reasoning: { effort: "low" }, store: false });
    expect(JSON.stringify(first?.body.input)).toContain('CALL look({\\"n\\":1})');
    const short = steps(stand).find((request) => notesIn(inputOf(request)).length > 0);
    expect(inputOf(short as RecordedRequest).map(({ type, role }) => role ?? type)).toEqual([
      "user",
      "assistant",
      ...Array.from({ length: 2 }, () => [
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
      ]).flat(),
    ]);
    expect(notesIn(inputOf(short as RecordedRequest))).toEqual(["My notes on the conversation so far:\nSummary 1."]);
    // Its requests and tokens are the run's.
    expect(result.usage.requests).toBe(stand.server.requests.length);
    expect(result.steps).toHaveLength(11);
  });

  it("does not sum up again what it has summed up, and builds on it when it gets too long once more", async () => {
    await using stand = await serve(worker(20));
    await agentOn(stand, { maxChars: 10_000, keepSteps: 1 }).run("Look.");
    const asked = summaries(stand).map(questionOf);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThan(8);
    expect(asked[0]).not.toContain("Your notes so far");
    expect(asked[1]).toContain("Your notes so far:\n<notes>\nSummary 1.\n</notes>");
    // Each call is in one summary alone.
    for (const n of [1, 2, 3, 4]) expect(asked.filter((text) => text.includes(`CALL look({"n":${n}})`))).toHaveLength(1);
    stand.server.assertDone();
  });

  it("begins the next run on the same history with the summary of the one before", async () => {
    await using stand = await serve(worker(12));
    const agent = agentOn(stand, { maxChars: 8_000 });
    const { history } = await agent.run("Look.");
    const asked = summaries(stand).length;
    await agent.run("And now?", { history });
    expect(summaries(stand)).toHaveLength(asked);
    const last = inputOf(stand.server.requests.at(-1) as RecordedRequest);
    expect(last.at(-1)).toMatchObject({ role: "user", content: "And now?" });
    expect(notesIn(last)).toHaveLength(1);
    // A history that is another has nothing of it.
    const others = localItems(history).map((item) => (item["role"] === "user" ? { ...item, content: "Another question." } : item));
    await agent.run("And now?", { history: { kind: "local", items: others } });
    const [anew = ""] = summaries(stand).slice(asked).map(questionOf);
    expect(anew).toContain("Another question.");
    expect(anew).not.toContain("Your notes so far");
    stand.server.assertDone();
  });

  it("takes a function of the application's own", async () => {
    const seen: unknown[] = [];
    await using stand = await serve(worker(20));
    const summarize: CompactOptions["summarize"] = (items, { run, signal, earlier }) => {
      seen.push([items.length, run.model, signal.aborted, earlier]);
      return Promise.resolve(`${items.length} items`);
    };
    await agentOn(stand, { maxChars: 10_000, keepSteps: 1, summarize }).run("Look.");
    expect(summaries(stand)).toEqual([]);
    expect(seen[0]).toEqual([expect.any(Number), "test", false, undefined]);
    expect(seen[1]).toEqual([expect.any(Number), "test", false, `${(seen[0] as number[])[0]} items`]);
  });

  it("asks another model when it is given one, by itself or by name", async () => {
    await using stand = await serve(worker(8));
    await using other = await serve(() => reply.text("Small summary."));
    await agentOn(
      stand,
      { maxChars: 6_000, model: openaiModel("small", { client: other.client }) },
      { settings: { reasoning: { effort: "low" } } },
    ).run("Look.");
    expect(other.server.request(0).body).toMatchObject({ model: "small" });
    expect(other.server.request(0).body).not.toHaveProperty("reasoning");
    expect(summaries(stand)).toEqual([]);
    await using named = await serve(worker(8));
    await agentOn(named, { maxChars: 6_000, model: "smaller" }).run("Look.");
    expect(summaries(named)[0]?.body.model).toBe("smaller");
    expect(steps(named)[0]?.body.model).toBe("test");
  });

  it("shows nothing of a summary in a stream, or takes it back", async () => {
    await using stand = await serve(worker(8));
    const { events, result } = await collect(agentOn(stand, { maxChars: 6_000 }), "Look.");
    expect(result.output).toBe("Done.");
    expect(summaries(stand).length).toBeGreaterThan(0);
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")).toBe("Done.");
    await using named = await serve(worker(8));
    const taken = await collect(agentOn(named, { maxChars: 6_000, model: "small" }), "Look.");
    const types = taken.events.map(({ type }) => type).filter((type) => type === "text-delta" || type === "step-restart");
    expect(types.filter((type) => type === "step-restart")).toHaveLength(summaries(named).length);
    expect(types.at(-1)).toBe("text-delta");
  });

  it("keeps developer messages and the newest compaction, and leaves out what that stands for", async () => {
    await using stand = await serve(worker(0), { verifyEncryptedContent: false });
    const turn = (n: number): Item[] => [
      { type: "message", role: "user", content: `Question ${n}.` },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: `Answer ${n}. ${"y".repeat(500)}`, annotations: [] }] },
    ];
    const items = [
      { type: "message", role: "developer", content: "Be brief." },
      ...turn(1),
      { type: "compaction", encrypted_content: "old" },
      ...turn(2),
      { type: "compaction", encrypted_content: "new" },
      ...turn(3),
      ...turn(4),
    ];
    await agentOn(stand, { maxChars: 1_500, keepSteps: 1 }).run("Question 5.", { history: { kind: "local", items } });
    const input = inputOf(stand.server.requests.at(-1) as RecordedRequest);
    expect(input.map(({ type, role, encrypted_content: sealed }) => sealed ?? role ?? type)).toEqual([
      "developer",
      "new",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(notesIn(input)).toHaveLength(1);
  });

  it("sums up a history that is far too long in several requests, none of them too long", async () => {
    await using stand = await serve(worker(60));
    const long = await new Agent({ model: "test", client: stand.client, tools: [look], maxSteps: 100 }).run("Look.");
    const before = stand.server.requests.length;
    await agentOn(stand, { maxChars: 5_000 }).run("And now?", { history: long.history });
    const asked = stand.server.requests.slice(before).filter(isSummary);
    expect(asked.length).toBeGreaterThan(5);
    for (const { text } of asked) expect(text.length).toBeLessThan(9_000);
    expect(JSON.stringify(asked.at(-1)?.body.input)).toContain(`Summary ${asked.length - 1}.`);
    stand.server.assertDone();
  });

  it("counts tokens as the server does, once it has said so", async () => {
    const usage = { inputTokens: 4_000 };
    const answer = worker(6);
    await using stand = await serve(async (request) => {
      const made = await answer(request);
      return isSummary(request) ? made : made.with({ usage });
    });
    // By its characters alone, no request of this run comes near the limit.
    await agentOn(stand, { maxTokens: 3_500 }).run("Look.");
    expect(summaries(stand).length).toBeGreaterThan(0);
    await using quiet = await serve(worker(6));
    await agentOn(quiet, { maxTokens: 100_000 }).run("Look.");
    expect(summaries(quiet)).toEqual([]);
  });

  it("keeps its summary while the run is paused", async () => {
    const answer = worker(8);
    let asked = 0;
    await using stand = await serve((request) => {
      if (!isSummary(request) && (asked += 1) === 8) return reply.calls(callOf("pay", "call_pay", 1));
      return answer(request);
    });
    const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
    const make = () => agentOn(stand, { maxChars: 6_000, keepSteps: 1 }, { tools: [look, pay] });
    const paused = await make().run("Look.");
    const before = summaries(stand).length;
    expect(before).toBeGreaterThan(0);
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    await make().resume(state, { decisions: [{ callId: "call_pay", approve: true }] });
    const next = steps(stand)[8];
    expect(notesIn(inputOf(next as RecordedRequest))).toEqual([expect.stringContaining(`Summary ${before}.`)]);
    stand.server.assertDone();
  });

  it("ends with the run's abort, and asks nothing more", async () => {
    await using stand = await serve(worker(8));
    const controller = new AbortController();
    let summing = false;
    const summarize: CompactOptions["summarize"] = (_, { signal }) => ((summing = true), untilAborted(signal));
    const failure = failureOf(agentOn(stand, { maxChars: 6_000, summarize }).run("Look.", { signal: controller.signal }));
    await until(() => summing);
    const asked = stand.server.requests.length;
    controller.abort();
    const error = await ends(failure);
    expect(error.code).toBe("RUN_ABORTED");
    expect(stand.server.requests).toHaveLength(asked);
    expect(repairHistory(localItems(error.result.history)).repairs).toEqual([]);
  });

  it("says what is wrong when there is no summary", async () => {
    const answer = worker(8);
    await using stand = await serve((request) => (isSummary(request) ? reply.refusal("No.") : answer(request)));
    await expect(agentOn(stand, { maxChars: 6_000 }).run("Look.")).rejects.toMatchObject({
      code: "RUN_MIDDLEWARE",
      message: expect.stringContaining("asked the model for a summary of the history and got no text"),
    });
    await using other = await serve(worker(8));
    const wrong = agentOn(other, { maxChars: 6_000, summarize: () => undefined as never });
    await expect(wrong.run("Look.")).rejects.toMatchObject({
      code: "RUN_MIDDLEWARE",
      message: expect.stringContaining("it gave undefined"),
    });
  });
});

describe("compact, where the server keeps the history", () => {
  const histories: readonly HistoryOption[] = [{ kind: "chained" }, { kind: "conversation", id: "conv_1" }];

  it.each(histories)("is refused in words that say what does it there: %j", async (history) => {
    await using stand = await serve([], { conversations: ["conv_1"] });
    await expect(agentOn(stand, { maxChars: 6_000 }, { history }).run("Look.")).rejects.toMatchObject({
      code: "RUN_OPTIONS",
      message: expect.stringContaining("context_management: [{ type: "),
    });
    expect(stand.server.requests).toHaveLength(0);
  });

  it.each(histories)("lets the server do it when that is set up: %j", async (history) => {
    await using stand = await serve(worker(8), { conversations: ["conv_1"] });
    const settings = { context_management: [{ type: "compaction", compact_threshold: 100_000 }] };
    const result = await agentOn(stand, { maxChars: 1_000 }, { history, settings }).run("Look.");
    expect(result.output).toBe("Done.");
    expect(summaries(stand)).toEqual([]);
    stand.server.assertDone();
  });
});

describe("compact makes no request that the API refuses", () => {
  /** What may stand in a history: questions, answers, and steps with and without reasoning, with outputs mixed or late. */
  const piece = (index: number, kind: number): readonly Item[] => {
    const text = `${index} ${"z".repeat(100)}`;
    const call = (id: string): Item => ({ type: "function_call", call_id: `call_${index}${id}`, name: "look", arguments: '{"n":1}' });
    const output = (id: string): Item => ({ type: "function_call_output", call_id: `call_${index}${id}`, output: text });
    const reasoning: Item = { type: "reasoning", summary: [], encrypted_content: `sealed ${index}` };
    const said: Item = { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
    const asked: Item = { type: "message", role: "user", content: text };
    const told: Item = { type: "message", role: "developer", content: text };
    const pieces: readonly (readonly Item[])[] = [
      [asked],
      [said],
      [reasoning, said],
      [call("a"), output("a")],
      [reasoning, call("a"), call("b"), output("b"), output("a")],
      [reasoning, said, call("a"), output("a")],
      [call("a"), call("b"), output("a"), asked, output("b")],
      [told],
      [asked, asked],
    ];
    return pieces[kind % pieces.length] as readonly Item[];
  };

  it("whatever the history, the limit and the steps to keep", async () => {
    await using stand = await serve(() => reply.text("Done."), { verifyEncryptedContent: false });
    const kinds = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 100, max: 2_500 }), fc.integer({ min: 1, max: 4 }), async (chosen, maxChars, keepSteps) => {
        const items = chosen.flatMap((kind, index) => piece(index, kind));
        const agent = agentOn(stand, { maxChars, keepSteps, summarize: () => "short" });
        const { history } = await agent.run("Now?", { history: { kind: "local", items } });
        expect(localItems(history).slice(0, items.length)).toEqual(items);
        const input = inputOf(stand.server.requests.at(-1) as RecordedRequest);
        expect(input.at(-1)).toMatchObject({ role: "user", content: "Now?" });
        expect(input.filter(({ role }) => role === "developer")).toHaveLength(items.filter(({ role }) => role === "developer").length);
      }),
      { numRuns: 150 },
    );
    stand.server.assertDone();
  });
});

describe("compact refuses", () => {
  it.each([
    [{}, /needs a limit: either `maxTokens` or `maxChars`/],
    [{ maxTokens: 1, maxChars: 1 }, /needs a limit/],
    [{ maxChars: 0 }, /`maxChars` must be a positive integer; it is 0/],
    [{ maxChars: 1, keepSteps: 0 }, /`keepSteps` must be a positive integer; it is 0/],
    [{ maxChars: 1, model: {} }, /`model` must be a model or the name of one; it is an object/],
    [{ maxChars: 1, model: "small", summarize: () => "" }, /exclude each other/],
    [{ maxCharacters: 1 }, /has no option "maxCharacters"/],
  ])("%j", (options, message) => {
    expect(() => compact(options as never)).toThrow(message);
  });
});
