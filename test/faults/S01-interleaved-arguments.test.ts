import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { numberTool } from "../support/tools.js";
import { collect } from "../support/ways.js";

interface Streamed {
  readonly id: string;
  readonly callId: string;
  readonly text: string;
  readonly pieces: readonly string[];
}

/** How servers name the call that an event belongs to. */
const namings = ["both", "index alone", "id alone"] as const;

function named(naming: (typeof namings)[number], index: number, call: Streamed) {
  return { ...(naming !== "id alone" && { output_index: index }), ...(naming !== "index alone" && { item_id: call.id }) };
}

const itemOf = ({ id, callId, text }: Streamed, done: boolean) => ({
  type: "function_call",
  id,
  call_id: callId,
  name: "take",
  arguments: done ? text : "",
  status: done ? "completed" : "in_progress",
});

/** The events of three calls, in an order of the picks: each takes the next event of one of them. */
function events(
  calls: readonly Streamed[],
  naming: (typeof namings)[number],
  picks: readonly number[],
  ending: "listed" | "empty" | "no items done",
) {
  const queues = calls.map((call, index) => [
    { type: "response.output_item.added", ...named(naming, index, call), item: itemOf(call, false) },
    ...call.pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...named(naming, index, call), delta })),
    { type: "response.function_call_arguments.done", ...named(naming, index, call), arguments: call.text },
    ...(ending === "no items done" ? [] : [{ type: "response.output_item.done", ...named(naming, index, call), item: itemOf(call, true) }]),
  ]);
  // The calls begin in their order, as everywhere; what follows is mixed.
  const mixed: object[] = queues.map((queue) => queue.shift() as object);
  for (const pick of picks) {
    const open = queues.filter((queue) => queue.length > 0);
    const event = open[pick % Math.max(1, open.length)]?.shift();
    if (event !== undefined) mixed.push(event);
  }
  mixed.push(...queues.flat());
  const response = { id: "resp_1", object: "response" };
  const output = ending === "listed" ? calls.map((call) => itemOf(call, true)) : [];
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...mixed,
    { type: "response.completed", response: { ...response, status: "completed", output, usage: null } },
  ];
}

const pieces = (text: string, sizes: readonly number[]): readonly string[] => {
  const cut: string[] = [];
  let rest = text;
  for (const size of sizes) {
    cut.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return [...cut, rest].filter((piece) => piece !== "");
};

const plan = fc.record({
  numbers: fc.array(fc.integer(), { minLength: 3, maxLength: 3 }),
  sizes: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 }),
  picks: fc.array(fc.nat(2), { maxLength: 40 }),
  naming: fc.constantFrom(...namings),
  ending: fc.constantFrom("listed", "empty", "no items done"),
});

describe("S01: argument deltas belong to the call that they name", () => {
  it("whatever the interleaving, each tool sees its own arguments", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ numbers, sizes, picks, naming, ending }) => {
        const calls = numbers.map((n, index) => {
          const text = JSON.stringify({ n });
          return { id: `fc_${index}`, callId: `call_${index}`, text, pieces: pieces(text, sizes) };
        });
        await using stand = await serve([reply.events(events(calls, naming, picks, ending)), reply.text("Done.")]);
        const seen = new Map<string, number>();
        const take = numberTool("take", (n, { callId }) => void seen.set(callId, n));
        const agent = new Agent({ model: "test", client: stand.client, tools: [take] });
        const { events: told } = await collect(agent, "Go.");
        stand.server.assertDone();
        expect([...seen].toSorted()).toEqual(numbers.map((n, index) => [`call_${index}`, n]));
        // The deltas that are told say the same.
        for (const { callId, text } of calls) {
          const deltas = told
            .filter((event) => event.type === "tool-input-delta" && event.callId === callId)
            .map((event) => ("delta" in event ? event.delta : ""));
          expect(deltas.join("")).toBe(text);
        }
      }),
      { numRuns: 120 },
    );
  }, 60_000);
});
