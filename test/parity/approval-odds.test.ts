import { Agent, defineTool, type ToolContext } from "@toolwright/core";
import { approval, toolErrors, toolGuard } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, untilAborted } from "../support/wait.js";
import { failureOf } from "../support/ways.js";
import { paused } from "./support.js";

const server = (label: string) =>
  ({ type: "mcp", server_label: label, server_url: "http://127.0.0.1:1/mcp", require_approval: "always" }) as const;
const request = (id: string, label: string, args = "{}") => ({
  type: "mcp_approval_request",
  id,
  server_label: label,
  name: "delete",
  arguments: args,
});

describe("requests of hosted servers", () => {
  it("of one name on two servers are two questions, and a yes to one is none to the other", async () => {
    await using stand = await serve([
      reply.items([request("mcpr_1", "mine"), request("mcpr_2", "yours")]),
      reply.items([request("mcpr_3", "mine")]),
      reply.text("Done."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [server("mine"), server("yours")] });
    const first = await paused(agent.run("Delete."));
    expect(first.interruptions.map(({ tool }) => tool)).toEqual(["mine.delete", "yours.delete"]);
    const half = await paused(agent.resume(JSON.stringify(first.state), { decisions: [{ callId: "mcpr_1", approve: true }] }));
    expect(half.interruptions.map(({ callId }) => callId)).toEqual(["mcpr_2"]);
    const again = await paused(agent.resume(JSON.stringify(half.state), { decisions: [{ callId: "mcpr_2", approve: false }] }));
    expect(again.interruptions.map(({ callId }) => callId)).toEqual(["mcpr_3"]);
    await ends(agent.resume(JSON.stringify(again.state), { decisions: [{ callId: "mcpr_3", approve: true }] }));
    const answers = inputOf(stand.server.request(2)).filter(({ type }) => type === "mcp_approval_response");
    expect(answers).toMatchObject([
      { approval_request_id: "mcpr_1", approve: true },
      { approval_request_id: "mcpr_2", approve: false },
      { approval_request_id: "mcpr_3", approve: true },
    ]);
  });

  it("whose arguments nobody can read are refused without asking", async () => {
    await using stand = await serve([reply.items([request("mcpr_1", "mine", "{path:")]), reply.text("Well.")]);
    await ends(new Agent({ model: "test", client: stand.client, tools: [server("mine")] }).run("Delete."));
    expect(inputOf(stand.server.request(1)).at(-1)).toMatchObject({
      type: "mcp_approval_response",
      approval_request_id: "mcpr_1",
      approve: false,
    });
  });
});

it("a tool that is called like a part of a prototype is asked about by its name, and others are not", async () => {
  await using stand = await serve([reply.calls(callOf("constructor", "call_1", 1), callOf("look", "call_2", 1))]);
  const agent = new Agent({
    model: "test",
    client: stand.client,
    tools: [numberTool("constructor", () => 1), numberTool("look", () => 1)],
    middleware: [approval({ tools: ["constructor"] })],
  });
  expect((await paused(agent.run("Go."))).interruptions.map(({ callId }) => callId)).toEqual(["call_1"]);
});

it("what the model reads of a refusal can be the application's own words", async () => {
  await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("Done.")]);
  const agent = new Agent({
    model: "test",
    client: stand.client,
    tools: [numberTool("pay", () => 1, { effect: "write", approval: true })],
    middleware: [toolErrors({ format: (outcome, { name }) => (outcome.kind === "denied" ? `Nobody lets you ${name}.` : undefined) })],
  });
  const { state } = await paused(agent.run("Go."));
  await ends(agent.resume(state, { decisions: [{ callId: "call_1", approve: false }] }));
  expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", "Nobody lets you pay."]]);
});

it("an approved tool works under the signal of the resumed run; what an approved call beside it has done is kept", async () => {
  await using stand = await serve([reply.calls(callOf("pay", "call_1", 1), callOf("hang", "call_2", 1))]);
  const controller = new AbortController();
  const options = { effect: "write", approval: true, resource: "thing:{n}" } as const;
  const pay = numberTool("pay", () => "paid", { ...options, resource: "payment:{n}" });
  const hang = numberTool(
    "hang",
    (_, { signal }: ToolContext) => (setTimeout(() => controller.abort(), 20), untilAborted(signal)),
    options,
  );
  const agent = new Agent({ model: "test", client: stand.client, tools: [pay, hang] });
  const { state } = await paused(agent.run("Go."));
  const decisions = ["call_1", "call_2"].map((callId) => ({ callId, approve: true }) as const);
  const error = await ends(failureOf(agent.resume(state, { decisions, signal: controller.signal })));
  expect(error).toMatchObject({ code: "RUN_ABORTED", result: { unknownCalls: [{ callId: "call_2" }] } });
  expect(error.result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "unknown"]);
});

it("what a predicate does to its arguments changes neither what is shown nor what runs", async () => {
  await using stand = await serve([reply.calls({ callId: "call_1", name: "pay", arguments: { to: ["Ada"] } }), reply.text("Done.")]);
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    effect: "write",
    parameters: z.object({ to: z.array(z.string()) }),
    approval: ({ to }) => to.push("Mallory") > 0,
    execute: ({ to }) => paid.push(to),
  });
  const agent = new Agent({ model: "test", client: stand.client, tools: [pay] });
  const { interruptions, state } = await paused(agent.run("Go."));
  expect(interruptions[0]?.arguments).toEqual({ to: ["Ada"] });
  await ends(agent.resume(state, { decisions: [{ callId: "call_1", approve: true }] }));
  expect(paid).toEqual([["Ada"]]);
});

describe("guards and approvals", () => {
  const tools = () => [numberTool("pay", (n) => `paid ${n}`, { effect: "write", approval: true, resource: "payment:{n}" })];

  it("nobody is asked about a call that a guard has blocked", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 500), callOf("pay", "call_2", 5))]);
    const guard = toolGuard({ check: ({ arguments: { n } }) => (Number(n) > 100 ? { block: "too much." } : { pass: true }) });
    const { interruptions } = await paused(
      new Agent({ model: "test", client: stand.client, tools: tools(), middleware: [guard] }).run("Go."),
    );
    expect(interruptions.map(({ callId }) => callId)).toEqual(["call_2"]);
  });

  it("a guard looks again at a call that was approved, and may still block it", async () => {
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 5)), reply.text("Done.")]);
    let open = true;
    const guard = toolGuard({ check: () => (open ? { pass: true } : { block: "closed." }) });
    const agent = new Agent({ model: "test", client: stand.client, tools: tools(), middleware: [guard] });
    const { state } = await paused(agent.run("Go."));
    open = false;
    await ends(agent.resume(state, { decisions: [{ callId: "call_1", approve: true }] }));
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", expect.stringContaining("closed.")]]);
  });
});
