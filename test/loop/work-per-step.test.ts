import {
  Agent,
  defineMiddleware,
  defineTool,
  type HistoryOption,
  type Item,
  type ModelRequest,
  type ResponsesClient,
} from "@toolwright/core";
import { standard } from "@toolwright/core/middleware";
import { describe, expect, it, vi } from "vitest";
import { histories } from "../support/ways.js";

const steps = 50;
const filler = "x".repeat(300);

const parameters = { type: "object", properties: { n: { type: "integer" }, text: { type: "string" } }, required: ["n", "text"] };
const tools = ["work", ...Array.from({ length: 19 }, (_, index) => `other_${index}`)].map((name) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    effect: "write",
    parameters,
    execute: ({ n }) => `${String(n).padStart(3, "0")} ${filler}`,
  }),
);
const instructions = "Work, and go on working. ".repeat(20);

/** A reply of one call, always of the same size; its items are objects that can be recognised. */
function replyOf(step: number): { readonly output: readonly Item[]; readonly [key: string]: unknown } {
  const n = String(step).padStart(3, "0");
  const call = {
    type: "function_call",
    id: `fc_${n}`,
    call_id: `call_${n}`,
    name: "work",
    arguments: `{"n":${step + 100},"text":"${filler}"}`,
  };
  const thought = { type: "reasoning", id: `rs_${n}`, summary: [], encrypted_content: filler };
  const message = {
    type: "message",
    id: `msg_${n}`,
    role: "assistant",
    content: [{ type: "output_text", text: "Done.", annotations: [] }],
  };
  return { id: `resp_${n}`, status: "completed", output: step < steps ? [thought, { ...call, status: "completed" }] : [message] };
}

/** What was serialised in one step: how often, and how much came of it. */
interface StepWork {
  calls: number;
  characters: number;
  parsed: number;
  /** Characters of the request's body. */
  body: number;
}

/** A run of {@link steps} steps with calls, looked at from all sides. */
async function instrumented(history: HistoryOption) {
  const work: StepWork[] = [];
  const counts = new Map<object, number>();
  const requests: ModelRequest[] = [];
  const replies: Item[][] = [];
  const { parse, stringify } = JSON;
  let now: StepWork = { calls: 0, characters: 0, parsed: 0, body: 0 };
  const clone = vi.spyOn(globalThis, "structuredClone");
  // What an agent and a run copy at their start are settings and states.
  let atStart: number | undefined;
  const client: ResponsesClient = {
    post(_, { body }) {
      atStart ??= clone.mock.calls.length;
      now.body = body.length;
      work.push(now);
      now = { calls: 0, characters: 0, parsed: 0, body: 0 };
      const reply = replyOf(work.length - 1);
      replies.push([...reply.output]);
      // Only its plain form is asked for here.
      return Promise.resolve(reply) as unknown as ReturnType<ResponsesClient["post"]>;
    },
  };
  const look = defineMiddleware({ name: "look", wrapModelCall: (call, next) => (requests.push(call.request), next(call)) });
  const agent = new Agent({
    model: "test",
    client,
    instructions,
    tools,
    middleware: [look, ...standard()],
    settings: { reasoning: { effort: "low" }, metadata: { purpose: "test" } },
    history,
    maxSteps: steps + 1,
  });
  JSON.stringify = ((value: unknown, ...rest: [undefined]) => {
    const text = stringify(value, ...rest);
    now.calls += 1;
    now.characters += text?.length ?? 0;
    if (typeof value === "object" && value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    return text;
  }) as typeof JSON.stringify;
  JSON.parse = ((text: string, ...rest: [undefined]) => {
    now.parsed += text.length;
    return parse(text, ...rest) as unknown;
  }) as typeof JSON.parse;
  try {
    const result = await agent.run("Go.");
    return { result, work, counts, requests, replies, clones: clone.mock.calls.length - (atStart ?? 0) };
  } finally {
    JSON.stringify = stringify;
    JSON.parse = parse;
    clone.mockRestore();
  }
}

describe.each(histories)("the work of a step does not grow with the steps before it ($kind)", (history) => {
  const { kind } = history;

  it("each item is serialised once, the tools once, and nothing is cloned", async () => {
    const { result, counts, requests, replies, clones } = await instrumented(history);
    expect(result).toMatchObject({ stopReason: "completed", output: "Done." });
    expect(requests).toHaveLength(steps + 1);
    expect(clones).toBe(0);

    // The items of the replies themselves are what is kept and sent, and so is each output from its first request on.
    const kept = result.items;
    for (const item of replies.flat()) expect(kept).toContain(item);
    const sent = new Set(requests.flatMap(({ input }) => input));
    for (const item of sent) expect(kept).toContain(item);
    // Of a chain, the server has its own replies.
    const expected =
      kind === "local"
        ? kept.slice(0, -1)
        : kept.filter((item) => item.type === "message" || item.type === "function_call_output").slice(0, -1);
    expect([...sent]).toEqual(expected);
    expect([...sent].map((item) => counts.get(item))).toEqual(expected.map(() => 1));

    const specs = new Set(requests.map((request) => request.tools));
    expect(specs.size).toBe(1);
    expect([...specs].map((each) => counts.get(each))).toEqual([1]);
    for (const tool of requests[0]?.tools ?? []) expect(counts.get(tool)).toBeUndefined();
  });

  it("every step serialises as many things of as many characters, and parses its call's arguments alone", async () => {
    const { work, replies } = await instrumented(history);
    expect(work).toHaveLength(steps + 1);
    // The first requests still make what stays: tools, and what is compiled at first use.
    const [second, ...later] = work.slice(2).map(({ body: _, ...rest }) => rest);
    expect(later).toEqual(later.map(() => second));
    const [call] = (replies[1] ?? []).filter((item) => item.type === "function_call");
    expect(second?.parsed).toBe(String(call?.["arguments"]).length);
    // Reasoning, call and output, each once; the rest are names, instructions and settings.
    const items = kind === "local" ? 3 : 1;
    expect(second?.calls).toBeLessThanOrEqual(items + 8);
    const itemCharacters = kind === "local" ? JSON.stringify(replies[1]).length + filler.length + 100 : filler.length + 100;
    expect(second?.characters).toBeLessThan(itemCharacters + instructions.length + 400);
  });

  it("a request grows by the new items alone", async () => {
    const { work } = await instrumented(history);
    const growth = work.slice(2).map(({ body }, index) => body - (work[index + 1]?.body ?? 0));
    if (kind === "chained") return expect(new Set(growth)).toEqual(new Set([0]));
    expect(new Set(growth).size).toBe(1);
    // Reasoning, call and output.
    expect(growth[0]).toBeLessThan(3 * filler.length + 400);
  });
});

describe("the work of a stream does not grow with what came before", () => {
  it("a hundred times the deltas are a hundred times the work, and no more", async () => {
    const [few, many] = [await parsedOf(100), await parsedOf(10_000)];
    expect(few).toBeGreaterThan(0);
    expect(many / few).toBeLessThan(110);
  });
});

/** Characters that are parsed for an answer of so many deltas, all with an escape in it, so that none is plain. */
async function parsedOf(deltas: number): Promise<number> {
  const encoder = new TextEncoder();
  const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
  const delta = frame({ type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: 'a "word" ' });
  const item = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] };
  const last = frame({ type: "response.completed", response: { id: "resp_1", status: "completed", output: [item] } });
  const bytes = encoder.encode(delta.repeat(deltas) + last);
  const asResponse = async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } });
  const client: ResponsesClient = { post: () => Object.assign(Promise.resolve(undefined), { asResponse }) };
  const spy = vi.spyOn(JSON, "parse");
  try {
    const stream = new Agent({ model: "test", client }).stream("Go.");
    let told = 0;
    for await (const event of stream) if (event.type === "text-delta") told += 1;
    expect(told).toBe(deltas);
    return spy.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  } finally {
    spy.mockRestore();
  }
}
