import { type AgentOptions, content, type Decision, defineMiddleware, type DefinedTool, defineTool, ToolError } from "@toolwright/core";
import { modelRetry, standard, stepBudget, toolErrors, toolRetry, trimOutputs } from "@toolwright/core/middleware";
import { type CallSpec, type OutputReply, reply, type Reply } from "@toolwright/testing";
import { callOf, numberTool } from "../support/tools.js";
import { forever } from "../support/wait.js";

/** What a model, an application and a person do in one run. */
export interface Scenario {
  readonly name: string;
  readonly script: readonly Reply[];
  /** `result.stopReason`, or the code of the error. */
  readonly ends: string;
  readonly requests: number;
  readonly options?: Partial<AgentOptions>;
  /** Aborts when this tool runs. */
  readonly abortAt?: string;
  /** What a person says at each pause, by call id. */
  readonly decisions?: Readonly<Record<string, Omit<Decision, "callId">>>;
}

// Every id is given, so that two runs can be compared as a whole.
const thought = (n: number) => reply.reasoning({ id: `rs_${n}`, encryptedContent: `sealed ${n}`, summary: ["Hm."] });
const text = (n: number, words = "All done.") => reply.text(words, { id: `msg_${n}` });
const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 10, reasoningTokens: 4 };
const step = (n: number, ...parts: readonly OutputReply[]) => reply.output(...parts).with({ responseId: `resp_${n}`, usage });
const calls = (n: number, ...list: readonly CallSpec[]) => step(n, thought(n), reply.calls(...list));
const broken = { code: "server_error", message: "Broken." };
const quick = { minDelayMs: 1, maxDelayMs: 1 } as const;
const police = defineMiddleware({
  name: "police",
  wrapToolCall: async (call, next) => (call.arguments["n"] === 3 ? { kind: "denied", reason: "not this one" } : next(call)),
});
const answerOf = (n: number) => step(n, thought(n), text(n));

/** The table. */
export const scenarios: readonly Scenario[] = [
  { name: "an answer", script: [answerOf(1)], ends: "completed", requests: 1 },
  {
    name: "two steps and an answer",
    script: [calls(1, callOf("write", "call_1", 1)), calls(2, callOf("look", "call_2", 2)), answerOf(3)],
    ends: "completed",
    requests: 3,
    options: { middleware: standard(), instructions: (run) => `Step ${run.step}.` },
  },
  {
    name: "parallel calls of all kinds of ends",
    script: [
      calls(
        1,
        callOf("write", "call_1", 1),
        callOf("fail", "call_2", 2),
        callOf("write", "call_3", 3),
        callOf("nowhere", "call_4", 4),
        { ...callOf("look", "call_5", 5), arguments: '{"n":' },
        callOf("slow", "call_6", 6),
        callOf("few", "call_7", 7),
        callOf("few", "call_8", 8),
        callOf("flaky", "call_9", 9),
      ),
      answerOf(2),
    ],
    ends: "completed",
    requests: 2,
    options: { middleware: [police, toolErrors(), toolRetry({ ...quick, attempts: 2 })] },
  },
  {
    name: "one call told twice, and two calls under one id",
    script: [
      calls(1, callOf("write", "call_1", 1), { ...callOf("write", "call_1", 1), id: "fc_again" }, callOf("look", "call_2", 2)),
      calls(2, callOf("write", "call_3", 3), { ...callOf("write", "call_3", 4), id: "fc_other" }),
      answerOf(3),
    ],
    ends: "completed",
    requests: 3,
  },
  {
    name: "a call id that comes again in every step",
    script: [
      calls(1, { ...callOf("write", "call_1", 1), id: "fc_1" }),
      calls(2, { ...callOf("write", "call_1", 2), id: "fc_2" }),
      answerOf(3),
    ],
    ends: "completed",
    requests: 3,
  },
  {
    name: "an output of several parts, and a long one",
    script: [calls(1, { name: "show", callId: "call_1", id: "fc_1", arguments: {} }, callOf("long", "call_2", 2)), answerOf(2)],
    ends: "completed",
    requests: 2,
    options: { middleware: [trimOutputs({ maxChars: 40 })] },
  },
  {
    name: "items of hosted tools and of unknown types",
    script: [
      step(
        1,
        reply.items([{ type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }]),
        reply.items([{ type: "hologram", id: "holo_1", depth: 3 }]),
        text(1, "Let me look."),
        reply.calls(callOf("look", "call_1", 1)),
      ),
      answerOf(2),
    ],
    ends: "completed",
    requests: 2,
  },
  {
    name: "a refusal",
    script: [calls(1, callOf("look", "call_1", 1)), step(2, reply.refusal("No.", { id: "msg_2" }))],
    ends: "refused",
    requests: 2,
  },
  {
    name: "a forced choice",
    script: [calls(1, callOf("look", "call_1", 1)), answerOf(2)],
    ends: "completed",
    requests: 2,
    options: { settings: { tool_choice: "required", parallel_tool_calls: false, reasoning: { effort: "low" }, metadata: { a: "b" } } },
  },
  {
    name: "a budget that throws",
    script: [calls(1, callOf("write", "call_1", 1)), calls(2, callOf("write", "call_2", 2))],
    ends: "RUN_BUDGET",
    requests: 2,
    options: { maxSteps: 2 },
  },
  {
    name: "a budget that stops",
    script: [calls(1, callOf("write", "call_1", 1)), calls(2, callOf("write", "call_2", 2))],
    ends: "budget",
    requests: 2,
    options: { middleware: [stepBudget(2, { onExhausted: "stop" })] },
  },
  {
    name: "a budget that keeps a step for an answer",
    script: [calls(1, callOf("write", "call_1", 1)), answerOf(2)],
    ends: "completed",
    requests: 2,
    options: { middleware: [stepBudget(2, { onExhausted: "answer" })] },
  },
  {
    name: "requests that are repeated",
    script: [reply.http(500), calls(1, callOf("write", "call_1", 1)), reply.http(429, { headers: { "retry-after-ms": "1" } }), answerOf(2)],
    ends: "completed",
    requests: 4,
    options: { middleware: [modelRetry(quick)] },
  },
  {
    name: "a request that is refused",
    script: [calls(1, callOf("write", "call_1", 1)), reply.http(400)],
    ends: "MODEL_BAD_REQUEST",
    requests: 2,
  },
  {
    name: "a failed response",
    script: [
      calls(1, callOf("write", "call_1", 1)),
      reply.failed(broken, reply.calls(callOf("write", "call_2", 2))).with({ responseId: "resp_2", usage }),
    ],
    ends: "MODEL_FAILED",
    requests: 2,
  },
  {
    name: "an incomplete response",
    script: [
      calls(1, callOf("write", "call_1", 1)),
      reply.incomplete({}, reply.calls(callOf("write", "call_2", 2))).with({ responseId: "resp_2", usage }),
    ],
    ends: "MODEL_INCOMPLETE",
    requests: 2,
  },
  { name: "a connection that cannot be made", script: [reply.cut({ beforeHeaders: true })], ends: "MODEL_CONNECTION", requests: 1 },
  {
    name: "an abort in the middle of a read and a write",
    script: [
      calls(1, callOf("look", "call_1", 1)),
      calls(2, callOf("write", "call_2", 2), callOf("hang_read", "call_3", 3), callOf("hang", "call_4", 4)),
    ],
    ends: "RUN_ABORTED",
    requests: 2,
    abortAt: "hang",
  },
  {
    name: "a pause that nobody decides",
    script: [calls(1, callOf("look", "call_1", 1), callOf("ask", "call_2", 2))],
    ends: "interrupted",
    requests: 1,
  },
  {
    name: "pauses with approvals, denials and edits",
    script: [
      calls(1, callOf("ask", "call_1", 1), callOf("write", "call_2", 2), callOf("ask", "call_3", 3)),
      calls(2, callOf("ask", "call_4", 4)),
      answerOf(3),
    ],
    ends: "completed",
    requests: 3,
    decisions: {
      call_1: { approve: true },
      call_3: { approve: false, reason: "Too much." },
      call_4: { approve: true, arguments: { n: 40 } },
    },
  },
  {
    name: "a write of unknown outcome, and an equal one that a person settles",
    script: [calls(1, callOf("lose", "call_1", 1)), calls(2, callOf("lose", "call_2", 1), callOf("look", "call_3", 3)), answerOf(3)],
    ends: "completed",
    requests: 3,
    decisions: { call_2: { resolve: "done", output: { receipt: 7 } } },
  },
];

/**
 * The tools of every scenario.
 *
 * @param note - is told of each time that one runs.
 */
export function toolsOf(note: (name: string, n: number) => void): readonly DefinedTool[] {
  const noted =
    (name: string, execute: (n: number, attempt: number) => unknown) =>
    (n: number, { attempt }: { readonly attempt: number }) => {
      note(name, n);
      return execute(n, attempt);
    };
  const fails = (failure: Error) => () => Promise.reject(failure);
  const flaky = (n: number, attempt: number) => (attempt === 1 ? fails(new Error("not yet"))() : n);
  return [
    numberTool(
      "look",
      noted("look", (n) => ({ n, seen: true })),
    ),
    numberTool(
      "write",
      noted("write", (n) => `wrote ${n}`),
      { effect: "write" },
    ),
    numberTool("fail", noted("fail", fails(new ToolError({ code: "CLOSED", message: "Closed today." })))),
    numberTool("flaky", noted("flaky", flaky)),
    numberTool("slow", noted("slow", forever), { effect: "write", timeoutMs: 30 }),
    numberTool(
      "few",
      noted("few", (n) => n),
      { maxCalls: 1 },
    ),
    numberTool("hang", noted("hang", forever), { effect: "write" }),
    numberTool("hang_read", noted("hang_read", forever)),
    numberTool(
      "ask",
      noted("ask", (n) => n),
      { effect: "write", approval: true },
    ),
    numberTool("lose", noted("lose", forever), { effect: "write", timeoutMs: 30 }),
    numberTool(
      "long",
      noted("long", () => "long ".repeat(50)),
    ),
    defineTool({
      name: "show",
      description: "Shows a picture.",
      effect: "read",
      parameters: { type: "object", properties: {} },
      execute: () =>
        content([
          { type: "text", text: "Here:" },
          { type: "image", url: "data:image/png;base64,AAAA" },
        ]),
    }),
  ];
}
