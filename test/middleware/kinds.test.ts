import { Agent } from "@toolwright/core";
import { budget, cache, inputGuard, outputGuard, toolGuard } from "@toolwright/core/middleware";
import { expect, it } from "vitest";
import { builtIns } from "../support/built-ins.js";

it("every built-in says what it is, whatever its name", () => {
  expect(builtIns.map(({ make }) => make().kind)).toEqual(builtIns.map(({ kind }) => kind));
});

it("a guard with a name of its own is still that guard", () => {
  const check = () => ({ pass: true }) as const;
  const guards = [inputGuard, outputGuard, toolGuard].map((guard) => guard({ name: "mine", check }));
  expect(guards.map(({ name, kind }) => [name, kind])).toEqual([
    ["mine", "inputGuard"],
    ["mine", "outputGuard"],
    ["mine", "toolGuard"],
  ]);
});

it("the order of others finds a renamed one", () => {
  const renamed = { ...budget({ toolCalls: 3 }), name: "calls" };
  const { hooks } = new Agent({ model: "test", middleware: [cache(), renamed] }).explain();
  const layers = hooks.wrapToolCall;
  expect(layers).toEqual(["calls", "cache"]);
});
