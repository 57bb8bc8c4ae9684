import { type StreamEvent, StreamReducer } from "./stream-reducer.js";

/** Where the reading of a response's events is, over all the connections that they come by. */
export class Following {
  readonly reducer = new StreamReducer();
  /** Number of the last event that was taken: from there on the server goes on. Undefined where events have no numbers. */
  last: number | undefined;
  /** Set by a bare `error` event: it says that the stream is over, not what has become of the response. */
  gaveUp = false;

  /** Whether an event is to be taken, which it is once: a server may send again what came before the break. */
  takes({ sequence_number: number }: StreamEvent): boolean {
    if (typeof number !== "number") return true;
    if (this.last !== undefined && number <= this.last) return false;
    this.last = number;
    return true;
  }
}
