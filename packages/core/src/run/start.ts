import type { RunEvent } from "../contracts/event.js";
import type { HistoryOption } from "../contracts/history.js";
import type { InputItem } from "../contracts/item.js";
import type { RunCall } from "../contracts/middleware.js";
import type { Decision, RunResult, RunState } from "../contracts/run.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Kernel } from "./kernel.js";
import { assertInput, type OpenStep, runLoop } from "./loop.js";
import { openHistory } from "./open-history.js";
import { asToolwrightError, runError, stopped } from "./result.js";
import { inputItems } from "./history-items.js";
import { Run } from "./run.js";
import type { NestedStart } from "./run-setup.js";

/** How to start a run, in any of the three ways. */
export interface StartOptions {
  readonly input: readonly InputItem[];
  readonly history: HistoryOption;
  readonly app: unknown;
  readonly signal: AbortSignal | undefined;
  readonly stream: boolean;
  readonly consumer: ((event: RunEvent) => void | Promise<void>) | undefined;
  readonly resumed: { readonly state: RunState; readonly decisions: readonly Decision[] } | undefined;
}

/** A run that has begun. `result` is observed: it never causes an unhandled rejection. */
export interface StartedRun {
  readonly result: Promise<RunResult<unknown>>;
  abort(reason: unknown): void;
}

/** Starts a run; what is wrong with its options rejects `result` like any other failure. */
export function startRun(kernel: () => Kernel, setup: () => StartOptions, nested?: NestedStart): StartedRun {
  let run: Run | undefined;
  let early: { readonly reason: unknown } | undefined;
  const begin = async (): Promise<RunResult<unknown>> => {
    const options = setup();
    const ready = kernel();
    const { history, openStep, store, release } = await openHistory(ready, options.history, options.resumed, options.signal);
    try {
      assertInput(options.input, history.goesOn);
      run = new Run(ready, {
        history,
        store,
        session: options.history.session,
        app: options.app,
        signal: options.signal,
        stream: options.stream,
        consumer: options.consumer,
        resumed: options.resumed?.state,
        parent: nested?.parent,
        startNested,
      });
      nested?.onRun(run);
      if (early !== undefined) run.abort.abort(early.reason);
      return await runToEnd(run, options.input, openStep);
    } finally {
      await release();
    }
  };
  const result = begin().catch((error: unknown) => {
    throw asToolwrightError(error);
  });
  result.catch(() => {});
  return {
    result,
    abort(reason) {
      if (run === undefined) early = { reason };
      else run.abort.abort(reason);
    },
  };
}

// Fresh each time: what the outer run keeps of it is the output of one call.
function startNested(start: NestedStart): Promise<RunResult<unknown>> {
  const { kernel, input, resumed, signal, consumer, parent } = start;
  const setup = (): StartOptions => ({
    input: inputItems(input),
    history: resumed?.state.history ?? { kind: "local" },
    app: parent.run.app,
    signal,
    stream: parent.run.stream,
    consumer,
    resumed,
  });
  return startRun(() => kernel, setup, start).result;
}

async function runToEnd(run: Run, input: readonly InputItem[], openStep: OpenStep | undefined): Promise<RunResult<unknown>> {
  let settling: Promise<unknown> = Promise.resolve();
  let stopReason: RunResult<unknown>["stopReason"] | "error" = "error";
  try {
    void run.emit({ type: "run-start" });
    if (run.abort.aborted) throw run.abort.error();
    let step = openStep;
    const core = (call: RunCall): Promise<RunResult<unknown>> => {
      const loop = runLoop(run, call, step).catch((error: unknown) => stopOrThrow(run, error));
      // A wrap that repeats the run goes on from there: the calls of the open step are not run again.
      step = undefined;
      settling = loop;
      return loop;
    };
    const pipeline = run.compose<RunCall, RunResult<unknown>>("wrapRun", core);
    const result = await run.abort.race(pipeline(Object.freeze({ input })).catch((error: unknown) => stopOrThrow(run, error)));
    assertResult(result);
    stopReason = result.stopReason;
    return result;
  } catch (error) {
    if (run.abort.aborted) await settled(settling);
    throw runError(run, error);
  } finally {
    void run.emit({ type: "run-end", stopReason, usage: run.usage.snapshot() });
    run.limits.end();
    run.abort.dispose();
  }
}

const stopReasons: ReadonlySet<unknown> = new Set(["completed", "interrupted", "budget", "refused"] satisfies RunResult["stopReason"][]);

function assertResult(result: RunResult<unknown>): void {
  if (stopReasons.has(result.stopReason)) return;
  throw new ToolwrightError("RUN_MIDDLEWARE", "A middleware answered `wrapRun` with something that is no result.", {
    fix: "Return what `next(call)` gave, or a copy of it with another `output`.",
  });
}

function stopOrThrow(run: Run, error: unknown): RunResult<unknown> {
  if (RunStop.is(error) && !run.abort.aborted) return stopped(run, error);
  throw error;
}

// An abort ends the wait at once, but the calls of the step have their own moment to settle first.
async function settled(loop: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([loop.catch(() => {}), new Promise((resolve) => (timer = setTimeout(resolve, 60)))]);
  clearTimeout(timer);
}
