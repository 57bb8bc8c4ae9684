import { describe, expect, expectTypeOf, it } from "vitest";
import { defineMiddleware } from "./define-middleware.js";

describe("defineMiddleware", () => {
  it("infers the state of its hooks", () => {
    const counting = defineMiddleware({
      name: "counting",
      state: () => ({ writes: 0 }),
      wrapToolCall(call, next, { state }) {
        expectTypeOf(state).toEqualTypeOf<{ writes: number }>();
        return next(call);
      },
    });
    expect(counting.state?.()).toEqual({ writes: 0 });
  });

  it("does not take a wrap that forgets its return", () => {
    const names = [
      defineMiddleware({
        name: "tool",
        // @ts-expect-error It gives nothing back.
        async wrapToolCall(call, next) {
          await next(call);
        },
      }),
      defineMiddleware({
        name: "model",
        // @ts-expect-error It gives nothing back.
        async wrapModelCall(call, next) {
          await next(call);
        },
      }),
      defineMiddleware({
        name: "run",
        // @ts-expect-error It gives nothing back.
        wrapRun(call, next) {
          void next(call);
        },
      }),
    ].map(({ name }) => name);
    expect(names).toEqual(["tool", "model", "run"]);
  });
});
