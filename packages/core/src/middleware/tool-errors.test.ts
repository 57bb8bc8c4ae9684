import { describe, expect, it } from "vitest";
import type { MiddlewareContext, ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { ToolError } from "../errors/tool-error.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { toolErrors, type ToolErrorsOptions } from "./tool-errors.js";

const call: ToolCall = {
  callId: "call_1",
  name: "charge",
  tool: undefined,
  arguments: { amount: 5 },
  rawArguments: '{"amount":5}',
  issues: undefined,
  step: 0,
  idempotencyKey: "key",
};
const error = { code: "TOOL_FAILED", message: "The tool failed (reference 1).", retryable: false };

function withCause(kind: "failed" | "unknown", cause: unknown): ToolOutcome {
  return Object.freeze(Object.defineProperty({ kind, error }, "cause", { value: cause, enumerable: false }));
}

const wrap = (outcome: ToolOutcome, options?: ToolErrorsOptions): Promise<ToolOutcome> =>
  // It needs nothing of the context.
  toolErrors(options).wrapToolCall!(call, async () => outcome, {} as MiddlewareContext);

const all: readonly ToolOutcome[] = [
  { kind: "ok", output: "done" },
  { kind: "invalid", error },
  withCause("failed", new Error("inside")),
  withCause("unknown", new Error("inside")),
  { kind: "denied", reason: "no" },
  { kind: "skipped", reason: "no" },
  { kind: "interrupted", reason: "approval" },
];

describe("toolErrors", () => {
  it.each(all)("leaves the outcome $kind as it is by default", async (outcome) => {
    expect(await wrap(outcome)).toBe(outcome);
  });

  it("gives the model the text of `format` for every failure, and for failures only", async () => {
    const shown: string[] = [];
    for (const outcome of all) {
      const result = await wrap(outcome, { format: (failure, { name }) => `${name}: ${failure.kind}` });
      if (result.output !== undefined) shown.push(String(result.output));
      expect(result.kind).toBe(outcome.kind);
    }
    expect(shown).toEqual(["done", "charge: invalid", "charge: failed", "charge: unknown", "charge: denied", "charge: skipped"]);
  });

  it("keeps the cause for code and logs, out of print", async () => {
    const cause = new Error("inside");
    const result = await wrap(withCause("failed", cause), { format: () => "No." });
    expect((result as { cause?: unknown }).cause).toBe(cause);
    expect(JSON.stringify(result)).not.toContain("cause");
  });

  it("keeps the standard text where `format` gives undefined", async () => {
    const outcome: ToolOutcome = { kind: "denied", reason: "no" };
    expect(await wrap(outcome, { format: () => undefined })).toBe(outcome);
  });

  it("refuses a format that is not a text", async () => {
    const format = (async () => "later") as unknown as () => string;
    await expect(wrap({ kind: "denied", reason: "no" }, { format })).rejects.toMatchObject({ code: "RUN_MIDDLEWARE" });
  });

  it("adds what was thrown with `expose`, and nothing without", async () => {
    const outcome = withCause("failed", new Error("connect ECONNREFUSED"));
    expect(JSON.stringify(await wrap(outcome))).not.toContain("ECONNREFUSED");
    const exposed = await wrap(outcome, { expose: true });
    expect(exposed).toMatchObject({ kind: "failed", error: { message: "The tool failed (reference 1). Cause: connect ECONNREFUSED" } });
    const own = withCause("failed", new ToolError({ code: "LOCKED", message: "Locked." }));
    expect(await wrap(own, { expose: true })).toBe(own);
  });

  describe("rethrow", () => {
    it("ends the run on a code of the list, naming the tool and keeping the cause", async () => {
      const cause = new Error("secret inside");
      const thrown: unknown = await wrap(withCause("failed", cause), { rethrow: ["TOOL_FAILED"] }).catch((caught: unknown) => caught);
      if (!ToolwrightError.is(thrown, "RUN_TOOL_FAILED")) throw new Error("another error was thrown");
      expect(thrown.message).toContain('The tool "charge" failed (TOOL_FAILED): The tool failed (reference 1).');
      expect(thrown.message).not.toContain("secret");
      expect(thrown.cause).toBe(cause);
      expect(thrown.details).toEqual({ tool: "charge", callId: "call_1", outcome: "failed", code: "TOOL_FAILED" });
    });

    it("leaves other codes, and outcomes without a code, to the model", async () => {
      for (const outcome of all) expect((await wrap(outcome, { rethrow: ["OTHER"] })).kind).toBe(outcome.kind);
    });

    it("ends the run where a predicate says so, but never on a call that waits", async () => {
      const ended: string[] = [];
      for (const outcome of all) {
        await wrap(outcome, { rethrow: () => true }).catch(() => ended.push(outcome.kind));
      }
      expect(ended).toEqual(["invalid", "failed", "unknown", "denied", "skipped"]);
    });
  });
});
