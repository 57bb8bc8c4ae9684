import { describe, expect, it } from "vitest";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { ToolContext } from "../contracts/tool.js";
import { fillSlots } from "./fill-slots.js";

// Only its identity matters here.
const context = { runId: "run" } as ToolContext;

describe("fillSlots", () => {
  it("puts arguments by name, and the context where it is declared", () => {
    expect(fillSlots([{ argument: "b" }, { context: true }, { argument: "a" }], { a: 1, b: null }, context)).toEqual([null, context, 1]);
  });

  it("leaves an absent argument undefined, so that the parameter's default applies", () => {
    const method = (a: number, page = 1, extra = "toString"): unknown => [a, page, extra];
    const [a, page, extra] = fillSlots([{ argument: "a" }, { argument: "page" }, { argument: "toString" }], { a: 3 }, context);
    expect(method(a as number, page as number, extra as string)).toEqual([3, 1, "toString"]);
  });

  it("passes all arguments as one object, and the outcome to a compensation", () => {
    const decoded = { a: 1 };
    const outcome: ToolOutcome = { kind: "ok", output: "done" };
    expect(fillSlots([{ arguments: true }, { outcome: true }], decoded, context, outcome)).toEqual([decoded, outcome]);
    expect(fillSlots([{ outcome: true }], decoded, context)).toEqual([undefined]);
  });
});
