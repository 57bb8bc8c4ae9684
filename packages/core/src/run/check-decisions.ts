import type { Decision, RunState } from "../contracts/run.js";
import { assertDecisionForm } from "./decision-form.js";
import { carriedOut, innerDecisions, isClaimed } from "./decisions.js";
import { kernelAfter } from "./handoff.js";
import { isHosted, toolByIdentity } from "./hosted-approval.js";
import type { Kernel, ToolSet } from "./kernel.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { innerKernel } from "./run-state.js";
import { wrongState } from "./state-error.js";

/**
 * Checks decisions against the calls that wait.
 *
 * @throws ToolwrightError `RUN_STATE` for an unknown call id, two decisions on one call, one of the wrong kind, or one that
 * was carried out already.
 */
export function checkDecisions(state: RunState, decisions: readonly Decision[], kernel: Kernel): void {
  const { tools } = kernelAfter(kernel, state.handoffs ?? []);
  const seen = new Set<string>();
  if (!Array.isArray(decisions)) throw wrongState("`decisions` is not a list.", "Pass `decisions: [{ callId, approve: true }]`.");
  for (const decision of decisions) {
    assertDecisionForm(decision);
    if (isInner(state, decision)) continue;
    const found = state.calls.find((call) => call.callId === decision.callId);
    const outcome = found?.agent === undefined ? found?.outcome : undefined;
    if (outcome?.kind !== "interrupted") {
      const waiting = waitingCalls(state);
      throw wrongState(
        `No call ${JSON.stringify(decision.callId)} waits for a decision. Waiting: ${waiting.join(", ") || "none"}.`,
        "Use the callId of one of `result.interruptions`.",
      );
    }
    if (seen.has(decision.callId)) throw wrongState(`There are two decisions about ${decision.callId}.`, "Decide each call once.");
    seen.add(decision.callId);
    const asks = outcome.reason === "approval" ? "approve" : "resolve";
    if (!(asks in decision))
      throw wrongState(
        `The call ${decision.callId} waits for \`${asks}\`.`,
        asks === "approve"
          ? "Decide it with `approve: true` or `approve: false`."
          : 'Decide it with `resolve: "done"` or `resolve: "absent"`.',
      );
    assertEdit(state, decision, tools);
    assertFirst(state, decision);
  }
  for (const call of state.calls) {
    if (call.agent !== undefined) checkDecisions(call.agent, innerDecisions(decisions, call.callId), innerKernel(call, tools));
  }
}

// About a call inside an agent's: that agent's own state says whether it waits.
const isInner = (state: RunState, { callId }: Decision): boolean =>
  state.calls.some((call) => call.agent !== undefined && String(callId).startsWith(`${call.callId}/`));

const waitingCalls = ({ calls }: RunState): readonly string[] =>
  calls.flatMap((call) => {
    if (call.agent !== undefined) return waitingCalls(call.agent).map((callId) => `${call.callId}/${callId}`);
    return call.outcome?.kind === "interrupted" ? [call.callId] : [];
  });

// An edit that does not fit would use the approval up for nothing.
function assertEdit(state: RunState, decision: Decision, tools: ToolSet): void {
  if (!("approve" in decision) || !decision.approve || decision.arguments === undefined) return;
  const call = state.calls.find(({ callId }) => callId === decision.callId);
  const tool = toolByIdentity(tools, call?.tool ?? "");
  if (tool === undefined) return;
  const checked = tool.check(decision.arguments);
  if (!checked.ok) {
    const issues = checked.issues.map(
      ({ path, expected, received }) => `${path || "arguments"}: expected ${expected}, received ${received}`,
    );
    throw wrongState(
      `The edited arguments of ${decision.callId} do not fit: ${issues.join("; ")}.`,
      "Correct `arguments` of the decision.",
    );
  }
  if (!isHosted(tool.info) || canonicalJson(checked.arguments) === canonicalJson(call?.arguments ?? {})) return;
  throw wrongState(
    `The arguments of ${decision.callId} cannot be edited: the server that makes the call has them already.`,
    "Approve the call as it is, or deny it with a reason.",
  );
}

// Said before anything runs. On a session, what an earlier resume came to is read from there, and holds.
function assertFirst({ runId, step, history }: RunState, { callId }: Decision): void {
  if (history.kind === "local" && history.session !== undefined) return;
  if (isClaimed({ runId, step, callId })) throw carriedOut(callId);
}
