import type { JsonObject } from "../contracts/json.js";
import type { Decision } from "../contracts/run.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { OpenCall } from "./open-call.js";

// Oldest first. A person decides far fewer calls in the life of a process than are remembered here.
const used = new Set<string>();
const remembered = 100_000;

/**
 * Takes a decision as it takes effect: once in this process, however often the same state is resumed.
 *
 * @throws ToolwrightError `RUN_STATE` the second time.
 */
export function claimDecision(open: OpenCall): void {
  if (open.decision === undefined || open.decisionClaimed) return;
  const { runId, step, callId } = open.identity;
  const key = `${runId}/${step}/${callId}`;
  if (used.has(key)) {
    throw new ToolwrightError("RUN_STATE", `The decision about ${callId} has been carried out already.`, {
      fix: "A state can be resumed once. Go on from the result of that run, or from its `error.result.history`.",
      details: { callId },
    });
  }
  open.decisionClaimed = true;
  used.add(key);
  const [oldest] = used;
  if (used.size > remembered && oldest !== undefined) used.delete(oldest);
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
