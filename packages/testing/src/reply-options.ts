import type { JsonRecord } from "./json-record.js";

/** Tokens that a response reports. Those left out are counted roughly from the text. */
export interface UsageSpec {
  readonly inputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}

/** How server-sent events are framed, for readers that must take any lawful form. */
export interface FramingSpec {
  /** Default `"\n"`. */
  readonly lineEnding?: "\n" | "\r\n" | "\r" | undefined;
  /** False leaves out the `event:` lines. Default true. */
  readonly eventLines?: boolean | undefined;
  /** True ends with `data: [DONE]`, as some servers do. */
  readonly doneMarker?: boolean | undefined;
  /** True leaves out the blank line after the last event. */
  readonly unterminated?: boolean | undefined;
  /** True puts a comment line before each event, as some gateways do to keep connections open. */
  readonly comments?: boolean | undefined;
  /** True starts the body with a byte order mark. */
  readonly byteOrderMark?: boolean | undefined;
}

/** What any reply may be told by `.with({ … })`. */
export interface ReplyOptions {
  /** Milliseconds before anything is sent, headers included. */
  readonly delayMs?: number | undefined;
  /** Milliseconds between events. */
  readonly eventDelayMs?: number | undefined;
  /** Stops after so many events until the promise settles, so that a test can look around in mid stream. */
  readonly hold?: { readonly afterEvents: number; readonly until: Promise<unknown> } | undefined;
  /** `null` reports none. */
  readonly usage?: UsageSpec | null | undefined;
  /** `resp_…`. Made up when left out. */
  readonly responseId?: string | undefined;
  /** Parallel calls start together and their argument deltas alternate, as some servers send them. */
  readonly interleave?: boolean | undefined;
  /** Characters in one delta. Default 16. */
  readonly deltaSize?: number | undefined;
  /** The body comes in pieces of so many bytes, of single bytes, or of random sizes (the same ones each time). */
  readonly chunk?: number | "byte" | "random" | undefined;
  /** Puts `keepalive` events between items. */
  readonly keepalive?: boolean | undefined;
  /** Puts events of an invented type between items. */
  readonly unknownEvents?: boolean | undefined;
  /** The terminal event's response has an empty `output`. */
  readonly emptyCompletedOutput?: boolean | undefined;
  /** Leaves out `response.output_item.done`. */
  readonly omitDone?: boolean | undefined;
  /** Answers a request for a stream with plain JSON. */
  readonly jsonInsteadOfSse?: boolean | undefined;
  readonly framing?: FramingSpec | undefined;
  /** Changes, drops (undefined) or multiplies each event just before it is sent, for what other servers get wrong. */
  readonly transformEvent?: ((event: JsonRecord, index: number) => JsonRecord | readonly JsonRecord[] | undefined) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
