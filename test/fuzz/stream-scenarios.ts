import { type OutputReply, reply } from "@toolwright/testing";
import { serve } from "../support/serve.js";
import { callOf } from "../support/tools.js";

/** An event of a stream, as JSON. */
export type WireEvent = { readonly type?: string; readonly [key: string]: unknown };

/** What must come of a reply, however it is delivered. */
export type Expected =
  | { readonly output: string; readonly executed: readonly number[]; readonly types: readonly string[] }
  | { readonly refusal: string; readonly types: readonly string[] }
  | { readonly code: string };

/** A reply of the model in a stream, and what must come of it. */
export interface StreamScenario {
  readonly name: string;
  readonly events: readonly WireEvent[];
  readonly expected: Expected;
}

const words = 'Grüße, “quoted” \\ back\nnew line, tab\t, 漢字 and 👩‍👩‍👧‍👦 with "data:" and data: {"type":"response.completed"} in it.';
const broken = { code: "server_error", message: "Broken." };
const look = (n: number) => callOf("look", `call_${n}`, n);
const long = { ...look(7), arguments: `{"n":7${" ".repeat(60)}}` };
const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "weather" } };
const hologram = { type: "hologram", id: "holo_1", depth: 3, layers: [{ z: 1 }] };
const three = reply.calls(look(1), look(2), look(3));

const answer = (output: string, ...types: readonly string[]): Expected => ({ output, executed: [], types });
const called = (executed: readonly number[], ...types: readonly string[]): Expected => ({ output: "Done.", executed, types });
const failed = (code: string): Expected => ({ code });

const scripted: readonly (readonly [string, OutputReply, Expected])[] = [
  ["text", reply.text("Hello, world: a plain answer."), answer("Hello, world: a plain answer.", "message")],
  ["text with everything that needs care", reply.text(words), answer(words, "message")],
  ["an empty text", reply.text(""), answer("", "message")],
  ["reasoning and text", reply.output(reply.reasoning("Hm. Well.", "So."), reply.text("Yes.")), answer("Yes.", "reasoning", "message")],
  [
    "raw reasoning and text",
    reply.output(reply.reasoning({ text: "Thinking aloud." }), reply.text("Yes.")),
    answer("Yes.", "reasoning", "message"),
  ],
  [
    "commentary and a final answer",
    reply.output(reply.text("Let me see.", { phase: "commentary" }), reply.text("Yes.", { phase: "final_answer" })),
    answer("Yes.", "message", "message"),
  ],
  ["one call", reply.calls(look(1)), called([1], "function_call")],
  ["a call without arguments text", reply.calls({ ...look(0), name: "look_around", arguments: "" }), called([0], "function_call")],
  ["parallel calls", three, called([1, 2, 3], "function_call", "function_call", "function_call")],
  [
    "parallel calls, interleaved",
    reply.calls(look(1), long, look(2)).with({ interleave: true }),
    called([1, 7, 2], "function_call", "function_call", "function_call"),
  ],
  [
    "reasoning, text and calls",
    reply.output(reply.reasoning("Hm."), reply.text("Let me look."), reply.reasoning("So."), reply.calls(look(1), look(2))),
    called([1, 2], "reasoning", "message", "reasoning", "function_call", "function_call"),
  ],
  ["a refusal", reply.refusal("I cannot help with that."), { refusal: "I cannot help with that.", types: ["message"] }],
  ["a failed response", reply.failed(broken, reply.text("Hel"), reply.calls(look(1))), failed("MODEL_FAILED")],
  ["an error event", reply.error(broken, reply.text("Hel"), reply.calls(look(1))), failed("MODEL_FAILED")],
  ["an incomplete response", reply.incomplete({}, reply.calls(look(1), { ...look(2), arguments: '{"n":' })), failed("MODEL_INCOMPLETE")],
  [
    "an incomplete response by a filter",
    reply.incomplete({ reason: "content_filter" }, reply.text("Hello"), reply.calls(look(1))),
    failed("MODEL_INCOMPLETE"),
  ],
  [
    "hosted items and items of an unknown type",
    reply.output(reply.items([search, hologram]), reply.text("Sunny."), reply.calls(look(1))),
    called([1], "web_search_call", "hologram", "message", "function_call"),
  ],
  [
    "keepalives and events of an unknown type",
    reply.output(reply.text("Let me look."), three).with({ keepalive: true, unknownEvents: true }),
    called([1, 2, 3], "message", "function_call", "function_call", "function_call"),
  ],
];

// What compatible servers leave out: all at once is the worst of it.
const gaps = [
  ["an empty list in the last event", { emptyCompletedOutput: true }],
  ["no item told to be done", { omitDone: true }],
  ["no item told to be done, and an empty list in the last event", { omitDone: true, emptyCompletedOutput: true }],
] as const;
const gapped = gaps.flatMap(([gap, options]) => [
  [`text, ${gap}`, reply.text(words).with(options), answer(words, "message")] as const,
  [`a refusal, ${gap}`, reply.refusal("No.").with(options), { refusal: "No.", types: ["message"] }] as const,
  [
    `reasoning and interleaved calls, ${gap}`,
    reply.output(reply.reasoning("Hm."), reply.calls(look(1), long)).with({ ...options, interleave: true }),
    called([1, 7], "reasoning", "function_call", "function_call"),
  ] as const,
]);

const without = (event: WireEvent, ...keys: readonly string[]): WireEvent =>
  Object.fromEntries(Object.entries(event).filter(([key]) => !keys.includes(key)));
const inItem = (event: WireEvent, change: (item: WireEvent) => WireEvent): WireEvent =>
  event["item"] === undefined ? event : { ...event, item: change(event["item"] as WireEvent) };

/** Forms of other servers, made from the events of the stand-in. */
const dialects: readonly (readonly [string, (events: readonly WireEvent[]) => readonly WireEvent[]])[] = [
  ["without output_index", (events) => events.map((event) => without(event, "output_index"))],
  ["without item_id", (events) => events.map((event) => without(event, "item_id"))],
  [
    "without ids of items",
    (events) =>
      events.map((event) => inItem(without(event, "item_id"), (item) => (item.type === "function_call" ? without(item, "id") : item))),
  ],
  ["without sequence numbers and the first events", (events) => events.slice(2).map((event) => without(event, "sequence_number"))],
  [
    "without the dones of parts and arguments",
    (events) => events.filter(({ type }) => type === "response.output_item.done" || !String(type).endsWith(".done")),
  ],
];

const callsAndText = reply.output(reply.text("Let me look."), reply.calls(look(1), long));

/** All scenarios, with the events that the stand-in sends for them. */
export async function streamScenarios(): Promise<readonly StreamScenario[]> {
  const all = [...scripted, ...gapped];
  const replies = [...all.map(([, each]) => each), callsAndText, callsAndText.with({ interleave: true })];
  const rendered = await renderedEvents(replies);
  const scenarios = all.map(([name, , expected], index) => ({ name, expected, events: rendered[index] ?? [] }));
  const expected = called([1, 7], "message", "function_call", "function_call");
  const others = dialects.flatMap(([name, change]) =>
    rendered.slice(all.length).map((events, index) => ({
      name: `text and ${index === 0 ? "calls" : "interleaved calls"} ${name}`,
      expected,
      events: change(events),
    })),
  );
  return [...scenarios, ...others];
}

/** The events that the stand-in sends for replies. */
export async function renderedEvents(replies: readonly OutputReply[]): Promise<readonly (readonly WireEvent[])[]> {
  await using stand = await serve(replies);
  const rendered: WireEvent[][] = [];
  for (const _ of replies) {
    const answered = await fetch(`${stand.server.url}/responses`, {
      method: "POST",
      headers: { authorization: "Bearer test", "content-type": "application/json" },
      body: JSON.stringify({ model: "test", input: "Go.", store: false, stream: true, include: ["reasoning.encrypted_content"] }),
    });
    const lines = (await answered.text()).split("\n").filter((line) => line.startsWith("data: "));
    rendered.push(lines.map((line) => JSON.parse(line.slice("data: ".length)) as WireEvent));
  }
  stand.server.assertDone();
  return rendered;
}
