import type { JsonObject } from "../contracts/json.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { RunnableTool, ToolContext, ToolInfo } from "../contracts/tool.js";
import { safely } from "../errors/safely.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { echoMismatch } from "../schema/echo.js";
import type { OpenCall } from "./open-call.js";
import { abortedOutcome, abortedSkip, echoOutcome, ok, thrownOutcome, timeoutOutcome } from "./outcomes.js";
import type { Run } from "./run.js";
import { showValue } from "./show-value.js";

/**
 * Calls the method once. Resolves with its outcome, or as soon as its time is over or the run is aborted, whatever the
 * method does; a method that goes on after that is an orphan, and what it gives is let go.
 */
export function invokeTool(
  run: Run,
  open: OpenCall,
  tool: RunnableTool,
  checked: JsonObject,
  invoke: (context: ToolContext) => unknown,
  limitMs: number,
): Promise<ToolOutcome> {
  const { info } = tool;
  const controller = new AbortController();
  announce(run, open, tool, checked);
  if (run.abort.aborted) {
    // An observer of its start aborted the run: it was announced, but it has not begun.
    open.running = false;
    open.attempts -= 1;
    return Promise.resolve(abortedSkip);
  }
  return new Promise((resolve) => {
    // Of this attempt alone: a later one of the same call may be running when this one's method ends.
    let settled = false;
    let ended: (() => void) | undefined;
    let offAbort = (): void => {};
    const settle = (outcome: ToolOutcome): void => {
      clearTimeout(timer);
      offAbort();
      settled = true;
      open.running = false;
      resolve(outcome);
    };
    const timer = setTimeout(() => {
      settle(timeoutOutcome(info, limitMs));
      leaveOrphan(open, info, new Promise((done) => (ended = done)));
      controller.abort(new ToolwrightError("TOOL_TIMEOUT", `${info.name} did not end within ${limitMs} ms.`));
    }, limitMs);
    offAbort = run.abort.onAbort(() => {
      settle(abortedOutcome(info, run.abort.reason));
      controller.abort(run.abort.reason);
    });
    const finish = (outcome: () => ToolOutcome, late: object): void => {
      if (!settled) settle(sure(outcome, info));
      else
        run.kernel.log.warn(
          { tool: info.name, callId: open.callId, ...late },
          "a tool ended after its call was settled; its result is not used",
        );
      ended?.();
    };
    call(invoke, toolContext(run, open, tool, controller.signal)).then(
      (value) => finish(() => returnedOutcome(info, checked, value), {}),
      (error: unknown) => finish(() => thrownOutcome(info, error), { err: error }),
    );
  });
}

// Whatever is thrown or returned, it may be an object whose every trap throws.
function sure(outcome: () => ToolOutcome, info: ToolInfo): ToolOutcome {
  return (
    safely(outcome, undefined) ?? thrownOutcome(info, new TypeError(`${info.name} threw or returned something that cannot be looked at.`))
  );
}

async function call(invoke: (context: ToolContext) => unknown, context: ToolContext): Promise<unknown> {
  return invoke(context);
}

/** Counts an attempt and tells of it. */
export function announce(run: Run, open: OpenCall, tool: RunnableTool, checked: JsonObject): void {
  const { info } = tool;
  open.running = true;
  open.attempts += 1;
  if (info.effect !== "read" && tool.agent === undefined) run.markActed();
  run.attempts.set(open.callId, open.attempts);
  if (open.startedAt === 0) open.startedAt = performance.now();
  if (!run.observed) return;
  const { callId } = open;
  if (open.attempts === 1) void run.emit({ type: "tool-start", callId, tool: info.name, arguments: checked });
  void run.emit({ type: "tool-attempt", callId, tool: info.name, attempt: open.attempts });
}

// Its keys stay held until it has really ended; writes that name no key are not held up by it.
function leaveOrphan(open: OpenCall, info: ToolInfo, ended: Promise<void>): void {
  open.orphan = ended;
  const { ticket } = open;
  if (ticket === undefined) return;
  if (open.keyless) ticket.release();
  else ticket.orphan(`${info.name} (${open.callId}) works on the same thing, is over its time and has not ended.`);
}

function returnedOutcome(info: ToolInfo, checked: JsonObject, value: unknown): ToolOutcome {
  const mismatch = info.echo.length === 0 ? undefined : echoMismatch(value, checked, info.echo);
  return mismatch === undefined ? ok(showValue(value)) : echoOutcome(info, mismatch);
}

/** What a tool gets beside its arguments. */
export function toolContext(run: Run, open: OpenCall, tool: RunnableTool, signal: AbortSignal): ToolContext {
  return {
    app: run.app,
    runId: run.id,
    step: run.step,
    callId: open.callId,
    attempt: open.attempts,
    idempotencyKey: open.call.idempotencyKey,
    signal,
    log: run.kernel.log,
    progress: (update) => void run.emit({ type: "tool-progress", callId: open.callId, tool: tool.info.name, update }),
  };
}
