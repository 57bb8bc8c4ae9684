import type { ToolOutcome } from "../contracts/outcome.js";
import { cutOutput, cutText, narrowerCall } from "./history-cut.js";

const seen = new WeakMap<ToolOutcome, ToolOutcome>();

/** An outcome with no more text than the model will read of it: it is kept in records, events, stores and paused states. */
export function boundedOutcome(outcome: ToolOutcome, maxChars: number): ToolOutcome {
  const known = seen.get(outcome);
  if (known !== undefined) return known;
  const bounded = bound(outcome, maxChars);
  seen.set(outcome, bounded);
  return bounded;
}

function bound(outcome: ToolOutcome, maxChars: number): ToolOutcome {
  const output = outcome.output === undefined ? undefined : cutOutput(outcome.output, maxChars, narrowerCall);
  const message = "error" in outcome ? outcome.error.message : undefined;
  const isLong = message !== undefined && message.length > maxChars;
  if (output === outcome.output && !isLong) return outcome;
  const copy = {
    ...outcome,
    ...(output !== undefined && { output }),
    ...("error" in outcome &&
      isLong && { error: { ...outcome.error, message: cutText(message, maxChars, "It is too long to be shown.") } }),
  } as ToolOutcome; // the same kind with shorter texts
  if ("cause" in outcome) Object.defineProperty(copy, "cause", { value: outcome.cause, enumerable: false });
  return Object.freeze(copy);
}
