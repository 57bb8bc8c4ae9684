import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { wait } from "./wait.js";

describe("wait", () => {
  afterEach(() => vi.useRealTimers());

  it("is true when the time is over, and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await wait(1, signal)).toBe(true);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("is false as soon as the signal is aborted, and leaves neither timer nor listener", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const waiting = wait(60_000, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    expect(await waiting).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("does not begin when the signal is aborted already", async () => {
    vi.useFakeTimers();
    expect(await wait(60_000, AbortSignal.abort())).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
