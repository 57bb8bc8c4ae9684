import type { HistoryOption, Session } from "../contracts/history.js";
import type { Item } from "../contracts/item.js";
import type { CallRecord, FailedResult, RunResult, RunState } from "../contracts/run.js";
import type { Usage } from "../contracts/usage.js";
import { inspectCustom, inspected } from "../errors/inspect-custom.js";
import { maskSecrets } from "../errors/mask.js";
import type { RunStop } from "../errors/run-stop.js";
import { safely } from "../errors/safely.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { SettledStep } from "./execute-calls.js";
import { unheardOutcome } from "./outcomes.js";
import type { Run } from "./run.js";
import { signed } from "./state-signature.js";

// Printing a result must not print the conversation; its fields are there for who asks.
function printable<Result extends { readonly stopReason: string; readonly steps: readonly unknown[]; readonly usage: Usage }>(
  result: Result,
): Result {
  const { stopReason, steps, usage } = result;
  const output = "output" in result ? result.output : undefined;
  const summary = { stopReason, ...(output !== undefined && { output }), steps: steps.length, usage };
  return Object.defineProperty(result, inspectCustom, { value: () => `RunResult ${inspected(summary)}`, enumerable: false });
}

function base(run: Run) {
  return {
    runId: run.id,
    agent: run.active.name,
    items: [...run.history.added],
    history: run.history.snapshot(),
    steps: [...run.steps],
    usage: run.usage.snapshot(),
    interruptions: run.paused?.interruptions ?? [],
  };
}

export function completed(run: Run, output: unknown): RunResult<unknown> {
  return printable({ ...base(run), stopReason: "completed", output });
}

export function refused(run: Run, refusal: string): RunResult<unknown> {
  return printable({ ...base(run), stopReason: "refused", refusal });
}

export function stopped(run: Run, stop: RunStop): RunResult<unknown> {
  run.endPause(unheardOutcome);
  return printable({ ...base(run), stopReason: stop.stopReason, reason: stop.reason });
}

export function interrupted(run: Run, reply: readonly Item[], step: SettledStep, usageBefore: Usage): RunResult<unknown> {
  run.paused = { interruptions: step.interruptions, calls: step.records, usage: run.usage.since(usageBefore) };
  for (const { callId, tool, reason } of step.interruptions) void run.emit({ type: "interruption", callId, tool, reason });
  const shared = base(run);
  const state: RunState = {
    version: 1,
    runId: run.id,
    step: run.step,
    ...(run.handoffs.length > 0 && { handoffs: [...run.handoffs] }),
    history: run.session === undefined ? shared.history : sessionHistory(run.session),
    responseId: run.responseId,
    items: shared.items,
    reply,
    calls: step.states,
    steps: shared.steps,
    usage: shared.usage,
    usageBefore,
    toolCalls: Object.fromEntries(run.toolCalls),
    middleware: structuredClone(run.middlewareState()),
    pauses: run.pauses,
    ...(run.acted && { acted: true }),
    ...(run.outputRepairs > 0 && { outputRepairs: run.outputRepairs }),
    ...(run.unknownWrites.size > 0 && { unknownWrites: Object.fromEntries(run.unknownWrites) }),
  };
  return printable({ ...shared, stopReason: "interrupted", state: signed(state, run.kernel.stateSecrets) });
}

// As JSON it says that there is a session, and nothing of what an application's own one may hold, such as a password.
function sessionHistory(session: Session): HistoryOption {
  const bare = { kind: "local", session: {} };
  return Object.defineProperties({ kind: "local", session }, { toJSON: { value: () => bare }, [inspectCustom]: { value: () => bare } });
}

export function budgetError(steps: number): ToolwrightError {
  return new ToolwrightError("RUN_BUDGET", `The budget of ${steps} steps is used up, and the model has not answered.`, {
    details: { budget: "steps", limit: steps },
  });
}

/** The error that a failed run rejects with: always a ToolwrightError, with the work done so far as `result`. */
export function runError(run: Run, thrown: unknown): ToolwrightError {
  const error = run.abort.aborted ? abortedError(run, thrown) : asToolwrightError(thrown);
  run.endPause(unheardOutcome);
  const unknownCalls: CallRecord[] = run.steps.flatMap((step) => step.calls.filter((call) => call.outcome.kind === "unknown"));
  const result: FailedResult = printable({ ...base(run), stopReason: "error", unknownCalls });
  // Not enumerable: printing the error must not print the history.
  Object.defineProperty(error, "result", { value: result, enumerable: false, configurable: true, writable: true });
  return error;
}

function abortedError(run: Run, thrown: unknown): ToolwrightError {
  const error = run.abort.error();
  return error.code === "RUN_ABORTED" && ToolwrightError.is(thrown, "RUN_ABORTED") ? thrown : error;
}

/** Whatever was thrown, as a ToolwrightError. */
export function asToolwrightError(thrown: unknown): ToolwrightError {
  if (ToolwrightError.is(thrown)) return thrown;
  return new ToolwrightError(
    "RUN_FAILED",
    `Something unexpected broke the run: ${safely(() => (thrown instanceof Error ? maskSecrets(thrown.message) : typeof thrown), "something odd")}`,
    { cause: thrown },
  );
}
