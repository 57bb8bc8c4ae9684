import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it, vi } from "vitest";
import { cut, PieceClient } from "../fuzz/stream-delivery.js";
import { framed } from "../fuzz/stream-framing.js";
import type { WireEvent } from "../fuzz/stream-scenarios.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { runIn, ways } from "../support/ways.js";

/** Characters that the arguments of one call may have. */
const limit = 10_000_000;
const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };

/** `{"n":1}` with blanks in it, so that it has so many characters. */
const paddedTo = (length: number): string => `{"n":1${" ".repeat(length - '{"n":1}'.length)}}`;

/** A call whose arguments come in so many deltas, as server-sent events. */
function inDeltas(text: string, count: number): { readonly events: readonly WireEvent[]; readonly characters: number } {
  const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "take", status: "in_progress", arguments: "" };
  const at = { output_index: 0, item_id: "fc_1" };
  const size = Math.ceil(text.length / count);
  const deltas = Array.from({ length: count }, (_, index) => ({
    type: "response.function_call_arguments.delta",
    ...at,
    delta: text.slice(index * size, (index + 1) * size),
  }));
  const done = { ...item, status: "completed", arguments: text };
  const events = [
    created,
    { type: "response.output_item.added", output_index: 0, item },
    ...deltas,
    { type: "response.function_call_arguments.done", ...at, arguments: text },
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: [done] } },
  ];
  return { events, characters: events.reduce((sum, event) => sum + JSON.stringify(event).length, 0) };
}

/** Characters that were parsed, by client and stand-in together, until such a call had been answered. */
async function parsedFor(length: number, deltas: number): Promise<{ readonly parsed: number; readonly sent: number }> {
  const { events, characters } = inDeltas(paddedTo(length), deltas);
  await using stand = await serve([reply.events(events), reply.text("Done.")]);
  const seen: number[] = [];
  const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("take", (n) => seen.push(n))] });
  const parse = vi.spyOn(JSON, "parse");
  try {
    let told = 0;
    for await (const event of agent.stream("Go.")) if (event.type === "tool-input-delta") told += event.delta.length;
    expect(told).toBe(length);
    expect(seen).toEqual([1]);
    stand.server.assertDone();
    return { parsed: parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0), sent: characters };
  } finally {
    parse.mockRestore();
  }
}

/** Counts the characters that searches for a text look at. */
function countScanned() {
  const { indexOf } = String.prototype;
  // oxlint-disable-next-line no-extend-native -- counting what is searched is the point
  const scanned = { characters: 0, restore: () => void (String.prototype.indexOf = indexOf) };
  // oxlint-disable-next-line no-extend-native -- see above
  String.prototype.indexOf = function (this: string, ...parameters: [searched: string, from?: number]) {
    const found = indexOf.apply(this, parameters);
    scanned.characters += Math.max(0, (found === -1 ? this.length : found) - (parameters[1] ?? 0));
    return found;
  };
  return scanned;
}

describe("S15: long arguments take linear work", () => {
  it("2 MB in 20,000 deltas: each event is parsed once, and the arguments once", async () => {
    const length = 2_000_000;
    const whole = await parsedFor(length, 20_000);
    expect(whole.parsed).toBeGreaterThan(whole.sent);
    // The events; the arguments; and what the stand-in parses of the next request, which holds them again, and checks of them.
    expect(whole.parsed).toBeLessThan(whole.sent + 6 * length);
    const half = await parsedFor(length / 2, 10_000);
    // Parsing all there is at each delta would be four times as much.
    expect(whole.parsed / half.parsed).toBeLessThan(2.2);
  }, 60_000);

  it("events of 2 MB in chunks of a kilobyte: a line's end is not looked for from its start at each", async () => {
    const length = 2_000_000;
    const { bytes } = framed(inDeltas(paddedTo(length), 1).events, "plain");
    const answer = framed([{ type: "response.completed", response: { id: "resp_2", status: "completed", output: [] } }], "plain").bytes;
    const client = new PieceClient([
      { pieces: cut(bytes, [1_000]), ending: "end" },
      { pieces: [answer], ending: "end" },
    ]);
    const seen: number[] = [];
    const agent = new Agent({ model: "test", client, tools: [numberTool("take", (n) => seen.push(n))] });
    const scanned = countScanned();
    try {
      expect(await agent.stream("Go.").result).toMatchObject({ stopReason: "completed" });
    } finally {
      scanned.restore();
    }
    expect(seen).toEqual([1]);
    // The arguments come four times: as a delta, whole, in their item, and in the response. From the start at each chunk it
    // would be eight thousand times half of them.
    expect(scanned.characters).toBeGreaterThan(4 * length);
    expect(scanned.characters).toBeLessThan(20 * length);
  }, 60_000);

  it.each(ways)(
    "at the limit they are arguments like any others, and beyond it the call fails, not the run (%s)",
    async (way) => {
      const call = (callId: string, length: number) => ({ ...callOf("take", callId, 1), arguments: paddedTo(length) });
      const script = (length: number) =>
        way === "run" ? reply.calls(call("call_1", length)) : reply.events(inDeltas(paddedTo(length), 100).events);
      await using stand = await serve([script(limit), reply.text("Done."), script(limit + 1), reply.text("Too long.")]);
      const seen: number[] = [];
      const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("take", (n) => seen.push(n))] });
      expect(await runIn(way, agent, "Go.")).toMatchObject({ output: "Done." });
      expect(seen).toEqual([1]);

      const result = await runIn(way, agent, "Go.");
      expect(result).toMatchObject({ output: "Too long." });
      expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({
        kind: "invalid",
        error: {
          code: "TOOL_ARGUMENTS_INVALID",
          issues: [{ path: "", expected: `at most ${limit} characters of JSON`, received: `${limit + 1} characters` }],
        },
      });
      expect(seen).toEqual([1]);
      stand.server.assertDone();
    },
    60_000,
  );
});
