import { Agent, type Item } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

const said = (text: string): Item => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const asked = (content: string): Item => ({ type: "message", role: "user", content });

describe.each(ways)("C18: no ids are made up for replayed items (%s)", (way) => {
  it("items without an id are sent without one, and the ids of a request are unique", async () => {
    const items: readonly Item[] = [
      asked("Hello."),
      said("Hi."),
      asked("Look."),
      { type: "function_call", call_id: "call_old", name: "look", arguments: '{"n":0}' },
      { type: "function_call_output", call_id: "call_old", output: "0" },
      said("Nothing."),
    ];
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("look", (n) => n)],
      history: { kind: "local", items },
    });
    const result = await ends(runIn(way, agent, [{ role: "user", content: "Again." }]));
    for (const request of stand.server.requests) {
      const input = inputOf(request);
      expect(input.slice(0, items.length)).toEqual(items);
      for (const item of input.slice(0, items.length + 1)) expect(item).not.toHaveProperty("id");
      const ids = input.map((item) => item["id"]).filter((id) => id !== undefined);
      expect(new Set(ids).size).toBe(ids.length);
    }
    // What was supplied is not touched either.
    expect(localItems(result.history).slice(0, items.length)).toEqual(items);
    stand.server.assertDone();
  });

  it("an empty id, as some servers give it, is not sent back", async () => {
    await using stand = await serve([reply.items([{ ...said("Hi."), id: "" }]), reply.text("Done.")], { verifyEncryptedContent: false });
    const agent = new Agent({ model: "test", client: stand.client });
    const result = await ends(runIn(way, agent, "Hello."));
    await ends(runIn(way, agent, "Again.", { history: result.history }));
    expect(inputOf(stand.server.request(1))[1]).not.toHaveProperty("id");
    stand.server.assertDone();
  });
});
