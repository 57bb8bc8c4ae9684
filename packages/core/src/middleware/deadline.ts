import { ToolwrightError } from "../errors/toolwright-error.js";
import { milliseconds, type OptionCheck } from "./options.js";

/** A time that something may take: no time at all would only ever fail. */
export const timeLimit: OptionCheck = (value) => (value === 0 ? "more than 0 milliseconds" : milliseconds(value));

/** The end of one request. Call `clear` when the request is over, or its timer stays behind. */
export interface Deadline {
  readonly signal: AbortSignal;
  clear(): void;
}

/**
 * A signal that is aborted when the time is over, or as soon as an outer one is.
 *
 * @param error - the signal's reason, which the request then rejects with.
 */
export function deadline(limitMs: number, outer: AbortSignal | undefined, error: () => ToolwrightError): Deadline {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(error()), limitMs);
  const signal = outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]);
  return { signal, clear: () => clearTimeout(timer) };
}

/** What a wait rejects with when the signal of its request ended it: what the request itself would have rejected with. */
export function endedRequest({ reason }: AbortSignal): ToolwrightError {
  if (ToolwrightError.is(reason)) return reason;
  return new ToolwrightError("MODEL_TIMEOUT", "The request was ended before it was sent.", { cause: reason });
}

/** What a wait rejects with when the run was aborted. */
export function abortedIn(owner: string, signal: AbortSignal): ToolwrightError {
  return new ToolwrightError("RUN_ABORTED", `The run was aborted while ${owner} waited.`, { cause: signal.reason });
}
