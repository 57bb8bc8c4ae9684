import type { JsonRecord } from "./json-record.js";
import type { ReplyOptions } from "./reply-options.js";

/** A call that the model makes. */
export interface CallSpec {
  readonly name: string;
  /** An object is sent as compact JSON; a string exactly as it is, also when it is not JSON. Default `{}`. */
  readonly arguments?: object | string | undefined;
  /** `call_…`, pairs the call with its output. Made up when left out. */
  readonly callId?: string | undefined;
  /** `fc_…`, names the item. Made up when left out. */
  readonly id?: string | undefined;
  readonly namespace?: string | undefined;
  /** A call that the model does not wait for. */
  readonly async?: boolean | undefined;
}

/** Further fields of a message. */
export interface MessageOptions {
  readonly id?: string | undefined;
  readonly phase?: "commentary" | "final_answer" | undefined;
  readonly annotations?: readonly object[] | undefined;
}

/** Fields of a reasoning item. */
export interface ReasoningSpec {
  readonly summary?: readonly string[] | undefined;
  /** Raw reasoning text, which only some servers give. */
  readonly text?: string | undefined;
  readonly id?: string | undefined;
  /** Made up when left out; either way it is sent only to requests that include `reasoning.encrypted_content`. */
  readonly encryptedContent?: string | undefined;
}

/** One item of a reply, before it has its ids. */
export type OutputPart =
  | ({ readonly kind: "text"; readonly text: string } & MessageOptions)
  | ({ readonly kind: "refusal"; readonly refusal: string } & MessageOptions)
  | ({ readonly kind: "reasoning" } & ReasoningSpec)
  | ({ readonly kind: "call" } & CallSpec)
  | { readonly kind: "item"; readonly item: JsonRecord };

/** What `response.failed` and `error` say. */
export interface ErrorSpec {
  readonly code: string;
  readonly message: string;
  readonly param?: string | null | undefined;
}

/** How the response ends. */
export type Ending =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly error: ErrorSpec }
  | { readonly kind: "incomplete"; readonly reason: string }
  | { readonly kind: "error"; readonly error: ErrorSpec };

/** Where the connection breaks. */
export interface BreakSpec {
  /** Events sent before the break; 0 breaks after the headers. A JSON body breaks in its middle. */
  readonly afterEvents?: number | undefined;
  /** Breaks before anything is sent. */
  readonly beforeHeaders?: boolean | undefined;
  /** Whether the server finishes the response all the same, stores it and appends it to a conversation. Default true. */
  readonly processed?: boolean | undefined;
}

/** A break and its kind: the socket is destroyed, the body just ends, or nothing more comes. */
export type Break = BreakSpec & { readonly kind: "cut" | "end" | "hang" };

interface ReplyBase<Self> {
  readonly options: ReplyOptions;
  /** The same reply with further options, which win over earlier ones. */
  with(options: ReplyOptions): Self;
}

/** Items and how they end. */
export interface OutputReply extends ReplyBase<OutputReply> {
  readonly kind: "output";
  readonly parts: readonly OutputPart[];
  readonly ending: Ending;
  readonly broken: Break | undefined;
}

/** Fields of an HTTP error. */
export interface HttpErrorSpec {
  readonly code?: string | null | undefined;
  readonly message?: string | undefined;
  readonly type?: string | undefined;
  readonly param?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent instead of the error object: a string as it is, an object as JSON. */
  readonly body?: string | object | undefined;
}

/** An answer without a response, such as 429. */
export interface HttpReply extends ReplyBase<HttpReply> {
  readonly kind: "http";
  readonly status: number;
  readonly error: HttpErrorSpec;
}

/** Events as they are given. */
export interface EventsReply extends ReplyBase<EventsReply> {
  readonly kind: "events";
  readonly events: readonly (JsonRecord | string)[];
}

/** What the server answers one request with. Made by {@link reply}. */
export type Reply = OutputReply | HttpReply | EventsReply;

const output = (parts: readonly OutputPart[], ending: Ending, broken: Break | undefined, options: ReplyOptions): OutputReply => ({
  kind: "output",
  parts,
  ending,
  broken,
  options,
  with: (more) => output(parts, ending, broken, { ...options, ...more }),
});

const http = (status: number, error: HttpErrorSpec, options: ReplyOptions): HttpReply => ({
  kind: "http",
  status,
  error,
  options,
  with: (more) => http(status, error, { ...options, ...more }),
});

const events = (list: readonly (JsonRecord | string)[], options: ReplyOptions): EventsReply => ({
  kind: "events",
  events: list,
  options,
  with: (more) => events(list, { ...options, ...more }),
});

const completed: Ending = { kind: "completed" };

/** Joins replies into one: their items in order, their options together. */
function join(replies: readonly OutputReply[], ending: Ending, broken?: Break): OutputReply {
  const options = replies.reduce<ReplyOptions>((all, each) => ({ ...all, ...each.options }), {});
  return output(
    replies.flatMap((each) => each.parts),
    ending,
    broken,
    options,
  );
}

const orText = (replies: readonly OutputReply[]): readonly OutputReply[] =>
  replies.length > 0 ? replies : [reply.text("This text is not complete, since the reply breaks off.")];

/** A break keeps the ending of the reply that it breaks, for what the server stores. */
const breakOff = (kind: Break["kind"], spec: BreakSpec, replies: readonly OutputReply[]): OutputReply =>
  join(orText(replies), replies.at(-1)?.ending ?? completed, { ...spec, kind });

/**
 * Makes the replies of a script. Every one takes options by `.with({ … })`.
 *
 * @example
 * reply.calls({ callId: "call_A", name: "get_delivery", arguments: { orderId: "A" } });
 * reply.output(reply.reasoning("Two orders."), reply.calls({ name: "a" }, { name: "b" })).with({ interleave: true });
 * reply.failed({ code: "server_error", message: "…" }, reply.text("Hel"));
 */
export const reply = {
  /** One message. */
  text: (text: string, options: MessageOptions = {}): OutputReply => output([{ kind: "text", text, ...options }], completed, undefined, {}),

  /** One or more calls, in the model's order. */
  calls: (...calls: readonly CallSpec[]): OutputReply =>
    output(
      calls.map((call) => ({ kind: "call", ...call })),
      completed,
      undefined,
      {},
    ),

  /** A reasoning item: summaries, or all its fields. The API wants another item after it. */
  reasoning: (...summary: readonly string[] | readonly [ReasoningSpec]): OutputReply => {
    const [first] = summary;
    const spec: ReasoningSpec = typeof first === "object" ? first : { summary: summary as readonly string[] };
    return output([{ kind: "reasoning", ...spec }], completed, undefined, {});
  },

  /** A message in which the model refuses. */
  refusal: (refusal: string, options: MessageOptions = {}): OutputReply =>
    output([{ kind: "refusal", refusal, ...options }], completed, undefined, {}),

  /** Items as they are given, of any type, also an invented one. An item without `id` gets one. */
  items: (items: readonly object[]): OutputReply =>
    output(
      items.map((item) => ({ kind: "item", item: item as JsonRecord })), // any object literal is a record of its keys
      completed,
      undefined,
      {},
    ),

  /** Several replies as one. */
  output: (...replies: readonly OutputReply[]): OutputReply => join(replies, replies.at(-1)?.ending ?? completed, replies.at(-1)?.broken),

  /** Status 200 with a failed response, `response.failed` in a stream; the last of the items stays open. */
  failed: (error: ErrorSpec, ...before: readonly OutputReply[]): OutputReply => join(before, { kind: "failed", error }),

  /** Cut off, e.g. by `max_output_tokens` (the default reason): the last of the items is incomplete. Give a call's arguments as cut text. */
  incomplete: (spec: { readonly reason?: string | undefined }, ...before: readonly OutputReply[]): OutputReply =>
    join(before, { kind: "incomplete", reason: spec.reason ?? "max_output_tokens" }),

  /** A bare `error` event in a stream; status 500 where no stream was asked for. The last of the items stays open. */
  error: (error: ErrorSpec, ...before: readonly OutputReply[]): OutputReply => join(before, { kind: "error", error }),

  /** The socket is destroyed. Default: in the middle. */
  cut: (spec: BreakSpec, ...replies: readonly OutputReply[]): OutputReply => breakOff("cut", spec, replies),

  /** The body ends in good order, but too early. Default: just before the last event. */
  end: (spec: BreakSpec, ...replies: readonly OutputReply[]): OutputReply => breakOff("end", spec, replies),

  /** Nothing more comes until the client gives up. Default: in the middle. */
  hang: (spec: BreakSpec, ...replies: readonly OutputReply[]): OutputReply => breakOff("hang", spec, replies),

  /** An HTTP status with an error object, e.g. `reply.http(429, { code: "rate_limit_exceeded", headers: { "retry-after": "1" } })`. */
  http: (status: number, error: HttpErrorSpec = {}): HttpReply => http(status, error, {}),

  /** Events exactly as given; one without `sequence_number` gets the next, and a string is sent as it is, frame and all. */
  events: (list: readonly (object | string)[]): EventsReply => events(list as readonly (JsonRecord | string)[], {}), // see `items`
};
