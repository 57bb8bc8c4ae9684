import {
  Agent,
  type AgentTool,
  defineMiddleware,
  defineTool,
  type ModelSettings,
  openaiModel,
  type RunState,
  type ToolSpec,
} from "@toolwright/core";
import { modelRetry, toolSelection } from "@toolwright/core/middleware";
import { reply, type RecordedRequest } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { compileToolkit } from "../support/compile-toolkit.js";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";

const parameters = { type: "object", properties: {}, required: [] } as const;
const ran: string[] = [];
const tool = (name: string, description: string, tags: readonly string[] = [], more: object = {}) =>
  defineTool({ name, description, tags, effect: "read", parameters, execute: () => (ran.push(name), `${name} did it`), ...more });

const tools = [
  tool("find_orders", "Finds the orders of a customer.", ["orders"]),
  tool("cancel_order", "Cancels an order that was not sent yet.", ["orders", "risky"], { effect: "write" }),
  tool("get_weather", "Tells the weather of a city.", ["weather"]),
  tool("send_mail", "Writes to a customer.", ["mail"]),
];

const namesIn = ({ body }: RecordedRequest): readonly unknown[] => (body.tools ?? []).map((each) => each.name ?? each.type);
const call = (name: string, callId = "call_1", text = "{}") => reply.calls({ callId, name, arguments: text });

describe("toolSelection", () => {
  it.each([
    [{ tags: ["orders"] }, ["find_orders", "cancel_order"]],
    [{ names: ["get_weather"] }, ["get_weather"]],
    [{ tags: ["mail"], names: ["find_orders"] }, ["find_orders", "send_mail"]],
    [{ select: () => ["send_mail"] }, ["send_mail"]],
    [{ select: async () => ["send_mail"], tags: ["weather"] }, ["get_weather", "send_mail"]],
    [{ select: () => [] }, []],
  ])("offers what %j chooses, in the order of the agent's tools", async (options, names) => {
    await using stand = await serve([reply.text("Hello.")]);
    await new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection(options)] }).run("Hello.");
    expect(namesIn(stand.server.request(0))).toEqual(names);
    stand.server.assertDone();
  });

  it("knows tags that were written above a method", async () => {
    const source = `import { Tool } from "@toolwright/core";
      export class Shop {
        /** Finds the orders of the customer. */ @Tool({ effect: "read", tags: ["orders"] }) findOrders(): string { return "none"; }
        /** Tells when the shop opens. */ @Tool({ effect: "read" }) openingHours(): string { return "at nine"; }
      }`;
    const shop = await compileToolkit(source, "Shop");
    await using stand = await serve([reply.text("Hello.")]);
    await new Agent({ model: "test", client: stand.client, tools: [shop], middleware: [toolSelection({ tags: ["orders"] })] }).run(
      "Hello.",
    );
    expect(namesIn(stand.server.request(0))).toEqual(["find_orders"]);
  }, 60_000);

  it("runs no tool that the request did not offer, and says which there are", async () => {
    ran.length = 0;
    await using stand = await serve([reply.output(call("cancel_order"), call("find_orders", "call_2")), reply.text("Sorry.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection({ names: ["find_orders"] })] });
    const result = await agent.run("Cancel it.");
    expect(ran).toEqual(["find_orders"]);
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["invalid", "ok"]);
    const [[, output] = []] = outputsIn(inputOf(stand.server.request(1)));
    expect(errorIn(output)).toMatchObject({ code: "TOOL_UNKNOWN", retryable: false, tools: ["find_orders"] });
  });

  it("asks `select` for each request, with the run and its request", async () => {
    ran.length = 0;
    const seen: unknown[] = [];
    const select: NonNullable<Parameters<typeof toolSelection>[0]["select"]> = ({ step, request }, { run, signal }) => {
      seen.push([step, request.input.length, run.tools.length, signal.aborted]);
      return step === 0 ? ["find_orders"] : ["cancel_order"];
    };
    await using stand = await serve([
      call("find_orders"),
      call("cancel_order", "call_2"),
      call("find_orders", "call_3"),
      reply.text("Done."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection({ select })] });
    const result = await agent.run("Cancel it.");
    expect(stand.server.requests.map(namesIn)).toEqual([["find_orders"], ["cancel_order"], ["cancel_order"], ["cancel_order"]]);
    expect(seen).toEqual([0, 1, 2, 3].map((step) => [step, 1 + 2 * step, 4, false]));
    expect(ran).toEqual(["find_orders", "cancel_order"]);
    expect(result.steps[2]?.calls[0]?.outcome.kind).toBe("invalid");
  });

  it("gives equal choices the same list, and leaves the request alone where nothing is left out", async () => {
    const lists: (readonly ToolSpec[])[] = [];
    const look = defineMiddleware({ name: "look", wrapModelCall: (each, next) => (lists.push(each.request.tools), next(each)) });
    const outer = defineMiddleware({ name: "outer", wrapModelCall: (each, next) => (lists.push(each.request.tools), next(each)) });
    await using stand = await serve([
      call("find_orders"),
      call("find_orders", "call_2"),
      reply.text("1"),
      reply.text("2"),
      reply.text("3"),
    ]);
    const select = toolSelection({ select: () => ["find_orders"] });
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [select, look] });
    await agent.run("Go.");
    await agent.run("Go.");
    expect(lists).toHaveLength(4);
    expect(new Set(lists).size).toBe(1);
    expect(Object.isFrozen(lists[0])).toBe(true);
    lists.length = 0;
    const all = toolSelection({
      names: tools.map((_, index) => ["find_orders", "cancel_order", "get_weather", "send_mail"][index] as string),
    });
    await new Agent({ model: "test", client: stand.client, tools, middleware: [outer, all, look] }).run("Go.");
    expect(lists[0]).toBe(lists[1]);
  });

  it("always offers what a forced choice names", async () => {
    const settings: ModelSettings = { tool_choice: { type: "function", name: "send_mail" } };
    await using stand = await serve([call("send_mail"), reply.text("Sent.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools, settings, middleware: [toolSelection({ tags: ["weather"] })] });
    expect(await agent.run("Write.")).toMatchObject({ output: "Sent." });
    expect(stand.server.requests.map(namesIn)).toEqual([["get_weather", "send_mail"], ["get_weather"]]);
    stand.server.assertDone();
  });

  it("does not send a choice where no tool is left, and leaves hosted tools alone", async () => {
    await using stand = await serve([reply.text("Hello."), reply.text("Hello.")]);
    const middleware = [toolSelection({ select: () => [] })];
    await new Agent({ model: "test", client: stand.client, tools, settings: { tool_choice: "required" }, middleware }).run("Hello.");
    expect(stand.server.request(0).body.tool_choice).toBeUndefined();
    const hosted: AgentTool<unknown>[] = [...tools, { type: "web_search" }];
    await new Agent({ model: "test", client: stand.client, tools: hosted, middleware }).run("Hello.");
    expect(namesIn(stand.server.request(1))).toEqual(["web_search"]);
    stand.server.assertDone();
  });

  it("works where the server keeps the history, and when a request is repeated", async () => {
    const script = [
      call("find_orders"),
      reply.http(500, { headers: { "x-should-retry": "true" } }),
      call("cancel_order", "call_2"),
      reply.text("Done."),
    ];
    await using stand = await serve(script);
    const middleware = [modelRetry({ minDelayMs: 1, maxDelayMs: 1 }), toolSelection({ names: ["find_orders"] })];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware, history: { kind: "chained" } });
    const result = await agent.run("Go.");
    expect(result.steps.map((step) => step.calls.map(({ outcome }) => outcome.kind))).toEqual([["ok"], ["invalid"], []]);
  });
});

describe("toolSelection by search", () => {
  const search = (query: string, callId = "call_1") => call("search_tools", callId, JSON.stringify({ query }));

  it("offers what the model finds from the next step on, for the rest of the run", async () => {
    ran.length = 0;
    const script = [
      search("cancel an order"),
      call("cancel_order", "call_2"),
      search("weather", "call_3"),
      call("get_weather", "call_4"),
      reply.text("Done."),
    ];
    await using stand = await serve(script);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection({ search: { limit: 1 } })] });
    const result = await agent.run("Cancel it.");
    expect(stand.server.requests.map(namesIn)).toEqual([
      ["search_tools"],
      ["cancel_order", "search_tools"],
      ["cancel_order", "search_tools"],
      ["cancel_order", "get_weather", "search_tools"],
      ["cancel_order", "get_weather", "search_tools"],
    ]);
    expect(ran).toEqual(["cancel_order", "get_weather"]);
    const [[, found] = []] = outputsIn(result.items);
    expect(JSON.parse(String(found))).toMatchObject({
      tools: [{ name: "cancel_order", description: "Cancels an order that was not sent yet." }],
    });
    // The next run begins anew.
    expect(result.steps.every((step) => step.calls.every(({ outcome }) => outcome.kind === "ok"))).toBe(true);
    stand.server.assertDone();
  });

  it("does not run what is called before it was found", async () => {
    ran.length = 0;
    await using stand = await serve([reply.output(search("weather"), call("get_weather", "call_2")), reply.text("Sorry.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection({ search: true })] });
    const result = await agent.run("Go.");
    expect(ran).toEqual([]);
    const error = errorIn(new Map(outputsIn(result.items)).get("call_2"));
    expect(error).toMatchObject({
      code: "TOOL_UNKNOWN",
      tools: ["search_tools"],
      message: expect.stringContaining("Find others with search_tools."),
    });
  });

  it.each([
    ["orders of a customer", "find_orders"],
    ["Wetter or WEATHER, please", "get_weather"],
    ["sendMail", "send_mail"],
    ["cancellation of orders", "cancel_order"],
  ])("finds by words: %s", async (query, name) => {
    await using stand = await serve([search(query), reply.text("Thanks.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection({ search: { limit: 1 } })] });
    await agent.run("Go.");
    expect(namesIn(stand.server.request(1))).toEqual([name, "search_tools"]);
  });

  it("says what there is when nothing fits, and what is wrong with a call of it", async () => {
    await using stand = await serve([
      search("xylophone"),
      call("search_tools", "call_2", '{"words":"a"}'),
      call("search_tools", "call_3", "{"),
      reply.text("Sorry."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection({ search: true })] });
    const texts = outputsIn((await agent.run("Go.")).items).map(([, output]) => String(output));
    expect(texts[0]).toContain("There are tools about: orders, risky, weather, mail.");
    expect(errorIn(texts[1])).toMatchObject({ code: "TOOL_ARGUMENTS_INVALID", issues: expect.any(Array) });
    expect(errorIn(texts[2])).toMatchObject({ code: "TOOL_ARGUMENTS_INVALID" });
  });

  it("keeps what was found while the run is paused, and what the paused step was offered", async () => {
    ran.length = 0;
    const pay = tool("pay", "Pays an invoice.", [], { effect: "write", approval: () => true });
    const script = [
      search("pay invoice"),
      reply.output(call("pay", "call_2"), call("get_weather", "call_3")),
      call("pay", "call_4"),
      reply.text("Done."),
    ];
    await using stand = await serve(script);
    const make = () =>
      new Agent({ model: "test", client: stand.client, tools: [...tools, pay], middleware: [toolSelection({ search: true })] });
    const paused = await make().run("Pay.");
    expect(paused.stopReason).toBe("interrupted");
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const again = await make().resume(state, { decisions: [{ callId: "call_2", approve: true }] });
    expect(ran).toEqual(["pay"]);
    expect(namesIn(stand.server.request(2))).toEqual(["pay", "search_tools"]);
    expect(again).toMatchObject({ stopReason: "interrupted", interruptions: [{ callId: "call_4" }] });
  });
});

describe("toolSelection by the API's own search", () => {
  it("sends the other tools for deferred loading, each schema as it was", async () => {
    await using stand = await serve([call("cancel_order"), reply.text("Done.")]);
    ran.length = 0;
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools,
      middleware: [toolSelection({ names: ["find_orders"], deferred: true })],
    });
    await agent.run("Go.");
    expect(stand.server.request(0).body.tools).toMatchObject([
      { name: "find_orders", strict: true },
      { name: "cancel_order", strict: true, defer_loading: true },
      { name: "get_weather", defer_loading: true },
      { name: "send_mail", defer_loading: true },
      { type: "tool_search" },
    ]);
    expect(stand.server.request(0).body.tools?.[0]).not.toHaveProperty("defer_loading");
    expect(stand.server.request(1).text.split('"tools":')[1]).toBe(stand.server.request(0).text.split('"tools":')[1]);
    // The API has loaded it: whatever is called can be.
    expect(ran).toEqual(["cancel_order"]);
    stand.server.assertDone();
  });

  it("never defers a tool that is forced, and adds no second search", async () => {
    await using stand = await serve([call("send_mail"), reply.text("Sent.")]);
    const settings: ModelSettings = { tool_choice: { type: "function", name: "send_mail" } };
    const all: AgentTool<unknown>[] = [...tools, { type: "tool_search" }];
    await new Agent({ model: "test", client: stand.client, tools: all, settings, middleware: [toolSelection({ deferred: true })] }).run(
      "Go.",
    );
    const sent = stand.server.request(0).body.tools ?? [];
    expect(sent.filter(({ type }) => type === "tool_search")).toHaveLength(1);
    expect(sent.find(({ name }) => name === "send_mail")).not.toHaveProperty("defer_loading");
  });

  it("is refused before it is sent, where the provider has no such thing", async () => {
    await using stand = await serve([]);
    const model = openaiModel("test", { client: stand.client, provider: "ollama" });
    const agent = new Agent({ model, tools, middleware: [toolSelection({ deferred: true })] });
    await expect(agent.run("Go.")).rejects.toMatchObject({ code: "MODEL_UNSUPPORTED", message: expect.stringContaining("tool_search") });
    expect(stand.server.requests).toHaveLength(0);
  });
});

describe("toolSelection refuses", () => {
  it.each([
    [{}, /nothing to select by/],
    [{ search: false }, /nothing to select by/],
    [{ tags: [], names: [] }, /nothing to select by/],
    [{ tags: "orders" }, /`tags` must be a list of texts; it is "orders"/],
    [{ select: ["a"] }, /`select` must be a function/],
    [{ search: { limit: 0 } }, /`limit` must be a positive integer; it is 0/],
    [{ search: { name: "find tools" } }, /`name` must be a name of up to 64/],
    [{ search: true, deferred: true }, /exclude each other/],
    [{ tag: ["a"] }, /has no option "tag"/],
  ])("%j", (options, message) => {
    expect(() => toolSelection(options as object)).toThrow(message);
  });

  it.each([
    [{ names: ["find_order"] }, /`names` names "find_order", which is no tool\. There are: find_orders, cancel_order/],
    [{ tags: ["order"] }, /no tool has the tag "order"\. There are: orders, risky, weather, mail\./],
    [{ select: () => ["find_order"] }, /`select` names "find_order"/],
    [{ select: () => "find_orders" }, /`select` must give a list of texts; it gave "find_orders"/],
    [{ search: { name: "send_mail" } }, /there is a tool send_mail already/],
  ])("what no tool of the agent is: %j", async (options, message) => {
    await using stand = await serve([]);
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [toolSelection(options as object)] });
    await expect(agent.run("Go.")).rejects.toMatchObject({ code: "RUN_OPTIONS", message: expect.stringMatching(message) });
  });
});
