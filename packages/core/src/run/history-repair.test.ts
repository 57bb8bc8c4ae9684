import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item } from "../contracts/item.js";
import { assertDistinctIds, assertReplayable } from "./history-check.js";
import { type HistoryRepair, repairHistory } from "./history-repair.js";

const user: Item = { type: "message", role: "user", content: "Hi." };
const said = (id: string, text = "Hello."): Item => ({ type: "message", id, role: "assistant", content: [{ type: "output_text", text }] });
const thought = (id: string): Item => ({ type: "reasoning", id, summary: [], encrypted_content: "sealed" });
const call = (callId: string, id = `fc_${callId}`): Item => ({ type: "function_call", id, call_id: callId, name: "look", arguments: "{}" });
const output = (callId: string, text = "seen"): Item => ({ type: "function_call_output", call_id: callId, output: text });
const missing = (callId: string, type = "function_call_output"): Item => ({
  type,
  call_id: callId,
  output: expect.stringMatching(/"code":"TOOL_SKIPPED".*not executed/) as unknown,
});

type Case = readonly [
  name: string,
  items: readonly unknown[],
  mended: readonly unknown[],
  repairs: readonly (readonly [number, HistoryRepair["action"]])[],
];

const custom = (type: string): Item => ({ type, call_id: "c", name: "x", input: "", output: "" });

const cases: readonly Case[] = [
  ["a call without an output, at the end", [user, call("1")], [user, call("1"), missing("1")], [[1, "output-added"]]],
  [
    "calls of one reply, some without an output",
    [call("1"), call("2"), call("3"), output("2"), user],
    [call("1"), call("2"), call("3"), missing("1"), output("2"), missing("3"), user],
    [
      [0, "output-added"],
      [2, "output-added"],
    ],
  ],
  ["a call whose output comes after another message", [call("1"), user, output("1")], [call("1"), user, output("1")], []],
  [
    "a custom tool's call",
    [custom("custom_tool_call")],
    [custom("custom_tool_call"), missing("c", "custom_tool_call_output")],
    [[0, "output-added"]],
  ],
  [
    "an output of another kind than the call",
    [call("c"), custom("custom_tool_call_output")],
    [call("c"), missing("c")],
    [
      [0, "output-added"],
      [1, "removed"],
    ],
  ],
  [
    "a call that only its own client can answer, with its reasoning",
    [user, thought("rs_1"), custom("computer_call"), user],
    [user, user],
    [
      [1, "removed"],
      [2, "removed"],
    ],
  ],
  ["an output without a call", [user, output("1"), said("msg_1")], [user, said("msg_1")], [[1, "removed"]]],
  [
    "an output before its call",
    [output("1"), call("1")],
    [call("1"), missing("1")],
    [
      [0, "removed"],
      [1, "output-added"],
    ],
  ],
  ["a second output", [call("1"), output("1"), output("1", "again")], [call("1"), output("1")], [[2, "removed"]]],
  [
    "a call id that comes again in a later step",
    [call("1"), output("1"), call("1", "fc_2"), output("1")],
    [call("1"), output("1"), call("1", "fc_2"), output("1")],
    [],
  ],
  ["two calls of one id in a reply", [call("1"), call("1", "fc_2"), output("1")], [call("1"), output("1")], [[1, "removed"]]],
  [
    "two calls of one id in two replies, one output",
    [call("1"), user, call("1", "fc_2"), output("1")],
    [call("1"), missing("1"), user, call("1", "fc_2"), output("1")],
    [[0, "output-added"]],
  ],
  [
    "a twin that reasoning led to",
    [call("1"), thought("rs_1"), call("1", "fc_2"), output("1")],
    [call("1"), output("1")],
    [
      [1, "removed"],
      [2, "removed"],
    ],
  ],
  [
    "two replies with nothing between them that can stay",
    [call("1"), output("9"), custom("computer_call"), call("1", "fc_2"), output("1")],
    [call("1"), missing("1"), call("1", "fc_2"), output("1")],
    [
      [0, "output-added"],
      [1, "removed"],
      [2, "removed"],
    ],
  ],
  ["a call without a call id", [{ type: "function_call", name: "look", arguments: "{}" }, user], [user], [[0, "removed"]]],
  [
    "reasoning at the end",
    [user, thought("rs_1"), thought("rs_2")],
    [user],
    [
      [1, "removed"],
      [2, "removed"],
    ],
  ],
  [
    "reasoning before an output or a user's message",
    [call("1"), thought("rs_1"), output("1"), thought("rs_2"), user],
    [call("1"), output("1"), user],
    [
      [1, "removed"],
      [3, "removed"],
    ],
  ],
  [
    "reasoning before what the model wrote, be it ever so new",
    [thought("rs_1"), thought("rs_2"), said("msg_1"), thought("rs_3"), { type: "hologram" }],
    [thought("rs_1"), thought("rs_2"), said("msg_1"), thought("rs_3"), { type: "hologram" }],
    [],
  ],
  ["the same item twice", [said("msg_1"), user, said("msg_1")], [said("msg_1"), user], [[2, "removed"]]],
  [
    "two items of one id",
    [said("msg_1"), user, said("msg_1", "Else.")],
    [said("msg_1"), user, { type: "message", role: "assistant", content: [{ type: "output_text", text: "Else." }] }],
    [[2, "id-removed"]],
  ],
  [
    "a step sent twice",
    [thought("rs_1"), call("1"), output("1"), thought("rs_1"), call("1"), output("1")],
    [thought("rs_1"), call("1"), output("1")],
    [
      [3, "removed"],
      [4, "removed"],
      [5, "removed"],
    ],
  ],
  [
    "reasoning twice, once without its follower",
    [thought("rs_1"), user, thought("rs_1"), said("msg_1")],
    [user, thought("rs_1"), said("msg_1")],
    [[0, "removed"]],
  ],
  [
    "what is no item",
    [null, "text", user, 7, [], {}, { role: "user", content: "Hi." }],
    [user, { role: "user", content: "Hi." }],
    [
      [0, "removed"],
      [1, "removed"],
      [3, "removed"],
      [4, "removed"],
      [5, "removed"],
    ],
  ],
];

const isReplayable = (items: readonly Item[]): boolean => {
  try {
    assertReplayable(items, []);
    assertDistinctIds(items);
    return true;
  } catch {
    return false;
  }
};

describe("repairHistory", () => {
  it.each(cases)("mends %s", (_, items, mended, repairs) => {
    const before = JSON.stringify(items);
    const result = repairHistory(items as readonly Item[]);
    expect(result.items).toEqual(mended);
    expect(result.repairs.map(({ index, action }) => [index, action])).toEqual(repairs);
    expect(isReplayable(items as readonly Item[])).toBe(repairs.length === 0);
    expect(JSON.stringify(items)).toBe(before);
    // What stays is the very object.
    for (const item of result.items.filter((each) => items.includes(each))) expect(items).toContain(item);
  });

  it("says what it did and why", () => {
    expect(repairHistory([call("1"), call("1", "fc_2"), output("9"), null as unknown as Item]).repairs).toEqual([
      { index: 0, type: "function_call", action: "output-added", reason: "it has no output" },
      { index: 1, type: "function_call", action: "removed", reason: "it has the call_id of items[0], a call of the same reply" },
      { index: 2, type: "function_call_output", action: "removed", reason: "its call is not before it" },
      { index: 3, type: "object", action: "removed", reason: "it is no item" },
    ]);
  });

  it("makes any soup of items replayable, changes nothing that is, and nothing the second time", () => {
    const ids = fc.constantFrom("a", "b", "c");
    const callIds = fc.constantFrom("1", "2", "3");
    const piece = fc.oneof(
      fc.constant(user),
      ids.map((id) => said(`msg_${id}`)),
      fc.tuple(ids, fc.constantFrom("x", "y")).map(([id, text]) => said(`msg_${id}`, text)),
      ids.map((id) => thought(`rs_${id}`)),
      fc.tuple(callIds, ids).map(([callId, id]) => call(callId, `fc_${id}`)),
      fc.tuple(callIds, ids).map(([callId, id]): Item => ({ ...output(callId), id: `out_${id}` })),
      callIds.map((callId) => output(callId)),
      fc
        .constantFrom(
          "custom_tool_call",
          "custom_tool_call_output",
          "computer_call",
          "computer_call_output",
          "web_search_call",
          "compaction",
        )
        .map(custom),
      fc.constant(null as unknown as Item),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (items) => {
        const { items: mended, repairs } = repairHistory(items);
        expect(isReplayable(mended)).toBe(true);
        expect(repairs.length === 0).toBe(isReplayable(items));
        expect(repairHistory(mended)).toEqual({ items: mended, repairs: [] });
        const added = mended.filter((item) => !items.includes(item)).length;
        const count = (action: string): number => repairs.filter((repair) => repair.action === action).length;
        expect(added).toBe(count("output-added") + count("id-removed"));
        expect(mended).toHaveLength(items.length + count("output-added") - count("removed"));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("assertReplayable", () => {
  it("names the item and the way out", () => {
    expect(() => assertReplayable([user, thought("rs_1"), user], [])).toThrow(
      expect.objectContaining({
        code: "RUN_HISTORY",
        message: expect.stringContaining("history.items[1] is reasoning"),
        fix: expect.stringContaining("repairHistory(items)"),
        details: { index: 1 },
      }),
    );
    expect(() => assertDistinctIds([said("msg_1"), user, said("msg_1")])).toThrow(
      /history\.items\[2\] has the id msg_1, which history\.items\[0\] has too/,
    );
  });

  it("lets the calls that are known to be open lack their outputs", () => {
    expect(() => assertReplayable([call("1"), call("2"), output("2")], ["1"])).not.toThrow();
    expect(() => assertReplayable([call("1"), call("2"), output("2")], ["2"])).toThrow(/call 1, which has no output/);
  });
});
