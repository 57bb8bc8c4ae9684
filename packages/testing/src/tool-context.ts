import type { ToolContext } from "@toolwright/core";

type Level = "debug" | "info" | "warn" | "error";

/** A line that a tool logged. */
export interface LogLine {
  readonly level: Level;
  readonly fields: object;
  readonly message: string | undefined;
}

/** A context for calling a tool method directly, which also shows what the method did with it. */
export interface TestToolContext<App> extends ToolContext<App> {
  /** What the tool gave to `progress()`, in order. Empty when `progress` was overridden. */
  readonly progressUpdates: readonly Parameters<ToolContext["progress"]>[0][];
  /** What the tool logged, in order. Empty when `log` was overridden. */
  readonly logLines: readonly LogLine[];
}

/** Any field of a context that a test wants to set. */
export type ToolContextOverrides<App> = { readonly [Field in keyof ToolContext<App>]?: ToolContext<App>[Field] | undefined };

/**
 * A ready {@link ToolContext} for unit tests of tool methods: first attempt of one call in step 0, never aborted, with a
 * log and progress that are recorded. A context with an `app` type wants the `app`.
 *
 * @example
 * const context = toolContext({ app: { userId: "u1" } });
 * await new OrderTools().cancel("o1", context);
 * expect(context.progressUpdates).toEqual(["asking the shop"]);
 */
export function toolContext(): TestToolContext<unknown>;
export function toolContext<App>(overrides: ToolContextOverrides<App> & { readonly app: App }): TestToolContext<App>;
export function toolContext(overrides: ToolContextOverrides<unknown>): TestToolContext<unknown>;
export function toolContext(overrides: ToolContextOverrides<unknown> = {}): TestToolContext<unknown> {
  const progressUpdates: Parameters<ToolContext["progress"]>[0][] = [];
  const logLines: LogLine[] = [];
  const writer =
    (level: Level) =>
    (fields: object, message?: string): void => {
      logLines.push({ level, fields, message });
    };
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  return {
    app: undefined,
    runId: "run_test",
    step: 0,
    callId: "call_test",
    attempt: 1,
    idempotencyKey: "run_test:0:call_test",
    signal: new AbortController().signal,
    log: { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") },
    progress: (update) => {
      progressUpdates.push(update);
    },
    ...given,
    progressUpdates,
    logLines,
  };
}
