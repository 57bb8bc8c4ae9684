import type { RunEvent } from "../contracts/event.js";
import type { RunResult } from "../contracts/run.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { partialJson } from "./partial-json.js";

// So many events may wait for a slow consumer before the model's stream is read no further.
const highWaterMark = 256;

/**
 * A run as a stream of events. Iterate it once; `result` settles when the run ends, and never causes an unhandled
 * rejection. Leaving the loop with `break` aborts the run.
 */
export interface AgentStream<Output = string> extends AsyncIterable<RunEvent> {
  /** Awaiting it alone drives the run; events are then let go. */
  readonly result: Promise<RunResult<Output>>;
  /**
   * The structured answer as far as it has come, each time more of it is there, for an agent with an `output`. Nothing in it
   * is checked yet, and texts may be half; `result` has the whole. It takes the place of iterating the events.
   *
   * @example for await (const plan of agent.stream("…").partialOutputs()) render(plan);
   */
  partialOutputs(): AsyncIterable<PartialOutput<Output>>;
}

/** An output of which any part may still be missing. */
export type PartialOutput<Output> = Output extends readonly (infer Entry)[]
  ? readonly PartialOutput<Entry>[]
  : Output extends Date
    ? string
    : Output extends object
      ? { readonly [Key in keyof Output]?: PartialOutput<Output[Key]> | undefined }
      : Output;

/** Carries events from a run to whoever iterates, and holds the run back when nobody keeps up. */
export class EventStream<Output> implements AgentStream<Output> {
  readonly #result: Promise<RunResult<Output>>;
  readonly #abort: (reason: unknown) => void;
  readonly #events: RunEvent[] = [];
  #consumed: "undecided" | "iterated" | "result-only" = "undecided";
  #dropped = false;
  #end: { readonly error: unknown } | undefined | "running" = "running";
  #wakeConsumers: (() => void)[] = [];
  #wakeProducers: (() => void)[] = [];

  constructor(
    start: (consumer: (event: RunEvent) => void | Promise<void>) => {
      readonly result: Promise<RunResult<Output>>;
      abort(reason: unknown): void;
    },
  ) {
    const { result, abort } = start((event) => this.#push(event));
    this.#result = result;
    this.#abort = abort;
    result.then(
      () => this.#finish(undefined),
      (error: unknown) => this.#finish({ error }),
    );
  }

  get result(): Promise<RunResult<Output>> {
    if (this.#consumed === "undecided") this.#consumed = "result-only";
    this.#releaseProducers();
    return this.#result;
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined> {
    if (this.#consumed === "iterated") throw iterationError("The events of a run can be iterated once.");
    if (this.#dropped) throw iterationError("The events were let go, since only the result had been asked for.");
    this.#consumed = "iterated";
    return { next: () => this.#next(), return: () => this.#leave() };
  }

  async *partialOutputs(): AsyncGenerator<PartialOutput<Output>> {
    let text = "";
    let shown = "";
    let isComment = false;
    for await (const event of this) {
      if (event.type === "step-start" || event.type === "step-restart" || event.type === "message-start") {
        text = shown = "";
        isComment = event.type === "message-start" && event.phase === "commentary";
      }
      if (event.type !== "text-delta" || isComment) continue;
      text += event.text;
      // Once for all that has come meanwhile: each look is a look through the whole text.
      if (this.#head < this.#events.length) continue;
      const value = partialJson(text);
      if (typeof value !== "object" || value === null) continue;
      const now = JSON.stringify(value);
      if (now === shown) continue;
      shown = now;
      // The model was asked for this form; whether it kept to it is seen at the end.
      yield value as PartialOutput<Output>;
    }
  }

  #push(event: RunEvent): void | Promise<void> {
    if (this.#consumed === "result-only" && this.#events.length >= highWaterMark) {
      this.#dropped = true;
      this.#events.length = 0;
    }
    if (this.#dropped || this.#end !== "running") return undefined;
    if (event.type === "tool-progress" && this.#replacesEarlier(event)) return undefined;
    this.#events.push(event);
    this.#wake();
    if (this.#events.length < highWaterMark || this.#consumed === "result-only") return undefined;
    return new Promise((resolve) => this.#wakeProducers.push(resolve));
  }

  // A tool that tells of its progress cannot be held back: to a consumer who does not keep up, its latest word is enough.
  #replacesEarlier(event: RunEvent & { readonly type: "tool-progress" }): boolean {
    if (this.#events.length - this.#head < highWaterMark) return false;
    const at = this.#events.findLastIndex(
      (each, index) => index >= this.#head && each.type === "tool-progress" && each.callId === event.callId,
    );
    if (at === -1) return false;
    this.#events[at] = event;
    return true;
  }

  // What is there already is given without an async function's own work: most events of a long answer are.
  #next(): Promise<IteratorResult<RunEvent, undefined>> {
    const event = this.#take();
    return event === undefined ? this.#nextToCome() : Promise.resolve({ value: event, done: false });
  }

  async #nextToCome(): Promise<IteratorResult<RunEvent, undefined>> {
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { value: event, done: false };
      if (this.#end !== "running") {
        const end = this.#end;
        this.#end = undefined;
        if (end !== undefined) throw end.error;
        return { value: undefined, done: true };
      }
      await new Promise<void>((resolve) => this.#wakeConsumers.push(resolve));
    }
  }

  #head = 0;
  #take(): RunEvent | undefined {
    const event = this.#events[this.#head];
    if (event === undefined) return undefined;
    this.#head += 1;
    // Moved up in one go: shifting each event would copy the rest each time.
    if (this.#head === this.#events.length) {
      this.#events.length = 0;
      this.#head = 0;
      this.#releaseProducers();
    }
    return event;
  }

  async #leave(): Promise<IteratorResult<RunEvent, undefined>> {
    this.#dropped = true;
    this.#events.length = 0;
    this.#releaseProducers();
    this.#abort(new DOMException("The consumer of the stream left.", "AbortError"));
    await this.#result.catch(() => {});
    // Whoever left is not told of an abort that was their own.
    this.#end = undefined;
    return { value: undefined, done: true };
  }

  #finish(end: { readonly error: unknown } | undefined): void {
    this.#end = end;
    this.#wake();
  }

  #wake(): void {
    if (this.#wakeConsumers.length === 0) return;
    const consumers = this.#wakeConsumers;
    this.#wakeConsumers = [];
    for (const wake of consumers) wake();
  }

  #releaseProducers(): void {
    const producers = this.#wakeProducers;
    this.#wakeProducers = [];
    for (const wake of producers) wake();
  }
}

function iterationError(message: string): ToolwrightError {
  return new ToolwrightError("RUN_OPTIONS", message, {
    fix: "Collect what you need in one loop, or observe with a middleware's `onEvent`.",
  });
}
