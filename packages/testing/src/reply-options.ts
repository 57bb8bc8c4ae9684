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

/** What goes wrong with one request about a background response: the connection breaks, or it is answered with an error. */
export type BackgroundFault =
  | {
      /** Events of a stream that are sent before the connection breaks. A request for JSON is answered with nothing. */
      readonly cutAfterEvents: number;
    }
  | {
      readonly status: number;
      readonly code?: string | undefined;
      readonly message?: string | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** How a response goes its way that was asked for with `background: true`. */
export interface BackgroundSpec {
  /** Looks (`GET /responses/{id}`) that find it under way: the first one queued, others in progress. Default 1. */
  readonly looks?: number | undefined;
  /** It is not done before this settles, be it looked at or streamed. */
  readonly until?: Promise<unknown> | undefined;
  /** What goes wrong with requests about it, one for each in the order in which they come; undefined for nothing. */
  readonly faults?: readonly (BackgroundFault | undefined)[] | undefined;
  /** Refuses to stream it again, as the API does after five minutes. */
  readonly tooOld?: boolean | undefined;
}

/** What any reply may be told by `.with({ … })`. */
export interface ReplyOptions {
  /** Milliseconds before anything is sent, headers included. */
  readonly delayMs?: number | undefined;
  /** Milliseconds between events. */
  readonly eventDelayMs?: number | undefined;
  /** Stops after so many events until the promise settles, so that a test can look around in mid stream. */
  readonly hold?: { readonly afterEvents: number; readonly until: Promise<unknown> } | undefined;
  readonly background?: BackgroundSpec | undefined;
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
