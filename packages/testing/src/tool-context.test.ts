import type { ToolContext } from "@toolwright/core";
import { expect, expectTypeOf, test } from "vitest";
import { toolContext } from "./tool-context.js";

interface App {
  readonly userId: string;
}

async function cancel(orderId: string, context: ToolContext<App>): Promise<string> {
  context.progress(`cancelling ${orderId}`);
  context.log.info({ user: context.app.userId }, "asked");
  context.signal.throwIfAborted();
  return `${context.app.userId} ${context.callId} ${context.attempt}`;
}

test("is ready for a tool method and shows what the method did with it", async () => {
  const context = toolContext({ app: { userId: "u1" }, attempt: 2 });
  expect(await cancel("o1", context)).toBe("u1 call_test 2");
  expect(context.progressUpdates).toEqual(["cancelling o1"]);
  expect(context.logLines).toEqual([{ level: "info", fields: { user: "u1" }, message: "asked" }]);
});

test("has defaults for everything, and takes undefined as not given", () => {
  expect(toolContext({ attempt: undefined })).toMatchObject({
    runId: "run_test",
    step: 0,
    callId: "call_test",
    attempt: 1,
    idempotencyKey: "run_test:0:call_test",
    app: undefined,
  });
  expect(toolContext().signal.aborted).toBe(false);
});

test("takes a signal of the test's own", async () => {
  await expect(cancel("o1", toolContext({ app: { userId: "u1" }, signal: AbortSignal.abort(new Error("stopped")) }))).rejects.toThrow(
    "stopped",
  );
});

test("is typed by its app", () => {
  expectTypeOf(toolContext({ app: { userId: "u1" } }).app).toEqualTypeOf<{ userId: string }>();
  expectTypeOf(toolContext().app).toEqualTypeOf<unknown>();
  // @ts-expect-error a context without its app does not fit a tool that reads it
  void (() => cancel("o1", toolContext()));
});
