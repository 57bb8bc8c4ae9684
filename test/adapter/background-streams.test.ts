import { Agent, type BackgroundOptions } from "@toolwright/core";
import { reply, type ReplyOptions } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { backgroundAgent, requestsAbout, soon, textOf } from "../support/background.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect } from "../support/ways.js";

describe("a response that is followed by its events", () => {
  const story = "Once upon a time there was a small stand-in server that told stories, word by word. ".repeat(4);

  async function streamed(options: ReplyOptions, broken = reply.text(story), background: BackgroundOptions = soon) {
    const stand = await serve([broken.with(options)]);
    const collected = await ends(collect(backgroundAgent(stand, background), "Tell."));
    await stand.server.close();
    return { stand, ...collected };
  }

  it("goes on where a connection broke off, however often, and tells nothing twice", async () => {
    const faults = [{ cutAfterEvents: 3 }, { cutAfterEvents: 1 }, { status: 502 }, { cutAfterEvents: 4 }];
    const { stand, result, events } = await streamed({ background: { faults } }, reply.cut({ afterEvents: 6 }, reply.text(story)));
    expect(result).toMatchObject({ output: story });
    expect(textOf(events)).toBe(story);
    expect(stand.server.requests).toHaveLength(1);
    expect(requestsAbout(stand).map((each) => /stream=true&starting_after=(\d+)/.exec(each)?.[1])).toEqual(["5", "8", "9", "9", "13"]);
  });

  it("takes events that are sent again only once", async () => {
    const cut = reply.cut({ afterEvents: 9 }, reply.text(story));
    await using stand = await serve([cut]);
    const { client } = stand;
    // A server that knows no cursor sends all events again.
    const forgetful = {
      post: client.post.bind(client),
      get: (path: string, { query: { starting_after: _, ...query }, ...options }: { query: Record<string, unknown> }) =>
        client.get(path, { ...options, query }),
    };
    const agent = new Agent({ model: "test", client: forgetful as never, background: soon });
    const { events, result } = await ends(collect(agent, "Tell."));
    expect(textOf(events)).toBe(story);
    expect(result.items.filter(({ type }) => type === "message")).toHaveLength(2);
  });

  it.each([
    ["ends without its last event", reply.end({ afterEvents: 8 }, reply.text(story)), {}],
    ["falls silent", reply.hang({ afterEvents: 8 }, reply.text(story)), {}],
  ])("goes on when the stream %s", async (_, broken, options) => {
    await using stand = await serve([broken.with(options)]);
    const { events, result } = await ends(collect(backgroundAgent(stand, soon, { streamIdleMs: 100 }), "Tell."));
    expect([textOf(events), result.output]).toEqual([story, story]);
    expect(stand.server.otherRequests).toHaveLength(1);
  });

  it("is looked at when the server streams it no more, and the rest is told once", async () => {
    const { stand, result, events } = await streamed(
      { background: { tooOld: true, looks: 2 } },
      reply.cut({ afterEvents: 9 }, reply.output(reply.text(story), reply.text(" The end."))),
    );
    expect(result).toMatchObject({ output: `${story} The end.` });
    expect(textOf(events)).toBe(`${story} The end.`);
    expect(stand.server.otherRequests.filter(({ path }) => path.includes("stream=true"))).toHaveLength(1);
  });

  it("tells calls once, started before the break or not", async () => {
    const calls = reply.calls(callOf("look", "call_1", 1), callOf("look", "call_2", 2));
    for (const afterEvents of [3, 5, 7, 9, 11]) {
      await using stand = await serve([
        reply.cut({ afterEvents }, calls).with({ deltaSize: 2, background: { tooOld: true } }),
        reply.text("Seen."),
      ]);
      const agent = backgroundAgent(stand, soon, { tools: [numberTool("look", (n) => n)] });
      const { events, result } = await ends(collect(agent, "Look."));
      expect(result.output).toBe("Seen.");
      for (const type of ["tool-input-start", "tool-input-end", "tool-outcome"]) {
        expect(events.flatMap((event) => (event.type === type && "callId" in event ? [event.callId] : [])).sort()).toEqual([
          "call_1",
          "call_2",
        ]);
      }
      stand.server.assertDone({ allowRefusals: true });
    }
  });

  it("is looked at after a bare error event, which says nothing of the response", async () => {
    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hello.", annotations: [] }],
    };
    const response = { id: "resp_1", object: "response", status: "completed", output: [message] };
    const events = [
      { type: "response.created", response: { id: "resp_1", status: "queued", output: [] } },
      { type: "error", code: "server_error", message: "The stream is over." },
      { type: "response.completed", response },
    ];
    await using stand = await serve([reply.events(events)]);
    const { result, events: told } = await ends(collect(backgroundAgent(stand), "Hi."));
    expect([result.output, textOf(told)]).toEqual(["Hello.", "Hello."]);
  });

  it("is looked at when the server numbers no events, or cannot stream", async () => {
    const unnumbered: ReplyOptions = { transformEvent: ({ sequence_number: _, ...event }) => event };
    const first = await streamed(unnumbered, reply.cut({ afterEvents: 9 }, reply.text(story)));
    expect([textOf(first.events), requestsAbout(first.stand).some((each) => each.includes("stream"))]).toEqual([story, false]);
    const second = await streamed({ jsonInsteadOfSse: true });
    expect([textOf(second.events), requestsAbout(second.stand).some((each) => each.includes("stream"))]).toEqual([story, false]);
  });

  it("with transport sse, is followed in run() too", async () => {
    await using stand = await serve([reply.cut({ afterEvents: 5 }, reply.text(story))]);
    const result = await ends(backgroundAgent(stand, soon, { transport: "sse" }).run("Tell."));
    expect(result).toMatchObject({ output: story });
    expect(stand.server.request(0).body.stream).toBe(true);
  });
});
