import { safely } from "./safely.js";

const marker: unique symbol = Symbol.for("toolwright.run-stop") as never;

/**
 * Thrown by a middleware to end the run early and in order: `run()` then resolves with this stop reason instead of
 * rejecting. No middleware should catch it.
 */
export class RunStop extends Error {
  override readonly name = "RunStop";
  readonly stopReason: "budget";
  readonly reason: string;

  constructor(stopReason: "budget", reason: string) {
    super(reason);
    this.stopReason = stopReason;
    this.reason = reason;
    Object.defineProperty(this, marker, { value: true });
  }

  /** True for a RunStop of any copy of this package. */
  static is(error: unknown): error is RunStop {
    return typeof error === "object" && error !== null && safely(() => marker in error, false);
  }
}
