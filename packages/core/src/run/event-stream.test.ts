import { describe, expect, it } from "vitest";
import type { EventBody, RunEvent } from "../contracts/event.js";
import type { RunResult } from "../contracts/run.js";
import { EventStream } from "./event-stream.js";

const eventOf = (body: EventBody): RunEvent => ({ runId: "run", step: 0, responseId: undefined, path: [], ...body });
const text = (n: number): RunEvent => eventOf({ type: "text-delta", text: String(n) });
const done = { stopReason: "completed", output: "Done." } as RunResult; // the stream does not look inside

/** A stream whose run is the test itself. */
function open() {
  const { promise: result, resolve, reject } = Promise.withResolvers<RunResult>();
  result.catch(() => {});
  const aborts: unknown[] = [];
  let push: (event: RunEvent) => void | Promise<void> = () => {};
  const stream = new EventStream<string>((consumer) => {
    push = consumer;
    return { result, abort: (reason) => aborts.push(reason) };
  });
  return { stream, push: (event: RunEvent) => push(event), resolve: () => resolve(done), reject, aborts };
}

const ticks = async () => {
  for (let tick = 0; tick < 10; tick += 1) await Promise.resolve();
};

const textsOf = async (stream: AsyncIterable<RunEvent>) => {
  const texts: string[] = [];
  for await (const event of stream) if (event.type === "text-delta") texts.push(event.text);
  return texts;
};

describe("EventStream", () => {
  it("gives every event in order, those from before the iteration included, and then ends", async () => {
    const { stream, push, resolve } = open();
    void push(text(1));
    const texts = textsOf(stream);
    await ticks();
    void push(text(2));
    void push(text(3));
    resolve();
    expect(await texts).toEqual(["1", "2", "3"]);
    expect(await stream.result).toBe(done);
  });

  it("gives what was told before a failure, then the failure", async () => {
    const { stream, push, reject } = open();
    void push(text(1));
    reject(new Error("broken"));
    const iterator = stream[Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ value: { text: "1" } });
    await expect(iterator.next()).rejects.toThrow("broken");
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    await expect(stream.result).rejects.toThrow("broken");
  });

  it("answers several waiting readers", async () => {
    const { stream, push, resolve } = open();
    const iterator = stream[Symbol.asyncIterator]();
    const all = Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    void push(text(1));
    void push(text(2));
    resolve();
    expect((await all).map(({ done: end }) => end)).toEqual([false, false, true]);
  });

  it("holds the run back while its consumer is far behind, and lets it go on when it has caught up", async () => {
    const { stream, push, resolve } = open();
    const iterator = stream[Symbol.asyncIterator]();
    let n = 0;
    let held: void | Promise<void>;
    while ((held = push(text(n++))) === undefined) if (n > 10_000) throw new Error("it is never held back");
    let released = false;
    void held.then(() => (released = true));
    await iterator.next();
    await ticks();
    expect(released).toBe(false);
    for (let taken = 1; taken < n; taken += 1) await iterator.next();
    await ticks();
    expect(released).toBe(true);
    resolve();
    expect((await iterator.next()).done).toBe(true);
  });

  it("a result that is awaited alone drives the run: nothing is held back, and nothing piles up", async () => {
    const { stream, push, resolve } = open();
    const result = stream.result;
    for (let n = 0; n < 10_000; n += 1) expect(push(text(n))).toBeUndefined();
    resolve();
    expect(await result).toBe(done);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "RUN_OPTIONS" }));
  });

  it("asking for the result releases a run that is held back", async () => {
    const { stream, push } = open();
    let held: void | Promise<void>;
    for (let n = 0; (held = push(text(n))) === undefined; n += 1);
    let released = false;
    void held.then(() => (released = true));
    void stream.result;
    await ticks();
    expect(released).toBe(true);
  });

  it("a few events can still be iterated after the result was asked for", async () => {
    const { stream, push, resolve } = open();
    const result = stream.result;
    void push(text(1));
    resolve();
    expect(await textsOf(stream)).toEqual(["1"]);
    expect(await result).toBe(done);
  });

  it("leaving aborts the run, waits for its end, and is not told of it", async () => {
    const { stream, push, reject, aborts } = open();
    void push(text(1));
    void push(text(2));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    let left = false;
    const leaving = iterator.return?.().then(() => (left = true));
    await ticks();
    expect(left).toBe(false);
    expect(aborts).toEqual([expect.objectContaining({ name: "AbortError" })]);
    expect(push(text(3))).toBeUndefined();
    reject(new Error("aborted"));
    await leaving;
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it("can be iterated once", () => {
    const { stream } = open();
    stream[Symbol.asyncIterator]();
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "RUN_OPTIONS" }));
  });
});
