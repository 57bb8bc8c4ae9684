import type { ContentPart } from "./item.js";
import type { Issue } from "./schema.js";

/** What the model reads as a tool's output. */
export type ToolOutput = string | readonly ContentPart[];

/** The public side of a failure: no stack, path or secret. */
export interface OutcomeError {
  /** Stable code, e.g. `TOOL_ARGUMENTS_INVALID`, or the code of a `ToolError`. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly issues?: readonly Issue[] | undefined;
  /** Names of the tools there are, when the call named none of them. */
  readonly tools?: readonly string[] | undefined;
}

interface OutcomeBase {
  /** What the model reads instead of the standard text of this outcome. `toolErrors({ format })` sets it. */
  readonly output?: ToolOutput | undefined;
}

/** The method returned. */
export interface OkOutcome extends OutcomeBase {
  readonly kind: "ok";
  readonly output: ToolOutput;
}
/** The call itself was wrong; nothing ran. Never retried. */
export interface InvalidOutcome extends OutcomeBase {
  readonly kind: "invalid";
  readonly error: OutcomeError;
}
/** Certainly no effect, or a read, or an idempotent tool. `cause` is for logs and code, never for the model. */
export interface FailedOutcome extends OutcomeBase {
  readonly kind: "failed";
  readonly error: OutcomeError;
  readonly cause?: unknown;
}
/** A started write that is neither done nor surely undone. */
export interface UnknownOutcome extends OutcomeBase {
  readonly kind: "unknown";
  readonly error: OutcomeError;
  readonly cause?: unknown;
}
/** Refused by a person or a policy. */
export interface DeniedOutcome extends OutcomeBase {
  readonly kind: "denied";
  readonly reason: string;
}
/** Not run, for a reason that is not the call's fault. */
export interface SkippedOutcome extends OutcomeBase {
  readonly kind: "skipped";
  readonly reason: string;
}
/**
 * Waiting for approval, or for a person to settle an `unknown`. It has an `output` only where the call is an agent's that had
 * acted before it paused: what the model reads when nobody decides.
 */
export interface InterruptedOutcome extends OutcomeBase {
  readonly kind: "interrupted";
  readonly reason: "approval" | "unknown-outcome";
}

/** What became of one call: a value, told apart by `kind`. */
export type ToolOutcome = OkOutcome | InvalidOutcome | FailedOutcome | UnknownOutcome | DeniedOutcome | SkippedOutcome | InterruptedOutcome;
