import { describe, expect, it } from "vitest";
import type { Item } from "../contracts/item.js";
import { type StreamEvent, StreamReducer } from "./stream-reducer.js";

const call = (n: number, text = "", status = "in_progress"): Item => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: "look",
  arguments: text,
  status,
});
const added = (index: number, item: Item): StreamEvent => ({ type: "response.output_item.added", output_index: index, item });
const done = (index: number, item: Item): StreamEvent => ({ type: "response.output_item.done", output_index: index, item });
const delta = (text: string, at: object): StreamEvent => ({ type: "response.function_call_arguments.delta", delta: text, ...at });
const whole = (text: string, at: object): StreamEvent => ({ type: "response.function_call_arguments.done", arguments: text, ...at });

function reduce(...events: readonly StreamEvent[]) {
  const reducer = new StreamReducer();
  const told = events.map((event) => reducer.take(event)).filter((each) => each !== undefined);
  return { reducer, told };
}

describe("StreamReducer: what it tells", () => {
  it("text, reasoning and refusals, and keeps the visible text", () => {
    const { reducer, told } = reduce(
      { type: "response.created", response: { id: "resp_1" } },
      { type: "response.reasoning_summary_text.delta", delta: "Hm." },
      { type: "response.reasoning_text.delta", delta: "So." },
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.refusal.delta", delta: "No." },
    );
    expect(told).toEqual([
      { type: "response-start", responseId: "resp_1" },
      { type: "reasoning-delta", text: "Hm." },
      { type: "reasoning-delta", text: "So." },
      { type: "text-delta", text: "Hel" },
      { type: "text-delta", text: "lo" },
      { type: "refusal-delta", text: "No." },
    ]);
    expect([reducer.responseId, reducer.text]).toEqual(["resp_1", "Hello"]);
  });

  it("a call's start, pieces and end, by its call id", () => {
    const at = { output_index: 0, item_id: "fc_1" };
    const { told } = reduce(
      added(0, call(1)),
      delta('{"n"', at),
      delta(":1}", at),
      whole('{"n":1}', at),
      done(0, call(1, '{"n":1}', "completed")),
    );
    expect(told).toEqual([
      { type: "tool-input-start", callId: "call_1", tool: "look" },
      { type: "tool-input-delta", callId: "call_1", delta: '{"n"' },
      { type: "tool-input-delta", callId: "call_1", delta: ":1}" },
      { type: "tool-input-end", callId: "call_1", arguments: '{"n":1}' },
    ]);
  });

  it("nothing of events that it does not know, of deltas without an item, and of empty ids", () => {
    const { reducer, told } = reduce(
      { type: "keepalive" },
      { type: "response.hologram.delta", delta: "x" },
      {},
      delta("{", { output_index: 4, item_id: "fc_9" }),
      delta("{", {}),
      { type: "response.output_item.added", output_index: 0 },
    );
    expect(told).toEqual([]);
    expect(reducer.output({})).toBeUndefined();
    expect(reduce({ type: "response.created", response: { id: "" } }).reducer.responseId).toBeUndefined();
  });
});

describe("StreamReducer: which item a delta belongs to", () => {
  it.each([
    ["index and id", (n: number) => ({ output_index: n, item_id: `fc_${n}` })],
    ["the index alone", (n: number) => ({ output_index: n })],
    ["the id alone", (n: number) => ({ item_id: `fc_${n}` })],
    ["the index, where every event has an id of its own", (n: number) => ({ output_index: n, item_id: `fc_${Math.random()}` })],
    ["the id, where the index is of no item", (n: number) => ({ output_index: n + 7, item_id: `fc_${n}` })],
  ])("is told by %s", (_, at) => {
    const { reducer } = reduce(
      added(0, call(0)),
      added(1, call(1)),
      delta('{"n"', at(0)),
      delta('{"n"', at(1)),
      delta(":0}", at(0)),
      delta(":1}", at(1)),
    );
    expect(reducer.output({})?.map((item) => item["arguments"])).toEqual(['{"n":0}', '{"n":1}']);
  });
});

describe("StreamReducer: the items of the response", () => {
  const message: Item = { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hi." }] };

  it("are those of the last event", () => {
    const { reducer } = reduce(added(0, call(1)), done(0, call(1, "{", "incomplete")));
    const listed = [call(1, '{"n":1}', "completed")];
    expect(reducer.output({ output: listed })).toEqual(listed);
  });

  it.each([{}, { output: [] }, { output: null }])("are those told one by one where the last event lists none: %j", (response) => {
    const items = [message, call(1, '{"n":1}', "completed")];
    const { reducer } = reduce(...items.flatMap((item, index) => [added(index, call(index)), done(index, item)]));
    expect(reducer.output(response)).toEqual(items);
  });

  it("are those done where they were not added", () => {
    const items = [message, call(1, '{"n":1}', "completed")];
    const { reducer } = reduce(...items.map((item, index) => done(index, item)));
    expect(reducer.output({})).toEqual(items);
  });

  it("of a call without its last event hold what its deltas made", () => {
    const { reducer } = reduce(added(0, call(1)), delta('{"n":', { output_index: 0 }), delta("1}", { output_index: 0 }));
    expect(reducer.output({ output: [] })).toEqual([call(1, '{"n":1}', "completed")]);
  });

  it("hold the encrypted reasoning wherever it was told", () => {
    const bare: Item = { type: "reasoning", id: "rs_1", summary: [] };
    const sealed: Item = { ...bare, encrypted_content: "sealed" };
    expect(reduce(done(0, sealed)).reducer.output({ output: [bare] })).toEqual([sealed]);
    expect(reduce(done(0, bare)).reducer.output({ output: [sealed] })).toEqual([sealed]);
    // Not that of another item.
    expect(reduce(done(0, { ...sealed, id: "rs_2" })).reducer.output({ output: [bare] })).toEqual([bare]);
  });

  it("an empty response has none", () => {
    expect(new StreamReducer().output({ output: [] })).toEqual([]);
  });
});
