import { Agent, type AgentOptions, defineMiddleware, defineTool, type JsonObject } from "@toolwright/core";
import { approval } from "@toolwright/core/middleware";
import { reply, type Script } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause, stored } from "../support/pausing.js";
import { payCall } from "../support/payments.js";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

/** A payment that waits for a person, and `call_id to amount` of each that was made. */
function recorded() {
  const paid: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    effect: "write",
    approval: true,
    resource: "account:{to}",
    parameters: { type: "object", properties: { to: { type: "string" }, amount: { type: "integer" } }, required: ["to", "amount"] },
    execute: ({ to, amount }, { callId }) => (paid.push(`${callId} ${String(to)} ${String(amount)}`), "paid"),
  });
  return { pay, paid };
}

async function scene(script: Script, options: Omit<Partial<AgentOptions<unknown>>, "output"> = {}) {
  const stand = await serve(script);
  const { pay, paid } = recorded();
  const agent = (more: Omit<Partial<AgentOptions<unknown>>, "output"> = {}): Agent =>
    new Agent({ model: "test", client: stand.client, tools: [pay], ...options, ...more });
  return { stand, agent, paid, [Symbol.asyncDispose]: () => stand.server.close() };
}

describe("M12: an approval is of one call with its arguments", () => {
  const two = () => [reply.calls(payCall("call_1", "a", 1), payCall("call_2", "b", 2)), reply.text("Done.")];

  it("is matched by the call's id, in whatever order the decisions come", async () => {
    await using run = await scene(two());
    const { state } = await pause(ends(run.agent().run("Pay.")));
    const decisions = [
      { callId: "call_2", approve: true },
      { callId: "call_1", approve: false },
    ] as const;
    await ends(run.agent().resume(JSON.stringify(state), { decisions }));
    expect(run.paid).toEqual(["call_2 b 2"]);
  });

  it("of one call is none of a later call under the same id", async () => {
    const again = [reply.calls(payCall("call_1", "a", 1)), reply.calls({ ...payCall("call_1", "b", 2), id: "fc_2" }), reply.text("Done.")];
    await using run = await scene(again);
    const first = await pause(ends(run.agent().run("Pay.")));
    const second = await pause(ends(run.agent().resume(first.state, { decisions: approve("call_1") })));
    expect(second.interruptions).toMatchObject([{ callId: "call_1", arguments: { to: "b", amount: 2 } }]);
    expect(run.paid).toEqual(["call_1 a 1"]);
    // The first state says nothing about the second call.
    expect(await failureOf(run.agent().resume(first.state, { decisions: approve("call_1") }))).toMatchObject({ code: "RUN_STATE" });
    await ends(run.agent().resume(second.state, { decisions: approve("call_1") }));
    expect(run.paid).toEqual(["call_1 a 1", "call_1 b 2"]);
  });

  it("does not hold when the stored arguments are other ones: {to: a} was approved, {to: b} never runs", async () => {
    await using run = await scene(two());
    const { state } = await pause(ends(run.agent().run("Pay.")));
    const edited = stored(state);
    Object.assign(edited.calls[0] ?? {}, { arguments: { to: "b", amount: 1 } });
    expect(await failureOf(run.agent().resume(JSON.stringify(edited), { decisions: approve("call_1", "call_2") }))).toMatchObject({
      code: "RUN_STATE",
    });
    expect(run.paid).toEqual([]);
  });
});

describe("M12: what is shown is what runs", () => {
  const one = () => [reply.calls(payCall("call_1", "a", 70)), reply.text("Done.")];
  const ceiling = (most: () => number) =>
    defineMiddleware({
      name: "ceiling",
      traits: ["changes-arguments"],
      wrapToolCall: (call, next) =>
        next({ ...call, arguments: { ...call.arguments, amount: Math.min(most(), Number(call.arguments["amount"])) } }),
    });

  it.each([
    ["a flag of the tool", []],
    ["the approval middleware", [approval({ tools: ["pay"] })]],
  ])("a person sees what a layer has made of the arguments: %s", async (_, asks) => {
    await using run = await scene(one(), { middleware: [ceiling(() => 50), ...asks] });
    const paused = await pause(ends(run.agent().run("Pay.")));
    expect(paused.interruptions).toMatchObject([{ arguments: { to: "a", amount: 50 } }]);
    const result = await ends(run.agent().resume(JSON.stringify(paused.state), { decisions: approve("call_1") }));
    expect(run.paid).toEqual(["call_1 a 50"]);
    expect(result.steps[0]?.calls[0]?.arguments).toEqual({ to: "a", amount: 50 });
  });

  it("a layer that makes something else of them by then has the person asked again", async () => {
    let most = 50;
    await using run = await scene(one(), { middleware: [ceiling(() => most)] });
    const first = await pause(ends(run.agent().run("Pay.")));
    most = 60;
    const second = await pause(ends(run.agent().resume(JSON.stringify(first.state), { decisions: approve("call_1") })));
    expect(second.interruptions).toMatchObject([{ callId: "call_1", arguments: { amount: 60 } }]);
    expect(run.paid).toEqual([]);
    await ends(run.agent().resume(JSON.stringify(second.state), { decisions: approve("call_1") }));
    expect(run.paid).toEqual(["call_1 a 60"]);
  });

  it("a layer that changes what a person wrote has them asked about that", async () => {
    await using run = await scene(one(), { middleware: [ceiling(() => 50)] });
    const first = await pause(ends(run.agent().run("Pay.")));
    const decisions = [{ callId: "call_1", approve: true, arguments: { to: "a", amount: 900 } }] as const;
    const second = await pause(ends(run.agent().resume(first.state, { decisions })));
    expect(second.interruptions).toMatchObject([{ arguments: { to: "a", amount: 50 } }]);
    expect(run.paid).toEqual([]);
    // Nobody's yes is left in it.
    expect((await pause(ends(run.agent().resume(JSON.stringify(second.state))))).interruptions).toEqual(second.interruptions);
    await ends(run.agent().resume(JSON.stringify(second.state), { decisions: approve("call_1") }));
    expect(run.paid).toEqual(["call_1 a 50"]);
  });

  it("an approver outside of a layer that changes arguments is refused at construction", () => {
    const make = (): unknown => new Agent({ model: "test", middleware: [approval(), ceiling(() => 50)] });
    expect(make).toThrow(/approval.*ceiling|ceiling.*approval/s);
  });

  it("an edit that says what was shown is the call as it is", async () => {
    await using run = await scene(one());
    const paused = await pause(ends(run.agent().run("Pay.")));
    const shown = paused.interruptions[0]?.arguments as JsonObject;
    await ends(run.agent().resume(paused.state, { decisions: [{ callId: "call_1", approve: true, arguments: shown }] }));
    expect(run.paid).toEqual(["call_1 a 70"]);
  });
});

describe("M12: edited arguments are checked", () => {
  it("an invalid edit is refused before anything runs, and the call waits still", async () => {
    await using run = await scene([reply.calls(payCall("call_1", "a", 1), payCall("call_2", "b", 2)), reply.text("Done.")]);
    const { state } = await pause(ends(run.agent().run("Pay.")));
    const decisions = [{ callId: "call_1", approve: true, arguments: { to: "a", amount: "1" } }, ...approve("call_2")];
    const error = await failureOf(run.agent().resume(state, { decisions }));
    expect(error.message).toContain("The edited arguments of call_1 do not fit: amount: expected integer, received string");
    expect(run.paid).toEqual([]);
    await ends(run.agent().resume(state, { decisions: approve("call_1", "call_2") }));
    expect(run.paid).toEqual(["call_1 a 1", "call_2 b 2"]);
  });

  it("an edit of what a resource names moves the call to that lane", async () => {
    await using run = await scene([reply.calls(payCall("call_1", "a", 1), payCall("call_2", "b", 2)), reply.text("Done.")]);
    const { state } = await pause(ends(run.agent().run("Pay.")));
    // Behind call_2 now, which nobody has decided: it waits there, and the decision about it is kept.
    const first = [{ callId: "call_2", approve: true, arguments: { to: "a", amount: 2 } }] as const;
    const half = await pause(ends(run.agent().resume(state, { decisions: first })));
    expect(half.interruptions.map(({ callId }) => callId)).toEqual(["call_1"]);
    expect(run.paid).toEqual([]);
    await ends(run.agent().resume(JSON.stringify(half.state), { decisions: approve("call_1") }));
    expect(run.paid).toEqual(["call_1 a 1", "call_2 a 2"]);
  });

  it("a call that its server makes cannot be edited, by a person or by a layer", async () => {
    const request = { type: "mcp_approval_request", id: "mcpr_1", server_label: "files", name: "delete", arguments: '{"path":"a.txt"}' };
    const server = { type: "mcp", server_label: "files", server_url: "https://mcp.example/", require_approval: "always" } as const;
    await using run = await scene([reply.items([request]), reply.text("Deleted.")], { tools: [server] });
    const { state } = await pause(ends(run.agent().run("Delete it.")));
    const edit = [{ callId: "mcpr_1", approve: true, arguments: { path: "b.txt" } }] as const;
    expect(await failureOf(run.agent().resume(state, { decisions: edit }))).toMatchObject({
      code: "RUN_STATE",
      message: expect.stringContaining("cannot be edited"),
    });
    const rewrite = defineMiddleware({ name: "rewrite", wrapToolCall: (call, next) => next({ ...call, arguments: { path: "b.txt" } }) });
    expect(await failureOf(run.agent({ middleware: [rewrite] }).resume(state, { decisions: approve("mcpr_1") }))).toMatchObject({
      code: "RUN_MIDDLEWARE",
      message: expect.stringContaining("files.delete"),
    });
    const same = [{ callId: "mcpr_1", approve: true, arguments: { path: "a.txt" } }] as const;
    expect(await ends(run.agent().resume(state, { decisions: same }))).toMatchObject({ output: "Deleted." });
    expect(inputOf(run.stand.server.request(1)).at(-1)).toEqual({
      type: "mcp_approval_response",
      approval_request_id: "mcpr_1",
      approve: true,
    });
  });
});

it("M12: a refusal is a typed output, and nothing has run", async () => {
  await using run = await scene([reply.calls(payCall("call_1", "a", 1)), reply.text("I see.")]);
  const { state } = await pause(ends(run.agent().run("Pay.")));
  const result = await ends(run.agent().resume(state, { decisions: [{ callId: "call_1", approve: false, reason: "Not to a." }] }));
  expect(result.steps[0]?.calls[0]).toMatchObject({ attempts: 0, outcome: { kind: "denied", reason: "Not to a." } });
  expect(errorIn(outputsIn(inputOf(run.stand.server.request(1)))[0]?.[1])).toMatchObject({ code: "TOOL_DENIED", retryable: false });
  expect(run.paid).toEqual([]);
});
