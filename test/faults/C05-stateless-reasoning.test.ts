import { Agent, type Item, type ModelSettings } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

const thinking = reply.output(reply.reasoning("Hm."), reply.calls(callOf("look", "call_1", 1)));
const look = numberTool("look", (n) => n);
const thoughts = (items: readonly Item[]) => items.filter((item) => item.type === "reasoning");

describe.each(ways)("C05: reasoning goes back encrypted where the server keeps nothing (%s)", (way) => {
  it("it is asked for with every request and replayed with its content", async () => {
    await using stand = await serve([thinking, reply.text("Done."), reply.text("Again.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], settings: { include: ["web_search_call.results"] } });
    const result = await ends(runIn(way, agent, "Go."));
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    for (const { body } of stand.server.requests)
      expect(body).toMatchObject({ store: false, include: ["web_search_call.results", "reasoning.encrypted_content"] });
    for (const request of stand.server.requests.slice(1)) {
      expect(thoughts(inputOf(request))).toEqual([
        expect.objectContaining({ id: expect.stringMatching(/^rs_/), encrypted_content: expect.any(String), summary: expect.any(Array) }),
      ]);
    }
    stand.server.assertDone();
  });

  it("a server that keeps the history is not asked for it", async () => {
    await using stand = await serve([thinking, reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look], history: { kind: "chained" } });
    await ends(runIn(way, agent, "Go."));
    for (const { body } of stand.server.requests) expect(body).not.toHaveProperty("include");
    stand.server.assertDone();
  });
});

describe("C05: where the encrypted content comes from", () => {
  const without = (item: unknown) => {
    const { encrypted_content: _, ...rest } = item as Item;
    return rest;
  };
  it.each([
    ["the item's own event alone", "response.completed"],
    ["the last event alone", "response.output_item.done"],
  ])("%s is enough", async (_, strippedType) => {
    const strip = (event: { readonly [key: string]: unknown }) => {
      if (event["type"] !== strippedType) return event;
      if (strippedType === "response.output_item.done") return { ...event, item: without(event["item"]) };
      const response = event["response"] as { readonly output: readonly unknown[] };
      return { ...event, response: { ...response, output: response.output.map(without) } };
    };
    await using stand = await serve([thinking.with({ transformEvent: strip }), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    await ends(agent.stream("Go.").result);
    expect(thoughts(inputOf(stand.server.request(1)))[0]?.["encrypted_content"]).toEqual(expect.any(String));
    stand.server.assertDone();
  });
});

describe("C05: storing is said by the history alone", () => {
  it.each(["chained", "local"] as const)("store: false beside a %s history is refused before any request", async (kind) => {
    await using stand = await serve([]);
    const settings = { store: false } as unknown as ModelSettings; // refused by the types too
    const make = () => new Agent({ model: "test", client: stand.client, settings, history: kind === "local" ? { kind } : { kind } });
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringContaining("settings.store") }));
    expect(stand.server.requests).toHaveLength(0);
  });
});
