import { ToolwrightError } from "../errors/toolwright-error.js";

/** Of a state, or of decisions, that cannot be resumed. */
export function wrongState(message: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_STATE", message, { fix });
}
