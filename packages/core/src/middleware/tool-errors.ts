import type { Middleware, ToolCall } from "../contracts/middleware.js";
import type { InterruptedOutcome, OkOutcome, ToolOutcome } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { aFunction, boolean, checkOptions, either, quote, textList } from "./options.js";

/** An outcome other than `ok` and `interrupted`. */
export type ToolFailure = Exclude<ToolOutcome, OkOutcome | InterruptedOutcome>;

/** Options of {@link toolErrors}. */
export interface ToolErrorsOptions {
  /**
   * The text that the model reads instead of the standard one; undefined keeps the standard one. `outcome.cause` may
   * hold secrets: what you return goes to the model.
   */
  readonly format?: ((outcome: ToolFailure, call: ToolCall) => string | undefined) | undefined;
  /**
   * Which failures end the run, as a predicate or a list of codes (`TOOL_TIMEOUT`, or a `ToolError`'s own). The run then
   * rejects with `RUN_TOOL_FAILED`, whose `cause` is what the tool threw. Default: none.
   */
  readonly rethrow?: readonly string[] | ((outcome: ToolFailure, call: ToolCall) => boolean) | undefined;
  /** Adds the message of what the tool threw to what the model reads. For development only: it may hold secrets. Default false. */
  readonly expose?: boolean | undefined;
}

/**
 * Decides what the model reads of a failure and which failures end the run. Without options, every outcome keeps the
 * standard text: a code, a public message, what is wrong with the arguments. A call that waits for a person is never
 * touched.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, `RUN_TOOL_FAILED` for a failure that `rethrow`
 * names.
 */
export function toolErrors(options: ToolErrorsOptions = {}): Middleware {
  checkOptions("toolErrors", options, { format: aFunction, rethrow: either(textList, aFunction), expose: boolean });
  const { format, rethrow, expose = false } = options;
  return {
    name: "toolErrors",
    kind: "toolErrors",
    ...(rethrow === undefined ? {} : { traits: ["throws-outcomes"] as const }),
    options: { format: format !== undefined, rethrow: typeof rethrow === "object" ? [...rethrow] : rethrow !== undefined, expose },
    async wrapToolCall(call, next) {
      const outcome = await next(call);
      if (outcome.kind === "ok" || outcome.kind === "interrupted") return outcome;
      if (rethrow !== undefined && endsRun(rethrow, outcome, call)) throw toolFailed(outcome, call);
      const shown = expose ? withCause(outcome) : outcome;
      const text: unknown = format?.(shown, call);
      if (text === undefined) return shown;
      if (typeof text === "string") return changed(shown, { output: text });
      throw new ToolwrightError(
        "RUN_MIDDLEWARE",
        `toolErrors({ format }) must return a text or undefined; for ${quote(call.name)} it returned ${quote(text)}.`,
      );
    },
  };
}

function endsRun(rethrow: NonNullable<ToolErrorsOptions["rethrow"]>, outcome: ToolFailure, call: ToolCall): boolean {
  if (typeof rethrow === "function") return rethrow(outcome, call);
  return "error" in outcome && rethrow.includes(outcome.error.code);
}

const happened = {
  invalid: "was called wrongly",
  failed: "failed",
  unknown: "may or may not have had its effect",
  denied: "was denied",
  skipped: "was skipped",
} as const satisfies { readonly [kind in ToolFailure["kind"]]: string };

function toolFailed(outcome: ToolFailure, call: ToolCall): ToolwrightError {
  const error = "error" in outcome ? outcome.error : undefined;
  const why = error === undefined ? ("reason" in outcome ? `: ${outcome.reason}` : "") : ` (${error.code}): ${error.message}`;
  return new ToolwrightError("RUN_TOOL_FAILED", `The tool ${quote(call.name)} ${happened[outcome.kind]}${why}`, {
    cause: "cause" in outcome ? outcome.cause : undefined,
    details: { tool: call.name, callId: call.callId, outcome: outcome.kind, ...(error === undefined ? {} : { code: error.code }) },
  });
}

/** The outcome with the thrown message in its public one, so that the standard text shows it too. */
function withCause(outcome: ToolFailure): ToolFailure {
  if (outcome.kind !== "failed" && outcome.kind !== "unknown") return outcome;
  const { cause, error } = outcome;
  const message = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : "";
  // The message of a ToolError is the public one already.
  if (message === "" || ToolwrightError.is(cause)) return outcome;
  return changed(outcome, { error: { ...error, message: `${error.message} Cause: ${message}` } });
}

/** A changed copy. The cause is not enumerable, so that it is never printed by accident: a spread alone would lose it. */
function changed<O extends ToolFailure>(outcome: O, changes: Partial<O>): O {
  const copy = { ...outcome, ...changes };
  if ("cause" in outcome) Object.defineProperty(copy, "cause", { value: outcome.cause, enumerable: false });
  return copy;
}
