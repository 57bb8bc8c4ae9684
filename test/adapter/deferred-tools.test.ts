import { Agent, type AgentTool, customTool, type HostedTool, type Item, toolNamespace } from "@toolwright/core";
import { toolSelection } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, runIn, ways, waysAndHistories } from "../support/ways.js";

const ran: string[] = [];
const tool = (name: string) =>
  numberTool(name, (n) => {
    ran.push(`${name} ${n}`);
    return n;
  });
const search: HostedTool = { type: "tool_search" };

/** What the API gives when the model has searched: the call, and the tools that were loaded. */
const found = (namespace: string, ...names: readonly string[]): readonly Item[] => [
  {
    type: "tool_search_call",
    id: `tsc_${namespace}`,
    call_id: null,
    arguments: { paths: [namespace] },
    execution: "server",
    status: "completed",
  },
  {
    type: "tool_search_output",
    id: `tso_${namespace}`,
    call_id: null,
    execution: "server",
    status: "completed",
    tools: [{ type: "namespace", name: namespace, description: "", tools: names.map((name) => ({ type: "function", name })) }],
  },
];

describe.each(waysAndHistories)("deferred functions ($way, $kind)", ({ way, history }) => {
  it("are answered when they are called with a namespace, which goes back with the call", async () => {
    const calls = reply.calls({ ...callOf("cancel", "call_1", 1), namespace: "cancel" }, { ...callOf("find", "call_2", 2) });
    await using stand = await serve([reply.output(reply.items(found("cancel", "cancel")), calls), reply.text("Done."), reply.text("Yes.")]);
    ran.length = 0;
    const agent = new Agent({
      model: "test",
      client: stand.client,
      history,
      tools: [tool("cancel"), tool("find")],
      middleware: [toolSelection({ names: ["find"], deferred: true })],
    });
    const result = await ends(runIn(way, agent, "Cancel it."));
    expect(result).toMatchObject({ output: "Done.", steps: [{ calls: [{ tool: "cancel" }, { tool: "find" }] }, {}] });
    expect(ran).toEqual(["cancel 1", "find 2"]);
    const input = inputOf(stand.server.request(1));
    expect(input.slice(-2)).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "1" },
      { type: "function_call_output", call_id: "call_2", output: "2" },
    ]);
    if (history.kind === "local") expect(input.find(({ name }) => name === "cancel")).toMatchObject({ namespace: "cancel" });
    await ends(runIn(way, agent, "Sure?", { history: result.history }));
    stand.server.assertDone();
  });

  it("stay deferred from step to step, with the same text of all tools", async () => {
    const call = { ...callOf("cancel", "call_1", 1), namespace: "cancel" };
    await using stand = await serve([reply.output(reply.items(found("cancel", "cancel")), reply.calls(call)), reply.text("Done.")]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      history,
      tools: [tool("cancel")],
      middleware: [toolSelection({ deferred: true })],
    });
    await ends(runIn(way, agent, "Cancel it."));
    const [first, second] = stand.server.requests.map(({ body }) => body.tools);
    expect(first).toMatchObject([{ name: "cancel", defer_loading: true }, { type: "tool_search" }]);
    expect(second).toEqual(first);
  });
});

describe("a function that was called before it was deferred", () => {
  it("is there from the start, once a search has loaded it too: its old call has no namespace", async () => {
    const later = { ...callOf("cancel", "call_2", 2), namespace: "cancel" };
    await using stand = await serve([
      reply.calls(callOf("cancel", "call_1", 1)),
      reply.output(reply.items(found("cancel", "cancel")), reply.calls(later)),
      reply.text("Done."),
      reply.text("Yes."),
    ]);
    const tools = [tool("cancel"), tool("find")];
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools,
      middleware: [toolSelection({ select: ({ step }) => (step === 0 ? ["cancel"] : []), deferred: true })],
    });
    const result = await ends(agent.run("Cancel both."));
    const deferred = stand.server.requests.map(({ body }) =>
      body.tools?.filter((each) => each["defer_loading"] === true).map(({ name }) => name),
    );
    // Before the search, nothing has loaded it under another name.
    expect(deferred).toEqual([["find"], ["cancel", "find"], ["find"]]);
    await ends(agent.run("Sure?", { history: result.history }));
    stand.server.assertDone();
  });
});

describe.each(ways)("tools in a namespace (%s)", (way) => {
  const crm = (deferred: boolean) =>
    toolNamespace({
      name: "crm",
      description: "Customers and orders.",
      deferred,
      tools: [
        tool("find"),
        tool("cancel"),
        customTool({ name: "query", description: "Runs SQL.", effect: "read", execute: (sql) => (ran.push(sql), "rows") }),
      ],
    });

  it("are sent as one group, and their calls are answered", async () => {
    const call = { ...callOf("cancel", "call_1", 1), namespace: "crm" };
    const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "query", input: "select 1", namespace: "crm" };
    await using stand = await serve([reply.output(reply.calls(call), reply.items([custom])), reply.text("Done.")]);
    ran.length = 0;
    const agent = new Agent({ model: "test", client: stand.client, tools: [tool("other"), crm(false), { type: "web_search" }] });
    await expect(ends(runIn(way, agent, "Go."))).resolves.toMatchObject({ output: "Done." });
    expect(ran).toEqual(["cancel 1", "select 1"]);
    expect(stand.server.request(0).body.tools).toMatchObject([
      { type: "function", name: "other" },
      {
        type: "namespace",
        name: "crm",
        description: "Customers and orders.",
        tools: [{ type: "function", name: "find", strict: true }, { name: "cancel" }, { type: "custom", name: "query" }],
      },
      { type: "web_search" },
    ]);
    expect(inputOf(stand.server.request(1)).slice(1)).toMatchObject([
      { type: "function_call", namespace: "crm", call_id: "call_1" },
      custom,
      { type: "function_call_output", call_id: "call_1", output: "1" },
      { type: "custom_tool_call_output", call_id: "call_2", output: "rows" },
    ]);
    stand.server.assertDone();
  });

  it("are deferred together, beside the search that loads them", async () => {
    const call = { ...callOf("cancel", "call_1", 1), namespace: "crm" };
    await using stand = await serve([reply.output(reply.items(found("crm", "cancel")), reply.calls(call)), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [crm(true), search] });
    await expect(ends(runIn(way, agent, "Go."))).resolves.toMatchObject({ output: "Done." });
    const [namespace] = stand.server.request(0).body.tools ?? [];
    expect(namespace?.["tools"]).toMatchObject([{ defer_loading: true }, { defer_loading: true }, { defer_loading: true }]);
    stand.server.assertDone();
  });

  it("are chosen from like any others", async () => {
    const call = { ...callOf("cancel", "call_1", 1), namespace: "crm" };
    await using stand = await serve([reply.calls(call), reply.text("No."), reply.text("Nothing.")]);
    ran.length = 0;
    const agentOf = (names: readonly string[]) =>
      new Agent({ model: "test", client: stand.client, tools: [tool("other"), crm(false)], middleware: [toolSelection({ names })] });
    await ends(runIn(way, agentOf(["find"]), "Go."));
    expect(stand.server.request(0).body.tools).toMatchObject([{ name: "crm", tools: [{ name: "find" }] }]);
    expect(ran).toEqual([]);
    await ends(runIn(way, agentOf(["other"]), "Go."));
    expect(stand.server.request(2).body.tools).toMatchObject([{ name: "other" }]);
  });
});

describe("what is deferred and would never be loaded is refused before a request", () => {
  const crm = toolNamespace({ name: "crm", description: "Customers.", deferred: true, tools: [tool("find")] });
  const mcp = { type: "mcp", server_label: "files", server_url: "https://mcp.example.com", defer_loading: true } as const;
  it.each<readonly [string, readonly AgentTool<unknown>[]]>([
    ["find", [crm]],
    ["files", [mcp]],
  ])("%s", async (name, tools) => {
    await using stand = await serve([reply.text("Hi.")]);
    const error = await failureOf(ends(new Agent({ model: "test", client: stand.client, tools: [...tools] }).run("Go.")));
    expect(error).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringContaining(`${name} is deferred`) });
    expect(stand.server.requests).toHaveLength(0);
    await ends(new Agent({ model: "test", client: stand.client, tools: [...tools, search] }).run("Go."));
  });
});
