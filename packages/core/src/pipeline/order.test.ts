import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Middleware, MiddlewareOrder } from "../contracts/middleware.js";
import { orderMiddleware } from "./order.js";

const named = (name: string, order?: MiddlewareOrder): Middleware => ({ name, order });
const namesOf = (list: readonly Middleware[]) => orderMiddleware(list).map(({ name }) => name);
const refusal = (code: string, message: RegExp) => expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("orderMiddleware", () => {
  it("keeps the given order where nothing is asked for", () => {
    expect(namesOf([named("c"), named("a"), named("b")])).toEqual(["c", "a", "b"]);
  });

  it("puts one outside another, and moves nothing else", () => {
    expect(namesOf([named("a"), named("b"), named("c"), named("d", { outside: ["b"] })])).toEqual(["a", "d", "b", "c"]);
  });

  it("puts one inside another", () => {
    expect(namesOf([named("a", { inside: ["c"] }), named("b"), named("c"), named("d")])).toEqual(["b", "c", "a", "d"]);
  });

  it("moves the one with the wish, and no further than it must", () => {
    const budget = named("budget", { inside: ["modelRetry"] });
    const given = [budget, named("toolErrors"), named("modelRetry"), named("toolRetry")];
    expect(namesOf(given)).toEqual(["toolErrors", "modelRetry", "budget", "toolRetry"]);
    const first = named("first", { outside: ["toolErrors", "toolRetry"] });
    expect(namesOf([...given.slice(1), first])).toEqual(["first", "toolErrors", "modelRetry", "toolRetry"]);
  });

  it("finds a renamed one by its kind", () => {
    const second = { ...named("retry2"), kind: "retry" };
    expect(namesOf([named("a", { inside: ["retry"] }), named("b"), second])).toEqual(["b", "retry2", "a"]);
    expect(namesOf([named("a", { requires: ["retry"] }), second])).toEqual(["a", "retry2"]);
  });

  it("leaves what is in place as it is", () => {
    expect(namesOf([named("a", { outside: ["b"] }), named("b", { inside: ["a"] }), named("c")])).toEqual(["a", "b", "c"]);
  });

  it("follows chains", () => {
    expect(namesOf([named("a"), named("b", { outside: ["a"] }), named("c", { outside: ["b"] })])).toEqual(["c", "b", "a"]);
  });

  it("does not mind a name that is not there", () => {
    expect(namesOf([named("a", { outside: ["x"], inside: ["y"] }), named("b")])).toEqual(["a", "b"]);
  });

  it("gives back the very middlewares", () => {
    const list = [named("a"), named("b", { outside: ["a"] })];
    expect(orderMiddleware(list)).toEqual([list[1], list[0]]);
    expect(orderMiddleware(list)[0]).toBe(list[1]);
  });

  it("refuses a missing requirement, naming both", () => {
    expect(() => namesOf([named("a", { requires: ["b"] })])).toThrow(refusal("RUN_OPTIONS", /"a" requires "b"/));
    expect(namesOf([named("a", { requires: ["b"] }), named("b")])).toEqual(["a", "b"]);
  });

  it("refuses two of one name", () => {
    expect(() => namesOf([named("a"), named("b"), named("a")])).toThrow(refusal("RUN_OPTIONS", /Two middlewares are named "a"/));
  });

  it.each([undefined, null, {}, { name: "" }, "logging"])("refuses what is no middleware: %j", (value) => {
    expect(() => orderMiddleware([value as unknown as Middleware])).toThrow(
      refusal("RUN_OPTIONS", /has no name|in the place of a middleware/),
    );
  });

  it("refuses a maker in place of what it makes, and hooks under names that nothing calls", () => {
    const logging = () => named("logging");
    expect(() => orderMiddleware([logging as unknown as Middleware])).toThrow(refusal("RUN_OPTIONS", /logging[^]*logging\(\)/));
    expect(() => orderMiddleware([{ ...named("a"), wrapTool: () => {} } as Middleware])).toThrow(
      refusal("RUN_OPTIONS", /"a" has "wrapTool"/),
    );
    expect(() => orderMiddleware([{ ...named("a"), onEvent: 5 } as unknown as Middleware])).toThrow(
      refusal("RUN_OPTIONS", /`onEvent` of the middleware "a"/),
    );
  });

  it.each([
    ["two that are outside each other", [named("a", { outside: ["b"] }), named("b", { outside: ["a"] })]],
    ["three in a ring", [named("a", { outside: ["b"] }), named("b", { outside: ["c"] }), named("c", { outside: ["a"] })]],
    ["one that is outside itself", [named("a", { outside: ["a"] })]],
  ])("refuses a circle: %s", (_, list) => {
    expect(() => namesOf(list)).toThrow(refusal("RUN_OPTIONS", /goes round in a circle: .*a/));
  });

  it("refuses wishes that are no lists of names", () => {
    expect(() => namesOf([{ name: "a", order: { inside: "b" } } as unknown as Middleware, named("b")])).toThrow(
      refusal("RUN_OPTIONS", /`order\.inside` of the middleware "a"/),
    );
  });

  it("satisfies whatever can be satisfied, and loses nothing", () => {
    const size = 6;
    // Wishes along a hidden order can always be met.
    const wishes = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(size).keys()], { minLength: size }), wishes, (given, pairs) => {
        const outside: string[][] = Array.from({ length: size }, () => []);
        const inside: string[][] = Array.from({ length: size }, () => []);
        const met: [outer: string, inner: string][] = [];
        for (const [one, other, byInner] of pairs) {
          if (one === other) continue;
          const [outer, inner] = [Math.min(one, other), Math.max(one, other)];
          met.push([`m${outer}`, `m${inner}`]);
          if (byInner) inside[inner]?.push(`m${outer}`);
          else outside[outer]?.push(`m${inner}`);
        }
        const names = namesOf(given.map((index) => named(`m${index}`, { outside: outside[index], inside: inside[index] })));
        expect(names.toSorted()).toEqual(given.map((index) => `m${index}`).toSorted());
        for (const [outer, inner] of met) expect(names.indexOf(outer)).toBeLessThan(names.indexOf(inner));
      }),
      { numRuns: 300 },
    );
  });
});
