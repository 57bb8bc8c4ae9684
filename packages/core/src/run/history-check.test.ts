import { describe, expect, it } from "vitest";
import type { Item } from "../contracts/item.js";
import { assertReplayable } from "./history-check.js";

const user: Item = { type: "message", role: "user", content: "Go." };
const answer: Item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] };
const thought: Item = { type: "reasoning", id: "rs_1", summary: [] };
const call = (callId: string): Item => ({ type: "function_call", id: `fc_${callId}`, call_id: callId, name: "look", arguments: "{}" });
const output = (callId: string): Item => ({ type: "function_call_output", call_id: callId, output: "" });

const fine: readonly (readonly [string, readonly Item[]])[] = [
  ["nothing", []],
  ["a question", [user]],
  ["calls with outputs in another order", [user, call("a"), call("b"), output("b"), output("a"), answer]],
  ["reasoning before its call", [user, thought, call("a"), output("a")]],
  ["two thoughts before a call", [user, thought, { ...thought, id: "rs_2" }, call("a"), output("a")]],
  ["a call id that is used again after its output", [call("a"), output("a"), call("a"), output("a")]],
  [
    "a custom call with its output",
    [
      { type: "custom_tool_call", call_id: "a", name: "x", input: "" },
      { type: "custom_tool_call_output", call_id: "a", output: "" },
    ],
  ],
  ["types that are not known", [user, { type: "hologram" }, { type: "mcp_list_tools", id: "mcpl_1" }]],
];

const wrong: readonly (readonly [string, readonly Item[], number, RegExp])[] = [
  ["a call without output", [user, call("a")], 1, /is the call a, which has no output/],
  ["one of two calls without output", [call("a"), call("b"), output("a")], 1, /is the call b, which has no output/],
  ["an output without call", [user, output("a")], 1, /is an output for a, which was not called before it/],
  ["an output before its call", [output("a"), call("a")], 0, /is an output for a, which was not called before it/],
  ["a second output", [call("a"), output("a"), output("a")], 2, /is a second output for a/],
  ["a second call while the first is open", [call("a"), call("a"), output("a")], 1, /is a second call a/],
  ["a call without a call_id", [{ type: "function_call", id: "fc_1", name: "look", arguments: "{}" }], 0, /is a call without a call_id/],
  ["reasoning at the end", [user, thought], 1, /is reasoning without the item that must follow it/],
  ["something that is no item", [user, "text" as unknown as Item], 1, /is not an item/],
  ["null", [null as unknown as Item], 0, /is not an item/],
];

describe("assertReplayable", () => {
  it.each(fine)("lets %s pass", (_, items) => {
    expect(() => assertReplayable(items, [])).not.toThrow();
  });

  it("lets a call pass that is said to be open, and no other", () => {
    expect(() => assertReplayable([user, call("a"), call("b"), output("b")], ["a"])).not.toThrow();
    expect(() => assertReplayable([call("a"), call("b")], ["a"])).toThrow(expect.objectContaining({ details: { index: 1 } }));
  });

  it.each(wrong)("refuses %s, naming the item", (_, items, index, message) => {
    expect(() => assertReplayable(items, [])).toThrow(
      expect.objectContaining({
        code: "RUN_HISTORY",
        details: { index },
        message: expect.stringMatching(new RegExp(`history\\.items\\[${index}\\] ${message.source}`)),
      }),
    );
  });
});
