import { describe, expect, it } from "vitest";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compose, type Layer } from "./compose.js";

interface Call {
  readonly n: number;
}
interface Result {
  readonly value: number;
}
type Wrap = Layer<Call, Result>["wrap"];

const layer = (name: string, wrap: Wrap, repeats = false): Layer<Call, Result> => ({ name, repeats, wrap });
const core = async ({ n }: Call): Promise<Result> => ({ value: n });
const run = (
  layers: readonly Layer<Call, Result>[],
  inner: (call: Call) => Promise<Result> = core,
  signal = new AbortController().signal,
) => compose("wrapToolCall", layers, inner, signal)({ n: 1 });

/** Callers without types do anything. */
const loose = (wrap: (call: Call, next: (...parameters: unknown[]) => Promise<Result>) => unknown): Wrap => wrap as unknown as Wrap;

describe("compose", () => {
  it("runs layers from the outermost in and back out", async () => {
    const order: string[] = [];
    const noting = (name: string) =>
      layer(name, async (call, next) => {
        order.push(`${name} in`);
        const result = await next({ n: call.n + 1 });
        order.push(`${name} out`);
        return { value: result.value * 10 };
      });
    expect(await run([noting("a"), noting("b")])).toEqual({ value: 300 });
    expect(order).toEqual(["a in", "b in", "b out", "a out"]);
  });

  it("is the core alone without layers", async () => {
    expect(await run([])).toEqual({ value: 1 });
  });

  it("a layer may answer without asking further", async () => {
    let asked = false;
    const result = await run([layer("cache", async () => ({ value: 7 }))], async (call) => ((asked = true), core(call)));
    expect([result, asked]).toEqual([{ value: 7 }, false]);
  });

  it("the call that goes in is frozen", async () => {
    const seen: Call[] = [];
    await run([layer("copies", (call, next) => next({ ...call })), layer("keeps", (call, next) => (seen.push(call), next(call)))]);
    expect(Object.isFrozen(seen[0])).toBe(true);
  });

  it.each([
    [
      "next() without the call",
      loose((_, next) => next()),
      /"odd" called next\(\) without the call in wrapToolCall\.\nFix: Write `next\(call\)`/,
    ],
    [
      "a forgotten return",
      loose(async (call, next) => void (await next(call))),
      /"odd" returned undefined in wrapToolCall\.\nFix: Write `return next\(call\)`/,
    ],
    ["a return of null", loose(async () => null), /"odd" returned null/],
    ["a return of a text", loose(async () => "text"), /"odd" returned string/],
    ["a wrap that is not async and returns nothing", loose(() => undefined), /"odd" returned undefined/],
    [
      "a second next",
      loose(async (call, next) => (await next(call), next(call))),
      /"odd" called next a second time in wrapToolCall\.\nFix: Set `repeats: true`/,
    ],
    ["a second next beside the first", loose((call, next) => Promise.all([next(call), next(call)])), /"odd" called next a second time/],
  ])("%s is caught with a sentence", async (_, wrap, message) => {
    await expect(run([layer("fine", (call, next) => next(call)), layer("odd", wrap)])).rejects.toMatchObject({
      code: "RUN_MIDDLEWARE",
      message: expect.stringMatching(message),
      details: { middleware: "odd", hook: "wrapToolCall" },
    });
  });

  it("a layer that repeats may ask as often as it likes", async () => {
    let asked = 0;
    const thrice = layer("thrice", async (call, next) => (await next(call), await next(call), next(call)), true);
    await run([thrice, layer("inner", (call, next) => next(call))], async (call) => ((asked += 1), core(call)));
    expect(asked).toBe(3);
  });

  it.each([
    ["an Error", new TypeError("boom"), /"odd" threw in wrapToolCall: TypeError: boom/],
    ["a text", "boom", /"odd" threw in wrapToolCall: a string/],
    ["undefined", undefined, /"odd" threw in wrapToolCall: a undefined/],
  ])("%s thrown by a layer is named after it and kept as the cause", async (_, thrown, message) => {
    const layers = [
      layer("outer", (call, next) => next(call)),
      layer("odd", () => Promise.reject(thrown)),
      layer("inner", (call, next) => next(call)),
    ];
    const error: unknown = await run(layers).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringMatching(message), details: { middleware: "odd" } });
    expect((error as Error).cause).toBe(thrown);
  });

  it("a throw that is not in a promise is caught alike", async () => {
    const odd = layer("odd", () => {
      throw new Error("boom");
    });
    await expect(run([odd])).rejects.toMatchObject({ code: "RUN_MIDDLEWARE", details: { middleware: "odd" } });
  });

  it.each([
    ["a ToolwrightError", new ToolwrightError("MODEL_SERVER", "down")],
    ["a stop", new RunStop("budget", "enough")],
  ])("%s passes as it is, through every layer", async (_, thrown) => {
    const pass: Wrap = (call, next) => next(call);
    await expect(run([layer("a", pass), layer("b", pass)], () => Promise.reject(thrown))).rejects.toBe(thrown);
    await expect(run([layer("a", pass), layer("b", () => Promise.reject(thrown))])).rejects.toBe(thrown);
  });

  it("after an abort what is thrown passes as it is: it is the abort's", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(run([layer("waits", () => Promise.reject(reason))], core, controller.signal)).rejects.toBe(reason);
  });

  it("a layer may catch what comes from within", async () => {
    const catches = layer("catches", (call, next) => next(call).catch(() => ({ value: -1 })));
    expect(await run([catches], () => Promise.reject(new Error("boom")))).toEqual({ value: -1 });
  });
});
