import type { CallState, Decision, RunState } from "../contracts/run.js";
import type { ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { ToolSet } from "./kernel.js";

const hashes = new WeakMap<ToolInfo, string>();

/** Tells whether a tool is still the one that a paused call was made for. */
export function toolHash(info: ToolInfo): string {
  let hash = hashes.get(info);
  if (hash === undefined) {
    const { identity, parameters, effect, resource, needsApproval } = info;
    // Loaded here: only a paused run needs it, and loading it costs every import some milliseconds.
    const { createHash } = process.getBuiltinModule("node:crypto");
    hash = createHash("sha256")
      .update(JSON.stringify([identity, parameters, effect, resource, needsApproval]))
      .digest("hex")
      .slice(0, 32);
    hashes.set(info, hash);
  }
  return hash;
}

/**
 * Reads a paused run.
 *
 * @throws ToolwrightError `RUN_STATE` when it is no state, of another version, or its tools have changed.
 */
export function readRunState(stateOrText: RunState | string, tools: ToolSet): RunState {
  const state = typeof stateOrText === "string" ? parse(stateOrText) : stateOrText;
  if (typeof state !== "object" || state === null || !Array.isArray(state.calls) || !Array.isArray(state.reply)) {
    throw wrong("This is not the state of a run.", "Pass `result.state`, or its JSON text.");
  }
  if (state.version !== 1)
    throw wrong(
      `The state has version ${String(state.version)}; this release reads version 1.`,
      "Resume it with the release that wrote it.",
    );
  for (const call of state.calls) assertSameTool(call, tools);
  return state;
}

function parse(text: string): RunState {
  try {
    // Checked field by field by the caller, as far as anything hangs on it.
    return JSON.parse(text) as RunState;
  } catch (error) {
    throw new ToolwrightError("RUN_STATE", "The state is not JSON.", { cause: error, fix: "Pass `JSON.stringify(result.state)`." });
  }
}

function assertSameTool(call: CallState, tools: ToolSet): void {
  if (call.tool === undefined) return;
  const tool = [...tools.byName.values()].find(({ info }) => info.identity === call.tool);
  if (tool === undefined)
    throw wrong(
      `The call ${call.callId} is for ${call.tool}, which this agent does not have.`,
      "Give the agent the tools it was paused with.",
    );
  if (toolHash(tool.info) !== call.toolHash) {
    throw wrong(
      `The tool ${call.tool} has changed since the call ${call.callId} was paused.`,
      "Start a new run from `result.history`: it answers the open calls as skipped.",
    );
  }
}

/**
 * Checks decisions against the calls that wait.
 *
 * @throws ToolwrightError `RUN_STATE` for an unknown call id, two decisions on one call, or one of the wrong kind.
 */
export function checkDecisions(state: RunState, decisions: readonly Decision[]): void {
  const seen = new Set<string>();
  for (const decision of decisions) {
    const outcome = state.calls.find((call) => call.callId === decision.callId)?.outcome;
    if (outcome?.kind !== "interrupted") {
      const waiting = state.calls.filter((call) => call.outcome?.kind === "interrupted").map((call) => call.callId);
      throw wrong(
        `No call ${JSON.stringify(decision.callId)} waits for a decision. Waiting: ${waiting.join(", ") || "none"}.`,
        "Use the callId of one of `result.interruptions`.",
      );
    }
    if (seen.has(decision.callId)) throw wrong(`There are two decisions about ${decision.callId}.`, "Decide each call once.");
    seen.add(decision.callId);
    const asks = outcome.reason === "approval" ? "approve" : "resolve";
    if (!(asks in decision))
      throw wrong(
        `The call ${decision.callId} waits for \`${asks}\`.`,
        asks === "approve"
          ? "Decide it with `approve: true` or `approve: false`."
          : 'Decide it with `resolve: "done"` or `resolve: "absent"`.',
      );
  }
}

function wrong(message: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_STATE", message, { fix });
}
