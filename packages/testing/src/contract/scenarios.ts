import type { Decision, MiddlewareTrait } from "@toolwright/core";
import { reply, type CallSpec, type OutputReply, type Reply } from "../reply.js";

/** What a model, its tools and a person do in one run. */
export interface Scenario {
  readonly name: string;
  /** One reply a request; from then on the model answers. */
  readonly script: readonly Reply[];
  readonly maxSteps?: number;
  /** What a person says at each pause, by call id. */
  readonly decisions?: Readonly<Record<string, Omit<Decision, "callId">>>;
  /** A middleware that says this of itself may rightly give the run another course. */
  readonly unless?: readonly MiddlewareTrait[];
  /** True when calls wait for a person. */
  readonly pauses?: true;
}

/** What a person says that a write came to. */
export const toldOutput = "receipt 7";

/** What every reply of the scenarios costs. */
export const replyUsage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 10, reasoningTokens: 4 };

// Every id is given, so that two runs can be compared as a whole.
const step = (n: number, ...parts: readonly OutputReply[]): OutputReply =>
  reply
    .output(reply.reasoning({ id: `rs_${n}`, encryptedContent: `sealed ${n}`, summary: ["Hm."] }), ...parts)
    .with({ responseId: `resp_${n}`, usage: replyUsage });

/** A reply with calls. */
export const callsOf = (n: number, ...calls: readonly CallSpec[]): OutputReply => step(n, reply.calls(...calls));

/** A reply with an answer. */
export const answerOf = (n: number, text = "That is all."): OutputReply => step(n, reply.text(text, { id: `msg_${n}` }));

/** A call of one of the tools. Its text is its own, so that every output shows which call it belongs to. */
export const call = (tool: string, n: number, supplied: object | string = { text: `thing ${n}` }): CallSpec => ({
  name: tool,
  callId: `call_${n}`,
  id: `fc_${n}`,
  arguments: supplied,
});

const broken = { code: "server_error", message: "Broken." };

/** What every middleware is taken through. */
export const scenarios: readonly Scenario[] = [
  { name: "an answer", script: [answerOf(1)] },
  {
    name: "steps in a row",
    script: [callsOf(1, call("write", 1)), callsOf(2, call("look", 2), call("show", 3)), callsOf(3, call("write", 4)), answerOf(4)],
  },
  {
    name: "parallel calls",
    script: [callsOf(1, call("look_long", 1), call("look", 2), call("write", 3), call("look", 4)), answerOf(2)],
  },
  {
    name: "reads of one tool",
    script: [callsOf(1, call("look", 1), call("look", 2)), callsOf(2, call("look", 3)), answerOf(3)],
  },
  {
    name: "calls that go wrong",
    script: [
      callsOf(1, call("look", 1), call("look", 2, '{"text":'), call("refuse", 3), call("nowhere", 4), call("write", 5), call("break", 6)),
      callsOf(2, call("look", 7, {}), call("look", 8)),
      answerOf(3),
    ],
    unless: ["throws-outcomes"],
  },
  {
    name: "one call told twice, and two calls under one id",
    script: [
      callsOf(1, call("look", 1), { ...call("look", 1), id: "fc_again" }, call("write", 2)),
      callsOf(2, call("write", 3), { ...call("write", 3, { text: "another" }), id: "fc_other" }, call("look", 4)),
      answerOf(3),
    ],
    unless: ["throws-outcomes"],
  },
  {
    name: "a tool that is busy at first",
    script: [callsOf(1, call("look", 1), call("busy", 2)), answerOf(2)],
    unless: ["repeats-tool", "throws-outcomes"],
  },
  {
    name: "approvals, denials and edits",
    script: [callsOf(1, call("ask", 1), call("write", 2), call("ask", 3)), callsOf(2, call("ask", 4)), answerOf(3)],
    decisions: {
      call_1: { approve: true },
      call_3: { approve: false, reason: "Too much." },
      call_4: { approve: true, arguments: { text: "less" } },
    },
    unless: ["throws-outcomes"],
    pauses: true,
  },
  { name: "a pause that nobody decides", script: [callsOf(1, call("look", 1), call("ask", 2))], pauses: true },
  {
    name: "a write of unknown outcome, and an equal one",
    script: [callsOf(1, call("lose", 1, { text: "it" })), callsOf(2, call("lose", 2, { text: "it" }), call("look", 3)), answerOf(3)],
    decisions: { call_2: { resolve: "done", output: toldOutput } },
    unless: ["throws-outcomes"],
    pauses: true,
  },
  {
    name: "items of hosted tools and of unknown types",
    script: [
      step(
        1,
        reply.items([{ type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }]),
        reply.items([{ type: "hologram", id: "holo_1", depth: 3 }]),
        reply.text("Let me look.", { id: "msg_1" }),
        reply.calls(call("look", 1)),
      ),
      answerOf(2),
    ],
  },
  { name: "a refusal", script: [callsOf(1, call("look", 1)), step(2, reply.refusal("No.", { id: "msg_2" }))] },
  { name: "a budget that is used up", script: [callsOf(1, call("write", 1)), callsOf(2, call("write", 2))], maxSteps: 2 },
  {
    name: "a server that fails once",
    script: [callsOf(1, call("write", 1)), reply.http(500), answerOf(2)],
    unless: ["repeats-model"],
  },
  {
    name: "a request that is refused",
    script: [callsOf(1, call("write", 1)), reply.http(400, { code: "invalid_value", message: "No." })],
    unless: ["repeats-model"],
  },
  {
    name: "a response that fails",
    script: [
      callsOf(1, call("write", 1)),
      reply.failed(broken, callsOf(2, call("write", 2))).with({ responseId: "resp_2", usage: replyUsage }),
    ],
    unless: ["repeats-model"],
  },
];
