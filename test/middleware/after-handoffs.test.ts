import { context } from "@opentelemetry/api";
import { Agent, type AgentOptions, handoff, type Middleware, type RunState } from "@toolwright/core";
import {
  cache,
  circuitBreaker,
  fallback,
  logging,
  loopGuard,
  redact,
  toolSelection,
  type ToolSelectionOptions,
  untrusted,
} from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { followContexts, telemetry, traced, tree } from "../support/telemetry.js";
import { callOf, numberTool } from "../support/tools.js";
import { failureOf } from "../support/ways.js";

beforeAll(followContexts);
afterAll(() => context.disable());

type More = Omit<Partial<AgentOptions>, "output">;
const go = (name: string, callId = "call_t") => ({ name, callId, arguments: {} });
const toBilling = reply.calls(go("transfer_to_billing"));

/** A desk that hands over to billing, and billing back; the desk's pipeline holds for both. */
function desk(stand: Stand, middleware: readonly Middleware[], more: { readonly desk?: More; readonly billing?: More } = {}) {
  const back = handoff(() => front as Agent, { name: "back_to_desk" });
  const billing = new Agent({
    name: "billing",
    model: "billing-model",
    client: stand.client,
    ...more.billing,
    tools: [numberTool("refund", () => "refunded", { effect: "write", approval: true }), ...(more.billing?.tools ?? []), back] as never,
  });
  const front: Agent = new Agent({
    name: "desk",
    model: "desk-model",
    client: stand.client,
    ...more.desk,
    tools: [numberTool("greet", () => "hello"), ...(more.desk?.tools ?? []), handoff(billing)] as never,
    middleware,
  });
  return front;
}

describe("toolSelection", () => {
  const offered = (stand: Stand): readonly unknown[] => stand.server.requests.map(({ body }) => (body.tools ?? []).map(({ name }) => name));
  const run = async (options: ToolSelectionOptions, more: Parameters<typeof desk>[2] = {}) => {
    await using stand = await serve([toBilling, reply.calls(go("back_to_desk")), reply.text("Done.")]);
    expect(await desk(stand, [toolSelection(options)], more).run("Go.")).toMatchObject({ output: "Done." });
    return offered(stand);
  };

  it("names the first agent's tools: those that it does not have are offered after a handoff", async () => {
    const first = ["transfer_to_billing"];
    expect(await run({ names: first })).toEqual([first, ["refund", "back_to_desk"], first]);
    // Of tools of one name, what is chosen for the one holds for the other.
    const peek = { tools: [numberTool("peek", () => 1)] };
    expect(await run({ names: first }, { desk: peek, billing: peek })).toEqual([first, ["refund", "back_to_desk"], first]);
  });

  it("goes on so after a pause", async () => {
    await using stand = await serve([toBilling, reply.calls(callOf("refund", "call_r", 1)), reply.text("Done.")]);
    const front = () => desk(stand, [toolSelection({ names: ["transfer_to_billing"] })]);
    const paused = await front().run("Go.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
    const result = await front().resume(state, { decisions: [{ callId: "call_r", approve: true }] });
    expect(result).toMatchObject({ output: "Done." });
    expect(outputsIn(inputOf(stand.server.request(2))).at(-1)).toEqual(["call_r", "refunded"]);
    expect(offered(stand).slice(1)).toEqual([
      ["refund", "back_to_desk"],
      ["refund", "back_to_desk"],
    ]);
  });

  it("lets a function and the search choose among the tools that there are", async () => {
    const select: ToolSelectionOptions["select"] = (_, { run: { agent } }) => [
      agent === "billing" ? "back_to_desk" : "transfer_to_billing",
    ];
    expect(await run({ select })).toEqual([["transfer_to_billing"], ["back_to_desk"], ["transfer_to_billing"]]);

    await using stand = await serve([
      toBilling,
      reply.calls({ name: "search_tools", callId: "call_s", arguments: { query: "desk" } }),
      reply.calls(go("back_to_desk", "call_b")),
      reply.text("Done."),
    ]);
    const search = toolSelection({ names: ["transfer_to_billing"], search: true });
    expect(await desk(stand, [search]).run("Go.")).toMatchObject({ output: "Done.", agent: "desk" });
    expect(offered(stand)).toEqual([
      ["transfer_to_billing", "search_tools"],
      ["search_tools"],
      ["back_to_desk", "search_tools"],
      ["transfer_to_billing", "search_tools"],
    ]);
  });

  it("still refuses a name that the first agent does not have, and a search whose name is taken", async () => {
    await using stand = await serve([toBilling]);
    const misspelt = await failureOf(desk(stand, [toolSelection({ names: ["refund"] })]).run("Go."));
    expect(misspelt).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringContaining('names "refund", which is no tool') });
    const search = toolSelection({ names: ["transfer_to_billing"], search: { name: "refund" } });
    const taken = await failureOf(desk(stand, [search]).run("Go."));
    expect(taken).toMatchObject({ code: "RUN_OPTIONS", message: expect.stringContaining("there is a tool refund already") });
  });
});

it("cache: no handoff is answered from memory, so that the first of two counts", async () => {
  await using stand = await serve([
    reply.calls(go("transfer_to_billing", "call_1"), go("transfer_to_billing", "call_2")),
    reply.calls(go("back_to_desk", "call_3")),
    reply.calls(go("transfer_to_billing", "call_4")),
    reply.text("Done."),
  ]);
  const result = await desk(stand, [cache({ scope: "shared" })]).run("Go.");
  expect(result).toMatchObject({ output: "Done.", agent: "billing" });
  expect(errorIn(outputsIn(result.items)[1]?.[1]).code).toBe("TOOL_SKIPPED");
  expect(result.steps.flatMap(({ calls }) => calls.map(({ attempts }) => attempts))).toEqual([1, 0, 1, 1]);
});

it("loopGuard: another agent's tool of the same name is another call", async () => {
  await using stand = await serve([
    reply.calls(callOf("look", "call_1", 1)),
    reply.calls(callOf("look", "call_2", 1)),
    toBilling,
    reply.calls(callOf("look", "call_3", 1)),
    reply.text("Done."),
  ]);
  const look = numberTool("look", () => "nothing");
  const other = { ...look, "~toolwright.tools": { tools: () => look["~toolwright.tools"].tools().map(renamed) } };
  const result = await desk(stand, [loopGuard()], { desk: { tools: [look] }, billing: { tools: [other] } }).run("Go.");
  expect(outputsIn(result.items).at(-1)).toEqual(["call_3", "nothing"]);
});

/** The same tool, as if another package had it. */
const renamed = <Tool extends { readonly info: { readonly identity: string } }>(tool: Tool): Tool => ({
  ...tool,
  info: { ...tool.info, identity: "@acme/other#Other.look" },
});

it("untrusted: both agents are told of the fence", async () => {
  await using stand = await serve([toBilling, reply.text("Done.")]);
  await desk(stand, [untrusted()], { desk: { instructions: "You greet." }, billing: { instructions: "You do bills." } }).run("Go.");
  const told = stand.server.requests.map(({ body }) => String(body.instructions).split("\n\n"));
  expect(told.map(([own]) => own)).toEqual(["You greet.", "You do bills."]);
  expect(told[0]?.[1]).toContain("<untrusted-data");
  expect(told[1]?.[1]).toBe(told[0]?.[1]);
});

it("redact: hides values from the other agent's model too, under the same placeholders", async () => {
  await using stand = await serve([toBilling, reply.text("Written to <EMAIL_1>.")]);
  const instructions = "Answer to ann@example.com.";
  const result = await desk(stand, [redact()], { billing: { instructions } }).run("I am ann@example.com.");
  expect(result.output).toBe("Written to ann@example.com.");
  expect(stand.server.request(1).body.instructions).toBe("Answer to <EMAIL_1>.");
  expect(stand.server.requests.map(({ text }) => text).join()).not.toContain("ann@example.com");
});

it("tracing and logging: requests are known by the model that was asked", async () => {
  await using to = await telemetry();
  await using stand = await serve([toBilling, reply.text("Done.")]);
  const written: string[] = [];
  const log = logging({ format: "pretty", stream: { write: (line) => void written.push(line) } });
  await desk(stand, [log, traced(to)]).run("Go.");
  const { spans } = await to.flush();
  expect(tree(spans)).toEqual([["invoke_agent desk", "chat desk-model", "execute_tool transfer_to_billing", "chat billing-model"]]);
  expect(written.filter((line) => line.includes("-model")).map((line) => line.split("  ")[1])).toEqual(["desk-model", "billing-model"]);
});

it("circuitBreaker: the other agent's model has a circuit of its own", async () => {
  await using stand = await serve([toBilling, reply.http(500), toBilling, reply.text("Done.")]);
  const breaker = circuitBreaker({ failures: 1, cooldownMs: 60_000 });
  const front = desk(stand, [breaker]);
  expect(await failureOf(front.run("Go."))).toMatchObject({ code: "MODEL_SERVER" });
  // The desk's model is asked all the same.
  expect(await failureOf(front.run("Go."))).toMatchObject({ code: "MODEL_CIRCUIT_OPEN", details: { model: "billing-model" } });
});

it("fallback: the other agent's own model is asked first, whatever model went on before", async () => {
  await using stand = await serve([reply.http(500), toBilling, reply.text("Done.")]);
  await desk(stand, [fallback({ models: ["spare"] })]).run("Go.");
  expect(stand.server.requests.map(({ body }) => body.model)).toEqual(["desk-model", "spare", "billing-model"]);
});
