import { ToolwrightError } from "./toolwright-error.js";

/**
 * What a tool throws to tell the model something: its message is public. Anything else that is thrown reads
 * "The tool failed (reference …)" for the model.
 *
 * @example
 * throw new ToolError({ code: "CITY_CLOSED", message: "No data for this city today.", retryable: false });
 */
export class ToolError extends ToolwrightError {
  override readonly name = "ToolError";

  constructor(options: {
    /** Stable and short, e.g. `ORDER_LOCKED`. */
    readonly code: string;
    /** The model reads it. */
    readonly message: string;
    /** Whether the same call may succeed later. Default false. */
    readonly retryable?: boolean | undefined;
    readonly cause?: unknown;
  }) {
    super(options.code, options.message, { retryable: options.retryable ?? false, cause: options.cause });
  }
}
