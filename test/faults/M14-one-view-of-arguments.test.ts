import { Agent, defineMiddleware, defineTool, type Middleware } from "@toolwright/core";
import { approval, budget, coerceArguments, logging, toolGuard } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { resumeIn, runIn, ways } from "../support/ways.js";

const parameters = {
  type: "object",
  properties: {
    to: { type: "string" },
    cc: { type: "string" },
    copies: { type: "integer" },
    options: { type: "object", properties: { urgent: { type: "boolean" }, note: { type: "string" } } },
  },
  required: ["to"],
} as const;

// As a strict schema has the model write it: what is absent is null.
const written = { options: { note: null, urgent: true }, copies: null, cc: null, to: "ann" };
const normalised = { to: "ann", options: { urgent: true } };

/** Everyone who looks at arguments on their way, and what each saw. */
function watched() {
  const seen = new Map<string, unknown>();
  const see = (who: string, value: unknown): void => void (seen.has(who) || seen.set(who, value));
  const looks = (name: string): Middleware =>
    defineMiddleware({
      name,
      wrapToolCall: (call, next) => (see(name, call.arguments), see(`${name}, raw`, call.rawArguments), next(call)),
    });
  const send = defineTool({
    name: "send",
    description: "Sends a letter.",
    effect: "write",
    parameters,
    approval: (args) => (see("the tool's predicate", args), false),
    execute: (args) => (see("the tool", args), "sent"),
  });
  const lines: string[] = [];
  const middleware = [
    looks("outermost"),
    logging({ content: true, format: "json", level: "debug", stream: { write: (line: string) => void lines.push(line) } }),
    budget({ toolCalls: 10 }),
    toolGuard({ check: (call) => (see("the guard", call.arguments), { pass: true }) }),
    approval({ when: (call) => (see("the approval", call.arguments), call.arguments["cc"] !== undefined) }),
    looks("innermost"),
  ];
  return { seen, send, middleware, lines };
}

describe.each(ways)("M14: everyone sees the arguments that the tool gets (%s)", (way) => {
  it("checked and normalised, with what is absent absent; the text is beside it", async () => {
    const text = JSON.stringify(written);
    await using stand = await serve([reply.calls({ name: "send", callId: "call_1", arguments: text }), reply.text("Sent.")]);
    const { seen, send, middleware, lines } = watched();
    const agent = new Agent({ model: "test", client: stand.client, tools: [send], middleware });
    const result = await ends(runIn(way, agent, "Write to ann."));
    // `cc !== undefined` is not true for a null: nobody had to be asked.
    expect(result.stopReason).toBe("completed");
    expect(Object.fromEntries(seen)).toEqual({
      outermost: normalised,
      "outermost, raw": text,
      "the guard": normalised,
      "the approval": normalised,
      innermost: normalised,
      "innermost, raw": text,
      "the tool's predicate": normalised,
      "the tool": normalised,
    });
    // Nobody along the way has a copy of their own.
    expect(new Set(["outermost", "the guard", "the approval", "innermost"].map((who) => seen.get(who))).size).toBe(1);
    expect(Object.keys(seen.get("the tool") as object)).not.toContain("cc");
    const logged = lines.map((line) => JSON.parse(line) as { readonly arguments?: string }).find((line) => line.arguments !== undefined);
    expect(JSON.parse(logged?.arguments ?? "")).toEqual(normalised);
    expect(result.steps[0]?.calls[0]?.arguments).toEqual(normalised);
  });

  it("what a person is shown, and says yes to, is that too", async () => {
    const args = { ...written, cc: "bob" };
    await using stand = await serve([reply.calls({ name: "send", callId: "call_1", arguments: args }), reply.text("Sent.")]);
    const { seen, send, middleware } = watched();
    const agent = new Agent({ model: "test", client: stand.client, tools: [send], middleware });
    const paused = await pause(ends(runIn(way, agent, "Write to ann.")));
    expect(paused.interruptions[0]?.arguments).toEqual({ ...normalised, cc: "bob" });
    await ends(resumeIn(way, agent, paused.state, { decisions: approve("call_1") }));
    expect(seen.get("the tool")).toEqual({ ...normalised, cc: "bob" });
  });

  it("what a lesser server wrote as text is a number for all of them", async () => {
    const args = { to: "ann", copies: "3", cc: null, options: null };
    await using stand = await serve([reply.calls({ name: "send", callId: "call_1", arguments: args }), reply.text("Sent.")]);
    const { seen, send, middleware } = watched();
    const agent = new Agent({ model: "test", client: stand.client, tools: [send], middleware: [coerceArguments(), ...middleware] });
    await ends(runIn(way, agent, "Three to ann."));
    for (const who of ["outermost", "the guard", "the approval", "innermost", "the tool's predicate", "the tool"])
      expect(seen.get(who), who).toEqual({ to: "ann", copies: 3 });
  });

  it("what does not fit is nobody's to decide: it has issues and no arguments, and nobody is asked", async () => {
    await using stand = await serve([reply.calls({ name: "send", callId: "call_1", arguments: { to: 5 } }), reply.text("Sorry.")]);
    const { seen, send, middleware } = watched();
    const agent = new Agent({ model: "test", client: stand.client, tools: [send], middleware });
    const result = await ends(runIn(way, agent, "Write."));
    expect(result.steps[0]?.calls[0]).toMatchObject({ arguments: undefined, outcome: { kind: "invalid" } });
    expect(seen.get("outermost")).toEqual({});
    for (const who of ["the guard", "the approval", "the tool's predicate", "the tool"]) expect(seen.has(who), who).toBe(false);
  });
});
