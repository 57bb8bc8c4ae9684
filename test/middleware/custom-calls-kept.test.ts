import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, defineMiddleware, type Item, type Model } from "@toolwright/core";
import { cache, compact, redact, replay } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approvalRequest, hostedCall, hostedServer, textCall, textTool } from "../support/custom-calls.js";
import { inputOf, localItems, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { failureOf, runIn, ways } from "../support/ways.js";

const email = "ann@example.com";

describe("redact", () => {
  it.each(ways)("gives a custom tool the values, and the model its own words back: %s", async (way) => {
    const plain = "mail of <EMAIL_1>";
    const json = '{"to": "<EMAIL_1>"}';
    await using stand = await serve([
      reply.items([textCall("query", "call_1", plain), textCall("query", "call_2", json)]),
      reply.text("Sent to <EMAIL_1>."),
    ]);
    const got: string[] = [];
    const query = textTool("query", (input) => (got.push(input), `found ${email}`));
    const agent = new Agent({ model: "test", client: stand.client, tools: [query], middleware: [redact()] });
    const result = await runIn(way, agent, `Write to ${email}.`);
    expect(got).toEqual([`mail of ${email}`, `{"to": "${email}"}`]);
    const [, first, second, output] = inputOf(stand.server.request(1));
    expect([first?.["input"], second?.["input"]]).toEqual([plain, json]);
    expect(output).toMatchObject({ type: "custom_tool_call_output", output: "found <EMAIL_1>" });
    expect(stand.server.requests.map(({ text }) => text).join()).not.toContain(email);
    expect(JSON.stringify(result.items)).not.toContain("<EMAIL");
  });

  it("keeps the text of a custom call JSON where it was, whatever stands in the values", async () => {
    const secret = 'a"b';
    await using stand = await serve([reply.items([textCall("query", "call_1", '{"to": "<WORD_1>"}')]), reply.text("Done.")]);
    const got: unknown[] = [];
    const query = textTool("query", (input) => got.push(JSON.parse(input)));
    const agent = new Agent({ model: "test", client: stand.client, tools: [query], middleware: [redact({ words: [secret] })] });
    await agent.run(`Look for ${secret}.`);
    expect(got).toEqual([{ to: secret }]);
  });

  it("shows the values to the person who is asked about a hosted call, and sends none", async () => {
    await using stand = await serve([reply.items([approvalRequest("mcpr_1", { path: "<EMAIL_1>" })]), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [hostedServer], middleware: [redact()] });
    const paused = await agent.run(`Delete ${email}.`);
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(paused.interruptions).toMatchObject([{ callId: "mcpr_1", arguments: { path: email } }]);
    await agent.resume(JSON.stringify(paused.state), { decisions: [{ callId: "mcpr_1", approve: true }] });
    const [, request, answer] = inputOf(stand.server.request(1));
    expect(request).toMatchObject({ type: "mcp_approval_request", arguments: '{"path":"<EMAIL_1>"}' });
    expect(answer).toEqual({ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true });
    expect(stand.server.requests.map(({ text }) => text).join()).not.toContain(email);
  });
});

describe("replies that are given again", () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "custom "))));
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const nobody: Model = { name: "test", respond: () => Promise.reject(new Error("The model was asked.")) };

  it("replay plays a custom tool's calls, under call ids of their own", async () => {
    const file = join(folder, "runs.jsonl");
    await using stand = await serve([reply.items([textCall("query", "call_1", "a")]), reply.text("Done.")]);
    let ran = 0;
    const tools = [textTool("query", () => (ran += 1))];
    await new Agent({ model: "test", client: stand.client, tools, middleware: [replay({ file })] }).run("Go.");
    const result = await new Agent({ model: nobody, tools, middleware: [replay({ file, mode: "replay" })] }).run("Go.");
    expect(result).toMatchObject({ output: "Done.", usage: { requests: 0 } });
    expect(ran).toBe(1);
    const [, call, output] = result.items;
    expect(call).toMatchObject({ type: "custom_tool_call", call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/) });
    expect(call).not.toHaveProperty("id");
    expect(output).toMatchObject({ type: "custom_tool_call_output", call_id: call?.["call_id"], output: "1" });
  });

  it("cache keeps replies with a custom tool's calls, and the same one twice has two call ids", async () => {
    await using stand = await serve([
      reply.items([textCall("query", "call_1", "a")]),
      reply.text("Done."),
      reply.text("The second run asked for it."),
    ]);
    const query = textTool("query", () => "found");
    const agent = new Agent({ model: "test", client: stand.client, tools: [query], middleware: [cache({ model: true })] });
    const first = await agent.run("Go.");
    const second = await agent.run("Go.");
    expect(second).toMatchObject({ output: "Done.", usage: { requests: 0 } });
    expect(second.items[1]?.["call_id"]).not.toBe(first.items[1]?.["call_id"]);
  });

  it("neither keeps a hosted call that waits for approval: the run goes on, and what is played says why it ends", async () => {
    const file = join(folder, "runs.jsonl");
    const script = [reply.calls(callOf("look", "call_1", 1)), reply.items([approvalRequest("mcpr_1")]), reply.text("Deleted.")];
    await using stand = await serve([...script, ...script.slice(1)]);
    const tools = [hostedServer, numberTool("look", () => "seen")];
    const agentOn = (mode: "auto" | "replay") =>
      new Agent({ model: "test", client: stand.client, tools, middleware: [cache({ model: true }), replay({ file, mode })] });
    const paused = await agentOn("auto").run("Delete it.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const resumed = agentOn("auto").resume(paused.state, { decisions: [{ callId: "mcpr_1", approve: true }] });
    expect(await resumed).toMatchObject({ output: "Deleted." });
    expect(await readFile(file, "utf8")).not.toContain("mcp_approval_request");
    const error = await failureOf(agentOn("replay").run("Delete it."));
    expect(error).toMatchObject({
      code: "RUN_REPLAY",
      message: expect.stringMatching(/step 1 holds a hosted call that waits for approval/),
    });
  });

  it("a middleware of one's own that gives such a reply is told so", async () => {
    await using stand = await serve([]);
    const output = [approvalRequest("mcpr_old") as Item];
    const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
    const memo = defineMiddleware({ name: "memo", wrapModelCall: async () => ({ id: undefined, output, usage }) });
    const error = await failureOf(new Agent({ model: "test", client: stand.client, tools: [hostedServer], middleware: [memo] }).run("Go."));
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining("waits for approval") });
  });
});

describe("compact", () => {
  /** The history of a run that has paused, its size, and what is asked then: for a summary, and for the answer. */
  async function compacted(query: string, page: string, maxChars: number) {
    const items: readonly Item[] = [
      { type: "message", role: "user", content: "Clean up." },
      textCall("query", "call_1", "select 1"),
      { type: "custom_tool_call_output", call_id: "call_1", output: query },
      approvalRequest("mcpr_1"),
      // A person who writes before deciding.
      { type: "message", role: "user", content: "Wait." },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I wait.", annotations: [] }] },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false, reason: "not that one" },
      hostedCall("mcp_1", page),
    ];
    await using stand = await serve(({ body }) =>
      String(body.instructions).startsWith("You keep the notes") ? reply.text("Notes.") : reply.text("Done."),
    );
    const agent = new Agent({ model: "test", client: stand.client, middleware: [compact({ maxChars, keepSteps: 2 })] });
    const result = await agent.run("And now?", { history: { kind: "local", items } });
    expect(localItems(result.history).slice(0, items.length)).toEqual(items);
    const [summary = [], request = []] = stand.server.requests.map(inputOf);
    return { transcript: String(summary[0]?.["content"]), request };
  }

  it("writes down custom and hosted calls with what came of them", async () => {
    const { transcript } = await compacted(`one row ${"x".repeat(300)}`, `the page ${"x".repeat(300)}`, 600);
    for (const line of ["CALL query(select 1)", "RESULT one row", 'CALL files.delete({"path":"a.txt"})', "RESULT refused not that one"])
      expect(transcript).toContain(line);
  });

  it("parts no such call from its answer", async () => {
    const { request } = await compacted(`one row ${"x".repeat(800)}`, "the page", 1_200);
    const ids = (type: string, key: string): readonly unknown[] => request.filter((item) => item.type === type).map((item) => item[key]);
    expect(ids("mcp_approval_response", "approval_request_id")).toEqual(["mcpr_1"]);
    expect(ids("mcp_approval_request", "id")).toEqual(["mcpr_1"]);
    expect(ids("custom_tool_call", "call_id")).toEqual(ids("custom_tool_call_output", "call_id"));
  });
});
