import { ToolwrightError } from "../errors/toolwright-error.js";

/** What went wrong with a session itself: its file, its content, or who may write to it. */
export function sessionError(
  message: string,
  fix: string,
  more: { readonly cause?: unknown; readonly retryable?: boolean; readonly details?: Readonly<Record<string, unknown>> } = {},
): ToolwrightError {
  return new ToolwrightError("RUN_SESSION", message, { fix, ...more });
}

/** Another run has the session. */
export function sessionBusy(name: string, holder: string): ToolwrightError {
  return new ToolwrightError("RUN_SESSION_BUSY", `${name} is in use by another run, ${holder}.`, {
    retryable: true,
    fix: "Start the next run on a session when the one before has ended, or give each conversation a session of its own.",
  });
}

/** The handle's time is over: it was released, or another run took the session over. */
export function sessionLost(name: string): ToolwrightError {
  return sessionError(
    `${name} is no longer this run's: it was released, or another run took it over because this process did not answer in time.`,
    "Start a new run on the session: it goes on from what is recorded.",
  );
}

/** Nothing can follow calls without outputs. */
export function stepOpen(name: string): ToolwrightError {
  return sessionError(
    `${name} holds a step whose calls have no outputs yet, so nothing can follow it.`,
    "Run an agent on the session: it settles that step first.",
  );
}

/** A record for a step that is over, or that never was. */
export function stepUnknown(name: string): ToolwrightError {
  return sessionError(`${name} holds no such open step.`, "Record the reply of a step before its calls, and its outputs once.");
}
