import type { CallIdentity } from "../contracts/history.js";
import type { JsonObject } from "../contracts/json.js";
import type { Decision } from "../contracts/run.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { OpenCall } from "./open-call.js";

// Oldest first. A person decides far fewer calls in the life of a process than are remembered here.
const used = new Set<string>();
const remembered = 100_000;

const keyOf = ({ runId, step, callId }: CallIdentity): string => `${runId}/${step}/${callId}`;

/**
 * Takes a call of a paused step as it starts, or as what a person decided becomes its outcome: once in this process, however
 * often the same state is resumed.
 *
 * @throws ToolwrightError `RUN_STATE` the second time.
 */
export function claimCall(open: OpenCall): void {
  if (!open.fromPause || open.claimed) return;
  const key = keyOf(open.identity);
  if (used.has(key)) throw carriedOut(open.callId);
  open.claimed = true;
  used.add(key);
  const [oldest] = used;
  if (used.size > remembered && oldest !== undefined) used.delete(oldest);
}

/** True when a call of a paused step has been taken in this process. */
export const isClaimed = (identity: CallIdentity): boolean => used.has(keyOf(identity));

export function carriedOut(callId: string): ToolwrightError {
  return new ToolwrightError("RUN_STATE", `The decision about ${callId} has been carried out already.`, {
    fix: "A state can be resumed once. Go on from the result of that run, or from its `error.result.history`.",
    details: { callId },
  });
}

/** Decisions about calls inside an agent's call, under their ids there. */
export function innerDecisions(decisions: readonly Decision[], callId: string): readonly Decision[] {
  const prefix = `${callId}/`;
  return decisions
    .filter((decision) => decision.callId.startsWith(prefix))
    .map((decision) => ({ ...decision, callId: decision.callId.slice(prefix.length) }));
}

/** The arguments that a person has put in the place of the model's. */
export function editedArguments(decision: Decision | undefined): JsonObject | undefined {
  return decision !== undefined && "approve" in decision && decision.approve ? decision.arguments : undefined;
}
