import { Agent, type Item, memorySession, repairHistory } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputOf, serve, type Stand } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const ids = fc.constantFrom("a", "b", "c");
const callIds = fc.constantFrom("call_1", "call_2", "call_3");
const text = fc.string({ maxLength: 8, unit: "binary" });

const pieces: fc.Arbitrary<Item> = fc.oneof(
  text.map((content) => ({ type: "message", role: "user", content })),
  // As an application may write it.
  text.map((content) => ({ role: "user", content }) as unknown as Item),
  fc.tuple(ids, text).map(([id, words]) => ({
    type: "message",
    id: `msg_${id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: words, annotations: [] }],
  })),
  ids.map((id) => ({ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: `sealed ${id}` })),
  fc.tuple(callIds, ids).map(([callId, id]) => ({ type: "function_call", id: `fc_${id}`, call_id: callId, name: "look", arguments: "{}" })),
  fc.tuple(callIds, text).map(([callId, output]) => ({ type: "function_call_output", call_id: callId, output })),
  callIds.map((callId) => ({ type: "custom_tool_call", call_id: callId, name: "look", input: "" })),
  callIds.map((callId) => ({ type: "custom_tool_call_output", call_id: callId, output: "seen" })),
  callIds.map((callId) => ({ type: "computer_call", call_id: callId, action: { type: "screenshot" } })),
  callIds.map((callId) => ({ type: "computer_call_output", call_id: callId, output: { type: "computer_screenshot", file_id: "file_1" } })),
  ids.map((id) => ({ type: "web_search_call", id: `ws_${id}`, status: "completed" })),
  fc.constant(null as unknown as Item),
);

/** Whether the server takes a history as it is. */
async function accepts({ client }: Stand, input: readonly Item[]): Promise<boolean> {
  const request = client.responses.create({
    model: "test",
    store: false,
    input: [...input, { type: "message", role: "user", content: "Go on." }] as never,
  });
  return request.then(
    () => true,
    () => false,
  );
}

describe("repairHistory and the server", () => {
  it("mends whatever the server refuses, and leaves alone what needs nothing", async () => {
    await using stand = await serve(() => reply.text("Here."), { verifyEncryptedContent: false, allowRefusals: true });
    const agent = new Agent({ model: "test", client: stand.client });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (items) => {
        const { items: mended, repairs } = repairHistory(items);
        if (!(await accepts(stand, items))) {
          refused += 1;
          expect(repairs).not.toEqual([]);
        }
        const result = await agent.run("Go on.", { history: { kind: "local", items: mended } });
        expect(result.output).toBe("Here.");
        // The same objects where nothing was to be mended.
        if (repairs.length === 0) mended.forEach((item, index) => expect(item).toBe(items[index]));
        else await expect(agent.run("Go on.", { history: { kind: "local", items } })).rejects.toMatchObject({ code: "RUN_HISTORY" });
      }),
      { numRuns: 100 },
    );
    expect(refused).toBeGreaterThan(20);
  });

  it("an imported history that was cut goes on in a session", async () => {
    await using stand = await serve([reply.text("Here.")], { verifyEncryptedContent: false });
    const cut: readonly Item[] = [
      { type: "message", role: "user", content: "Look twice." },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call", id: "fc_2", call_id: "call_2", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "seen" },
    ];
    const agent = new Agent({ model: "test", client: stand.client });
    const error = await ends(failureOf(agent.run("Well?", { history: { kind: "local", items: cut } })));
    expect(error).toMatchObject({ code: "RUN_HISTORY", fix: expect.stringContaining("repairHistory") });
    const session = memorySession(repairHistory(cut).items);
    await ends(agent.run("Well?", { history: { kind: "local", session } }));
    expect(inputOf(stand.server.request(0)).map((item) => item["call_id"] ?? item.type)).toEqual([
      "message",
      "reasoning",
      "call_1",
      "call_2",
      "call_1",
      "call_2",
      "message",
    ]);
    stand.server.assertDone();
  });
});
