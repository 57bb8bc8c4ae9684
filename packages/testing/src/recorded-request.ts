import type { IncomingHttpHeaders } from "node:http";
import type { Item } from "@toolwright/core";
import type { ApiError } from "./api-error.js";
import type { RequestBody } from "./request-body.js";

/** How the exchange ended: answered in full, broken off by the script or the server's end, or given up by the client. */
export type ExchangeEnd = "finished" | "cut" | "aborted";

/** A request as it came in. */
export interface RecordedRequest {
  /** Zero-based, among the requests of its list. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; empty when there was none, or none that could be read. */
  readonly body: RequestBody;
  /** The body as text, byte for byte. */
  readonly text: string;
  /** Milliseconds since 1970, with fractions. */
  readonly arrivedAt: number;
  /** Everything the model reads: what the server keeps of earlier requests, then the input. Empty for a refused request. */
  readonly context: readonly Item[];
  /** The status that was answered; undefined before that. */
  readonly status: number | undefined;
  /** What the server refused it for. A scripted error is no refusal. */
  readonly refusal:
    | { readonly status: number; readonly message: string; readonly code: string | null; readonly param: string | null }
    | undefined;
  /** Settles when the exchange is over. */
  readonly ended: Promise<ExchangeEnd>;
}

/** The server's own side of a {@link RecordedRequest}. */
export class RequestRecord implements RecordedRequest {
  readonly arrivedAt = performance.timeOrigin + performance.now();
  body: RequestBody = {};
  context: readonly Item[] = [];
  status: number | undefined;
  refusal: ApiError | undefined;
  readonly ended: Promise<ExchangeEnd>;
  readonly settle: (end: ExchangeEnd) => void;
  readonly #bytes: Buffer;

  constructor(
    readonly index: number,
    readonly method: string,
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    bytes: Buffer,
  ) {
    this.#bytes = bytes;
    const { promise, resolve } = Promise.withResolvers<ExchangeEnd>();
    this.ended = promise;
    this.settle = resolve;
  }

  get text(): string {
    return this.#bytes.toString();
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }
}
