import { type FailedResult, ToolwrightError } from "@toolwright/core";

/** The work that a failed run had done: its steps, with the outcome of each call. */
export function workDone(error: unknown): FailedResult {
  if (!ToolwrightError.is(error) || error.result === undefined) throw error;
  // Errors of the build and of the registry have no result; one that has it ended a run.
  return error.result;
}
