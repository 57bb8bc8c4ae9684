import type { JsonRecord } from "./json-record.js";
import type { BackgroundFault, BackgroundSpec } from "./reply-options.js";

/** What a background response is made of. */
export interface BackgroundParts {
  /** All its events, numbered; strings are sent as they are. */
  readonly events: readonly (JsonRecord | string)[];
  /** Whether it was asked for with `stream: true`. */
  readonly streamed: boolean;
  readonly spec: BackgroundSpec;
  /** The response before its end. */
  at(status: "queued" | "in_progress" | "cancelled"): JsonRecord;
  /** The response at its end. */
  end(): JsonRecord;
  /** Called once, at its end: keeps the response for later requests. */
  keep(response: JsonRecord): void;
}

/** A response that goes its way whether or not somebody is connected. */
export class BackgroundResponse {
  readonly #parts: BackgroundParts;
  readonly #cancelled = Promise.withResolvers<void>();
  readonly #streams = new Set<() => void>();
  #looks: number;
  #asked = 0;
  #looked = false;
  #waits: boolean;
  #last: JsonRecord | undefined;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
    this.#looks = parts.spec.looks ?? 1;
    this.#waits = parts.spec.until !== undefined;
    const over = (): void => void (this.#waits = false);
    parts.spec.until?.then(over, over);
  }

  get streamed(): boolean {
    return this.#parts.streamed;
  }

  get tooOld(): boolean {
    return this.#parts.spec.tooOld === true;
  }

  /** Settles when its last event may be sent. */
  get done(): Promise<unknown> {
    const until = this.#parts.spec.until ?? Promise.resolve();
    return Promise.race([until.catch(() => undefined), this.#cancelled.promise]);
  }

  /** What goes wrong with the next request about it. */
  nextFault(): BackgroundFault | undefined {
    const fault = this.#parts.spec.faults?.[this.#asked];
    this.#asked += 1;
    return fault;
  }

  /** The response as it was when it was asked for. */
  begun(): JsonRecord {
    return this.#parts.at("queued");
  }

  /** The response as a look finds it, which brings it on. */
  look(): JsonRecord {
    if (this.#last !== undefined) return this.#last;
    if (this.#looks <= 0 && !this.#waits) return this.finish();
    this.#looks -= 1;
    const status = this.#looked ? "in_progress" : "queued";
    this.#looked = true;
    return this.#parts.at(status);
  }

  /** Its events after one of this number. */
  eventsAfter(number: number): readonly (JsonRecord | string)[] {
    return this.#parts.events.filter((event) => typeof event === "string" || Number(event["sequence_number"] ?? 0) > number);
  }

  /** Brings it to its end. */
  finish(): JsonRecord {
    if (this.#last === undefined) this.#settle(this.#parts.end());
    return this.#last ?? {};
  }

  /** Gives it up, unless it is at its end. Whoever is connected is cut off. */
  cancel(): JsonRecord {
    if (this.#last === undefined) this.#settle(this.#parts.at("cancelled"));
    return this.#last ?? {};
  }

  /** Notes a connection that ends when the response is cancelled. */
  connect(cut: () => void): Disposable {
    this.#streams.add(cut);
    return { [Symbol.dispose]: () => this.#streams.delete(cut) };
  }

  #settle(response: JsonRecord): void {
    this.#last = response;
    this.#parts.keep(response);
    if (response["status"] !== "cancelled") return;
    this.#cancelled.resolve();
    for (const cut of this.#streams) cut();
  }
}
