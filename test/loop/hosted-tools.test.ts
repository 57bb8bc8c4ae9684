import { Agent, customTool, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { collect, failureOf, waysAndHistories, runIn, resumeIn } from "../support/ways.js";

const server = { type: "mcp", server_label: "files", server_url: "http://127.0.0.1:1/mcp", require_approval: "always" } as const;
const request = (id: string, name = "delete") => ({
  type: "mcp_approval_request",
  id,
  server_label: "files",
  name,
  arguments: '{"path":"a.txt"}',
});

describe.each(waysAndHistories)("a hosted MCP server's call that needs approval ($way, $kind)", ({ way, history }) => {
  it("interrupts the run beside other calls, and the decision is its answer", async () => {
    await using stand = await serve([
      reply.output(reply.items([request("mcpr_1"), request("mcpr_2")]), reply.calls(callOf("look", "call_1", 1))),
      reply.text("Deleted."),
      reply.text("Yes."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, history, tools: [server, numberTool("look", () => "seen")] });
    const paused = await ends(runIn(way, agent, "Delete it."));
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(paused.interruptions).toEqual([
      { callId: "mcpr_1", tool: "files.delete", arguments: { path: "a.txt" }, reason: "approval" },
      { callId: "mcpr_2", tool: "files.delete", arguments: { path: "a.txt" }, reason: "approval" },
    ]);
    const decisions = [
      { callId: "mcpr_1", approve: true },
      { callId: "mcpr_2", approve: false, reason: "Not this one." },
    ] as const;
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const result = await ends(resumeIn(way, agent, state, { decisions }));
    expect(result).toMatchObject({ output: "Deleted." });
    expect(inputOf(stand.server.request(1)).slice(-3)).toEqual([
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      { type: "mcp_approval_response", approval_request_id: "mcpr_2", approve: false, reason: "Not this one." },
      { type: "function_call_output", call_id: "call_1", output: "seen" },
    ]);
    await ends(runIn(way, agent, "Sure?", { history: result.history }));
    stand.server.assertDone();
  });

  it("a new run on the pause denies it", async () => {
    await using stand = await serve([reply.items([request("mcpr_1")]), reply.text("As you like.")]);
    const agent = new Agent({ model: "test", client: stand.client, history, tools: [server] });
    const paused = await ends(runIn(way, agent, "Delete it."));
    const result = await ends(runIn(way, agent, "Never mind.", { history: paused.history }));
    expect(result).toMatchObject({ output: "As you like." });
    const answer = inputOf(stand.server.request(1)).find(({ type }) => type === "mcp_approval_response");
    expect(answer).toMatchObject({ approval_request_id: "mcpr_1", approve: false });
  });
});

it("of a server that the agent does not have, the request is denied", async () => {
  await using stand = await serve([reply.items([{ ...request("mcpr_1"), server_label: "other" }]), reply.text("Well.")]);
  const agent = new Agent({ model: "test", client: stand.client, tools: [server] });
  await ends(agent.run("Go."));
  expect(inputOf(stand.server.request(1)).at(-1)).toMatchObject({ type: "mcp_approval_response", approve: false });
});

describe.each(waysAndHistories)("a custom tool ($way, $kind)", ({ way, history }) => {
  it("takes text, and its output is of its own type", async () => {
    const call = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "query", input: "select 1" };
    await using stand = await serve([reply.items([call]), reply.text("One.")]);
    const seen: string[] = [];
    const format = { type: "grammar", syntax: "regex", definition: "select .*" } as const;
    const query = customTool({
      name: "query",
      description: "Runs SQL.",
      effect: "read",
      format,
      execute: (input) => (seen.push(input), 1),
    });
    const agent = new Agent({ model: "test", client: stand.client, history, tools: [query] });
    const result = await ends(runIn(way, agent, "How many?"));
    expect(result).toMatchObject({ output: "One.", steps: [{ calls: [{ callId: "call_1", arguments: { input: "select 1" } }] }, {}] });
    expect(seen).toEqual(["select 1"]);
    expect(stand.server.request(0).body.tools).toEqual([{ type: "custom", name: "query", description: "Runs SQL.", format }]);
    expect(inputOf(stand.server.request(1)).at(-1)).toEqual({ type: "custom_tool_call_output", call_id: "call_1", output: "1" });
  });
});

it("a custom tool's failure, and one that is not there, are outputs of their type", async () => {
  const call = (name: string, callId: string) => ({ type: "custom_tool_call", id: `ctc_${callId}`, call_id: callId, name, input: "x" });
  await using stand = await serve([reply.items([call("bad", "call_1"), call("nowhere", "call_2")]), reply.text("Sorry.")]);
  const bad = customTool({
    name: "bad",
    description: "Fails.",
    effect: "read",
    execute: () => {
      throw new Error("private");
    },
  });
  const { events } = await ends(collect(new Agent({ model: "test", client: stand.client, tools: [bad] }), "Go."));
  const outputs = inputOf(stand.server.request(1)).slice(-2);
  expect(outputs.map(({ type }) => type)).toEqual(["custom_tool_call_output", "custom_tool_call_output"]);
  expect(JSON.stringify(outputs)).not.toContain("private");
  expect(events.filter(({ type }) => type === "tool-outcome")).toHaveLength(2);
});

it("what a provider does not take is refused before it is sent", async () => {
  await using stand = await serve([]);
  const agent = new Agent({ model: "test", client: stand.client, provider: "ollama", tools: [server] });
  expect(await failureOf(agent.run("Go."))).toMatchObject({ code: "MODEL_UNSUPPORTED" });
});
