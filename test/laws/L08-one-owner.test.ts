import { Agent, type AgentOptions, type HistoryOption, type ModelSettings, type Session } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

// What the compiler refuses here must be refused at run time too, for those who do not compile.
declare const session: Session;
const twoOwners = {
  "items and a chain": () => {
    // @ts-expect-error The application's items and a chain are two owners.
    const history: HistoryOption = { kind: "local", items: [], previousResponseId: "resp_1" };
    return history;
  },
  "items and a conversation": () => {
    // @ts-expect-error The application's items and a conversation are two owners.
    const history: HistoryOption = { kind: "local", items: [], id: "conv_1" };
    return history;
  },
  "a chain with items": () => {
    // @ts-expect-error A chain sends new items only; old ones are the server's.
    const history: HistoryOption = { kind: "chained", items: [] };
    return history;
  },
  "a chain with a conversation": () => {
    // @ts-expect-error The API takes one of the two.
    const history: HistoryOption = { kind: "chained", previousResponseId: "resp_1", id: "conv_1" };
    return history;
  },
  "a conversation with a chain": () => {
    // @ts-expect-error The API takes one of the two.
    const history: HistoryOption = { kind: "conversation", id: "conv_1", previousResponseId: "resp_1" };
    return history;
  },
  "a conversation with items": () => {
    // @ts-expect-error A conversation's items are the server's.
    const history: HistoryOption = { kind: "conversation", id: "conv_1", items: [] };
    return history;
  },
  "outputs of a local history": () => {
    // @ts-expect-error Outputs are items there.
    const history: HistoryOption = { kind: "local", outputs: [] };
    return history;
  },
  "items and a session": () => {
    // @ts-expect-error A session holds the items.
    const history: HistoryOption = { kind: "local", items: [], session: {} as Session };
    return history;
  },
} as const;

describe("L08: one owner of history", () => {
  it.each(Object.entries(twoOwners))("two at once are refused: %s", async (_, make) => {
    await using stand = await serve([]);
    expect(() => new Agent({ model: "test", client: stand.client, history: make() })).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS" }),
    );
    const agent = new Agent({ model: "test", client: stand.client });
    await expect(agent.run("Go.", { history: make() })).rejects.toMatchObject({ code: "RUN_OPTIONS" });
    expect(stand.server.requests).toHaveLength(0);
  });

  it.each([
    ["no kind", {}],
    ["another kind", { kind: "cloud" }],
    ["a conversation without its id", { kind: "conversation" }],
    ["items that are no list", { kind: "local", items: "none" }],
    ["nothing", null],
  ])("what is none of the three is refused: %s", (_, history) => {
    expect(() => new Agent({ model: "test", history: history as unknown as HistoryOption })).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS" }),
    );
  });

  it("each of the three compiles", () => {
    expectTypeOf<{ kind: "local" }>().toExtend<HistoryOption>();
    expectTypeOf<{ kind: "local"; items: [] }>().toExtend<HistoryOption>();
    expectTypeOf<{ kind: "local"; session: typeof session }>().toExtend<HistoryOption>();
    expectTypeOf<{ kind: "chained" }>().toExtend<HistoryOption>();
    expectTypeOf<{ kind: "chained"; previousResponseId: string }>().toExtend<HistoryOption>();
    expectTypeOf<{ kind: "conversation"; id: string }>().toExtend<HistoryOption>();
    // Without its id, a conversation is none.
    expectTypeOf<{ kind: "conversation" }>().not.toExtend<HistoryOption>();
  });

  it.each([
    "input",
    "instructions",
    "tools",
    "model",
    "store",
    "previous_response_id",
    "conversation",
    "stream",
    "stream_options",
    "background",
  ] as const)("settings do not take what the run owns: %s", (name) => {
    expectTypeOf<ModelSettings[typeof name]>().toEqualTypeOf<undefined>();
    expect(() => new Agent({ model: "test", settings: { [name]: "x" } as ModelSettings })).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringContaining(name) }),
    );
  });

  it("settings that the run owns do not compile", () => {
    // @ts-expect-error Whether the server stores is said by `history`.
    expectTypeOf({ store: false }).toExtend<ModelSettings>();
    // @ts-expect-error Chaining is said by `history`.
    const options: AgentOptions = { model: "test", settings: { previous_response_id: "resp_1" } };
    expect(() => new Agent(options)).toThrow(expect.objectContaining({ code: "RUN_OPTIONS" }));
  });
});

const script = [reply.calls(callOf("look", "call_1", 1)), reply.calls(callOf("look", "call_2", 2)), reply.text("Done.")];
const look = () => numberTool("look", (n) => `seen ${n}`);

describe.each(ways)("L08: what each owner makes of a request (%s)", (way) => {
  it("local: everything is sent, and the server is told to keep nothing", async () => {
    await using stand = await serve(script);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], history: { kind: "local" } });
    const result = await ends(runIn(way, agent, "Go."));
    for (const [index, { body }] of stand.server.requests.entries()) {
      expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
      expect(body).not.toHaveProperty("previous_response_id");
      expect(body).not.toHaveProperty("conversation");
      expect(inputOf(stand.server.request(index))).toEqual(result.items.slice(0, 1 + 2 * index));
    }
    stand.server.assertDone();
  });

  it("chained: new items alone are sent, after the id of the response before", async () => {
    await using stand = await serve([...script.map((each, index) => each.with({ responseId: `resp_${index}` })), reply.text("Again.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], history: { kind: "chained" } });
    const result = await ends(runIn(way, agent, "Go."));
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    expect(stand.server.requests.map(({ body }) => body.previous_response_id)).toEqual([undefined, "resp_0", "resp_1", "resp_2"]);
    expect(stand.server.requests.map((request) => inputOf(request).map((item) => item.type))).toEqual([
      ["message"],
      ["function_call_output"],
      ["function_call_output"],
      ["message"],
    ]);
    for (const { body } of stand.server.requests) expect(body.store).not.toBe(false);
    stand.server.assertDone();
  });

  it("conversation: new items alone are sent, with the conversation's id", async () => {
    await using stand = await serve([...script, reply.text("Again.")], { conversations: ["conv_1"] });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look()], history: { kind: "conversation", id: "conv_1" } });
    const result = await ends(runIn(way, agent, "Go."));
    expect(result.history).toEqual({ kind: "conversation", id: "conv_1" });
    await ends(runIn(way, agent, "Go on.", { history: result.history }));
    for (const { body } of stand.server.requests) {
      expect(body.conversation).toBe("conv_1");
      expect(body).not.toHaveProperty("previous_response_id");
    }
    expect(stand.server.requests.map((request) => inputOf(request).length)).toEqual([1, 1, 1, 1]);
    stand.server.assertDone();
  });

  it.each([{ kind: "local" }, { kind: "chained" }, { kind: "conversation", id: "conv_1" }] as const)(
    "$kind: instructions and tools are sent with every step",
    async (history) => {
      await using stand = await serve(script, { conversations: ["conv_1"] });
      const agent = new Agent({
        model: "test",
        client: stand.client,
        instructions: ({ step }) => `Step ${step}.`,
        tools: [look()],
        history,
      });
      await ends(runIn(way, agent, "Go."));
      expect(stand.server.requests.map(({ body }) => body.instructions)).toEqual(["Step 0.", "Step 1.", "Step 2."]);
      for (const { body } of stand.server.requests)
        expect(body.tools).toEqual([expect.objectContaining({ type: "function", name: "look", strict: true })]);
      stand.server.assertDone();
    },
  );

  it("history on run() takes the place of the agent's", async () => {
    await using stand = await serve([reply.text("One.").with({ responseId: "resp_1" }), reply.text("Two.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      history: { kind: "local", items: [{ type: "message", role: "user", content: "Old." }] },
    });
    await ends(runIn(way, agent, "Go.", { history: { kind: "chained" } }));
    expect(inputOf(stand.server.request(0))).toEqual([{ type: "message", role: "user", content: "Go." }]);
    expect(stand.server.request(0).body.store).not.toBe(false);
    await ends(runIn(way, agent, "Go."));
    expect(inputOf(stand.server.request(1)).map((item) => item["content"])).toEqual(["Old.", "Go."]);
  });
});
