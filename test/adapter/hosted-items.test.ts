import { Agent, type HostedTool, type Item, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { kinds as sessions } from "../sessions/support.js";
import { inputOf, localItems, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { resumeIn, runIn, ways, waysAndHistories } from "../support/ways.js";

const server = { type: "mcp", server_label: "files", server_url: "https://mcp.example.com", require_approval: "never" } as const;

/** One of each kind, with fields that this version knows and with one that it does not. */
const kinds: readonly (readonly [tool: HostedTool, items: readonly Item[]])[] = [
  [
    { type: "web_search" },
    [
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "Oslo", sources: [{ url: "https://example.com" }] },
        later: { a: [1] },
      },
    ],
  ],
  [
    { type: "file_search", vector_store_ids: ["vs_1"] },
    [
      {
        type: "file_search_call",
        id: "fs_1",
        status: "completed",
        queries: ["rent"],
        results: [{ file_id: "file_1", text: "Rent.", score: 0.7 }],
      },
    ],
  ],
  [
    { type: "code_interpreter", container: { type: "auto" } },
    [
      {
        type: "code_interpreter_call",
        id: "ci_1",
        status: "completed",
        container_id: "cntr_1",
        code: "1+1",
        outputs: [{ type: "logs", logs: "2" }],
      },
    ],
  ],
  [
    { type: "image_generation" },
    [
      {
        type: "image_generation_call",
        id: "ig_1",
        status: "completed",
        result: "iVBORw0KGgo=",
        revised_prompt: "A cat.",
        size: "1024x1024",
      },
    ],
  ],
  [
    server,
    [
      {
        type: "mcp_list_tools",
        id: "mcpl_1",
        server_label: "files",
        tools: [{ name: "read", input_schema: { type: "object" }, description: "Reads." }],
      },
      {
        type: "mcp_call",
        id: "mcp_1",
        server_label: "files",
        name: "read",
        arguments: '{"path":"a"}',
        output: "hello",
        status: "completed",
      },
    ],
  ],
  [
    { type: "tool_search" },
    [
      {
        type: "tool_search_call",
        id: "tsc_1",
        call_id: "call_ts",
        arguments: { paths: ["crm"] },
        execution: "server",
        status: "completed",
      },
      {
        type: "tool_search_output",
        id: "tso_1",
        call_id: "call_ts",
        execution: "server",
        status: "completed",
        tools: [{ type: "function", name: "found", parameters: {}, strict: true }],
      },
    ],
  ],
  [
    { type: "shell", environment: { type: "container_auto" } },
    [
      { type: "shell_call", id: "sh_1", call_id: "call_sh", action: { commands: ["ls"] }, status: "completed" },
      {
        type: "shell_call_output",
        id: "sho_1",
        call_id: "call_sh",
        output: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
    ],
  ],
];

const hosted = kinds.flatMap(([, items]) => items);
const tools = [...kinds.map(([tool]) => tool), numberTool("look", () => "seen")];

/** A reply with reasoning before each hosted item, and a call of the agent's own at its end. */
const mixed = () =>
  reply.output(
    ...hosted.flatMap((item) =>
      item.type.endsWith("_output") ? [reply.items([item])] : [reply.reasoning({ id: `rs_of_${String(item["id"])}` }), reply.items([item])],
    ),
    reply.reasoning({ id: "rs_last" }),
    reply.calls(callOf("look", "call_1", 1)),
  );

const order = hosted.flatMap(({ type }) => (type.endsWith("_output") ? [type] : ["reasoning", type]));

/** What came back of the hosted items, and the order in which everything did. */
function expectKept(input: readonly Item[]): void {
  expect(input.filter(({ type }) => hosted.some((item) => item.type === type))).toEqual(hosted);
  const from = input.findIndex(({ type }) => type === "reasoning");
  expect(input.slice(from, from + order.length).map(({ type }) => type)).toEqual(order);
}

describe.each(ways)("hosted tools and their items (%s)", (way) => {
  it("are sent as they are, and come back word for word in the next step and in the next run", async () => {
    await using stand = await serve([mixed(), reply.text("Seen."), reply.text("Yes.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools });
    const result = await ends(runIn(way, agent, "Look."));
    expect(result).toMatchObject({ output: "Seen." });
    for (const [tool] of kinds) expect(stand.server.request(0).body.tools).toContainEqual(tool);
    expectKept(inputOf(stand.server.request(1)));
    expectKept(localItems(result.history));
    await ends(runIn(way, agent, "Sure?", { history: result.history }));
    expectKept(inputOf(stand.server.request(2)));
    stand.server.assertDone();
  });

  it.each(sessions)("are kept in a session that is opened anew ($kind)", async ({ make }) => {
    using kept = make();
    await using stand = await serve([mixed(), reply.text("Seen."), reply.text("Yes.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools });
    await ends(runIn(way, agent, "Look.", { history: { kind: "local", session: kept.session } }));
    await ends(runIn(way, agent, "Sure?", { history: { kind: "local", session: kept.reopen() } }));
    expectKept(inputOf(stand.server.request(2)));
    stand.server.assertDone();
  });

  it("are kept in a paused run that goes through JSON", async () => {
    await using stand = await serve([mixed(), reply.text("Seen."), reply.text("Yes.")]);
    const asked = numberTool("look", () => "seen", { approval: true });
    const agentOf = () => new Agent({ model: "test", client: stand.client, tools: [...kinds.map(([tool]) => tool), asked] });
    const paused = await ends(runIn(way, agentOf(), "Look."));
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const result = await ends(resumeIn(way, agentOf(), state, { decisions: [{ callId: "call_1", approve: true }] }));
    expectKept(inputOf(stand.server.request(1)));
    await ends(runIn(way, agentOf(), "Sure?", { history: JSON.parse(JSON.stringify(result.history)) as typeof result.history }));
    expectKept(inputOf(stand.server.request(2)));
    stand.server.assertDone();
  });
});

it.each(waysAndHistories)("items without any call of the agent's own are an answer ($way, $kind)", async ({ way, history }) => {
  await using stand = await serve([reply.output(reply.items(hosted), reply.text("Here you are.")), reply.text("Yes.")]);
  const agent = new Agent({ model: "test", client: stand.client, tools, history });
  const result = await ends(runIn(way, agent, "Look."));
  expect(result).toMatchObject({ output: "Here you are.", usage: { requests: 1 } });
  await ends(runIn(way, agent, "Sure?", { history: result.history }));
  stand.server.assertDone();
});

it("a shell whose commands nobody has run fails the step", async () => {
  const call = { type: "shell_call", id: "sh_1", call_id: "call_sh", action: { commands: ["ls"] }, status: "completed" };
  await using stand = await serve([reply.items([call])]);
  const agent = new Agent({ model: "test", client: stand.client, tools });
  await expect(ends(agent.run("List."))).rejects.toMatchObject({ code: "MODEL_PROTOCOL", message: expect.stringContaining("shell_call") });
});

it("a call that a program of the model's made is answered to that program", async () => {
  const program = { type: "program", id: "prog_1", call_id: "call_p", code: "await look(1)", fingerprint: "f" };
  const caller = { type: "program", caller_id: "call_p" };
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: '{"n":1}', status: "completed", caller };
  const programOutput = { type: "program_output", id: "po_1", call_id: "call_p", result: "seen", status: "completed" };
  for (const way of ways) {
    await using stand = await serve([reply.items([program, call]), reply.output(reply.items([programOutput]), reply.text("Seen."))]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [{ type: "programmatic_tool_calling" }, ...tools] });
    await ends(runIn(way, agent, "Look."));
    expect(inputOf(stand.server.request(1)).slice(1)).toEqual([
      program,
      call,
      { type: "function_call_output", call_id: "call_1", output: "seen", caller },
    ]);
  }
});
