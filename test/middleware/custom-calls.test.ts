import { Agent, type AgentOptions, type Item, type Middleware, type ToolInfo } from "@toolwright/core";
import {
  afterUntrusted,
  budget,
  cache,
  coerceArguments,
  loopGuard,
  outputGuard,
  toolGuard,
  toolSelection,
} from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approvalRequest, hostedCall, hostedServer, textCall, textTool } from "../support/custom-calls.js";
import { inputOf, serve, type Stand } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";

type More = Omit<Partial<AgentOptions>, "output">;
const agentOf = (stand: Stand, middleware: readonly Middleware[], more: More): Agent =>
  new Agent({ model: "test", client: stand.client, middleware, ...more });

describe("budget", () => {
  it("counts a custom tool's calls in the model's order", async () => {
    await using stand = await serve([
      reply.output(reply.items([textCall("query", "call_1", "a")]), reply.calls(callOf("look", "call_2", 1))),
      reply.text("Done."),
    ]);
    const tools = [textTool("query", () => "found"), numberTool("look", () => "seen")];
    const { steps } = await agentOf(stand, [budget({ toolCalls: 1 })], { tools }).run("Go.");
    expect(steps[0]?.calls.map(({ tool, outcome }) => [tool, outcome.kind])).toEqual([
      ["query", "ok"],
      ["look", "skipped"],
    ]);
  });

  it("counts calls that wait for approval in the model's order", async () => {
    await using stand = await serve([
      reply.output(reply.items([approvalRequest("mcpr_1")]), reply.calls(callOf("look", "call_2", 1))),
      reply.text("Done."),
    ]);
    const agent = agentOf(stand, [budget({ toolCalls: 1 })], { tools: [hostedServer, numberTool("look", () => "seen")] });
    const paused = await agent.run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const { steps } = await agent.resume(JSON.stringify(paused.state), { decisions: [{ callId: "mcpr_1", approve: true }] });
    expect(steps[0]?.calls.map(({ tool, outcome }) => [tool, outcome.kind])).toEqual([
      ["files.delete", "ok"],
      ["look", "skipped"],
    ]);
  });
});

describe("cache", () => {
  const looking = (callId: string) => reply.calls(callOf("look", callId, 1));
  /** How often `look` runs, whose first call is followed by this reply with another one. */
  async function looks(second: readonly object[], tools: AgentOptions["tools"] = []): Promise<number> {
    await using stand = await serve([looking("call_1"), reply.output(reply.items(second), looking("call_2")), reply.text("Done.")]);
    let count = 0;
    const look = numberTool("look", () => (count += 1));
    await agentOf(stand, [cache()], { tools: [look, ...tools] }).run("Go.");
    return count;
  }

  it("reads anew beside a custom tool that writes, and not beside one that reads", async () => {
    expect(await looks([textCall("query", "call_3", "a")], [textTool("query", () => "found")])).toBe(1);
    expect(await looks([textCall("change", "call_3", "a")], [textTool("change", () => "done", { effect: "write" })])).toBe(2);
  });

  it("reads anew after a call that the provider has made, and beside one that waits for approval", async () => {
    expect(await looks([hostedCall("mcp_1", "deleted")])).toBe(2);
    expect(await looks([approvalRequest("mcpr_1")], [hostedServer])).toBe(2);
  });
});

it("outputGuard does not take a reply with such a call for an answer", async () => {
  await using stand = await serve([
    reply.output(reply.text("It may be 5 €."), reply.items([textCall("query", "call_1", "price")])),
    reply.output(reply.text("I will look for 5 €."), reply.items([approvalRequest("mcpr_1")])),
    reply.text("It is free."),
  ]);
  const looked: string[] = [];
  const guard = outputGuard({ check: (text) => (looked.push(text), text.includes("€") ? { block: "no prices." } : { pass: true }) });
  const agent = agentOf(stand, [guard], { tools: [hostedServer, textTool("query", () => "free")] });
  const paused = await agent.run("How much?");
  if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
  const result = await agent.resume(paused.state, { decisions: [{ callId: "mcpr_1", approve: false }] });
  expect(result).toMatchObject({ output: "It is free." });
  expect(looked).toEqual(["It is free."]);
});

describe("outputs that were seen", () => {
  async function seenOf(
    items: readonly Item[],
    first: readonly object[] = [],
  ): Promise<readonly (readonly [string | undefined, number])[]> {
    await using stand = await serve([
      reply.output(reply.items(first), reply.items([textCall("query", "call_q", "a")])),
      reply.calls(callOf("look", "call_l", 1)),
      reply.text("Done."),
    ]);
    const seen: (readonly [string | undefined, number])[] = [];
    const guard = toolGuard({
      check(call, context) {
        if (call.name === "look") seen.push(...context.seen.map(({ tool, step }) => [tool, step] as const));
        return { pass: true };
      },
    });
    const tools = [textTool("query", () => "found"), numberTool("look", () => "seen")];
    await agentOf(stand, [guard], { tools }).run("Go.", { history: { kind: "local", items } });
    return seen;
  }

  it("are known by the custom tool's own name, in the run and in the history before it", async () => {
    const output = { type: "custom_tool_call_output", call_id: "call_0", output: "old" };
    expect(await seenOf([])).toEqual([["query", 1]]);
    expect(await seenOf([textCall("old_query", "call_0", "b"), output])).toEqual([
      ["old_query", 0],
      ["query", 1],
    ]);
  });

  it("are known by server and tool when the provider made the call", async () => {
    expect(await seenOf([hostedCall("mcp_0", "old")], [hostedCall("mcp_1", "new")])).toEqual([
      ["files.read", 0],
      ["query", 1],
    ]);
    expect(await seenOf([], [hostedCall("mcp_1", "new")])).toEqual([
      ["files.read", 0],
      ["query", 1],
    ]);
  });

  it("of an own custom tool that is trusted block nothing", async () => {
    await using stand = await serve([
      reply.items([textCall("query", "call_1", "a")]),
      reply.items([textCall("post", "call_2", "b")]),
      reply.text("Done."),
    ]);
    const posted: string[] = [];
    const tools = [textTool("query", () => "found"), textTool("post", (input) => posted.push(input))];
    await agentOf(stand, [afterUntrusted({ tools: ["post"], trusted: ["query"] })], { tools }).run("Go.");
    expect(posted).toEqual(["b"]);
  });
});

it("coerceArguments leaves a custom tool's text and a hosted call's arguments alone", async () => {
  const items = [textCall("query", "call_1", '"{\\"input\\": 5}"'), approvalRequest("mcpr_1", { path: "5" })];
  await using stand = await serve([reply.items(items)]);
  const got: string[] = [];
  const tools = [hostedServer, textTool("query", (input) => got.push(input))];
  const { interruptions } = await agentOf(stand, [coerceArguments()], { tools }).run("Go.");
  expect(got).toEqual(['"{\\"input\\": 5}"']);
  expect(interruptions).toMatchObject([{ callId: "mcpr_1", arguments: { path: "5" } }]);
});

describe("loopGuard", () => {
  it("counts a custom tool's calls", async () => {
    const again = (n: number) => reply.items([textCall("query", `call_${n}`, "same")]);
    await using stand = await serve([again(1), again(2), again(3), again(4)]);
    const run = agentOf(stand, [loopGuard({ onLoop: "stop" })], { tools: [textTool("query", () => "nothing")] }).run("Go.");
    expect(await run).toMatchObject({ stopReason: "budget" });
    expect(String(inputOf(stand.server.request(3)).at(-1)?.["output"])).toContain("You have made this very call 3 times");
  });

  it("leaves calls alone that a person lets the provider make: their outcome is not known here", async () => {
    const asks = [1, 2, 3, 4, 5].map((n) => reply.items([approvalRequest(`mcpr_${n}`)]));
    await using stand = await serve([...asks, reply.text("Done.")]);
    const agent = agentOf(stand, [loopGuard()], { tools: [hostedServer] });
    let result = await ends(agent.run("Go."));
    for (let n = 1; n <= 5 && result.stopReason === "interrupted"; n += 1)
      result = await ends(agent.resume(result.state, { decisions: [{ callId: `mcpr_${n}`, approve: true }] }));
    expect(result).toMatchObject({ output: "Done." });
  });
});

describe("toolSelection", () => {
  const tools = [textTool("query", () => "found", { tags: ["data"] }), textTool("post", () => "posted"), numberTool("look", () => 1)];
  const namesIn = (stand: Stand, request: number): readonly unknown[] =>
    (stand.server.request(request).body.tools ?? []).map((each) => each.name ?? each.type);

  it("offers the custom tools that are chosen, and no others", async () => {
    await using stand = await serve([
      reply.items([textCall("query", "call_1", "a"), textCall("post", "call_2", "b")]),
      reply.text("Done."),
    ]);
    const { steps } = await agentOf(stand, [toolSelection({ tags: ["data"] })], { tools }).run("Go.");
    expect(namesIn(stand, 0)).toEqual(["query"]);
    expect(steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "invalid"]);
  });

  it("offers a custom tool that the choice names, and defers the others", async () => {
    await using stand = await serve([reply.text("Done."), reply.text("Done.")]);
    const settings = { tool_choice: { type: "custom", name: "post" } };
    await agentOf(stand, [toolSelection({ tags: ["data"] })], { tools, settings }).run("Go.");
    expect(namesIn(stand, 0)).toEqual(["query", "post"]);
    await agentOf(stand, [toolSelection({ names: ["look"], deferred: true })], { tools }).run("Go.");
    const sent = stand.server.request(1).body.tools as readonly { readonly name?: string; readonly defer_loading?: boolean }[];
    expect(sent.map(({ name, defer_loading }) => [name, defer_loading === true])).toEqual([
      ["query", true],
      ["post", true],
      ["look", false],
      [undefined, false],
    ]);
  });

  it("does not stand in the way of a hosted call that waits for approval", async () => {
    await using stand = await serve([reply.items([approvalRequest("mcpr_1")])]);
    const selection = toolSelection({ select: (_, { run }) => run.tools.map(({ name }: ToolInfo) => name) });
    const result = await agentOf(stand, [selection], { tools: [hostedServer, ...tools] }).run("Go.");
    expect(result.interruptions).toMatchObject([{ callId: "mcpr_1", tool: "files.delete" }]);
  });
});
