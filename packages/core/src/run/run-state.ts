import type { CallState, Decision, RunState } from "../contracts/run.js";
import type { ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { parseArguments } from "../schema/parse-arguments.js";
import { editedArguments, innerDecisions } from "./decisions.js";
import { kernelAfter } from "./handoff.js";
import { callsIn } from "./history-calls.js";
import { toolByIdentity, toolOf } from "./hosted-approval.js";
import type { Kernel, ToolSet } from "./kernel.js";
import { canonicalJson } from "./resource.js";

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
export function readRunState(stateOrText: RunState | string, kernel: Kernel): RunState {
  const state = typeof stateOrText === "string" ? parse(stateOrText) : stateOrText;
  if (typeof state !== "object" || state === null || !Array.isArray(state.calls) || !Array.isArray(state.reply)) {
    throw wrong("This is not the state of a run.", "Pass `result.state`, or its JSON text.");
  }
  if (state.version !== 1)
    throw wrong(
      `The state has version ${String(state.version)}; this release reads version 1.`,
      "Resume it with the release that wrote it.",
    );
  const { tools } = kernelAfter(kernel, state.handoffs ?? []);
  for (const call of state.calls) {
    assertSameTool(call, tools);
    assertSameArguments(state, call, tools);
    if (call.agent !== undefined) readRunState(call.agent, innerKernel(call, tools));
  }
  return state;
}

// Whoever made the tool gave the kernel of an agent.
const innerKernel = (call: CallState, tools: ToolSet): Kernel => {
  const agent = [...tools.byName.values()].find(({ info }) => info.identity === call.tool)?.agent;
  if (agent !== undefined) return agent.kernel() as Kernel;
  throw wrong(
    `The call ${call.callId} has a paused agent in it, and ${call.tool ?? "its tool"} is no agent.`,
    "Give the agent the tools it was paused with.",
  );
};

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
  const tool = toolByIdentity(tools, call.tool);
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

// What a person was shown is what will run.
function assertSameArguments(state: RunState, call: CallState, tools: ToolSet): void {
  if (call.arguments === undefined || call.outcome?.kind !== "interrupted") return;
  const item = callsIn(state.reply).find((each) => each.call_id === call.callId);
  const tool = item === undefined ? undefined : toolOf(tools, item.name);
  const edited = editedArguments(call.decision);
  const parsed = edited === undefined ? parseArguments(item?.arguments) : ({ ok: true, value: edited } as const);
  const checked = parsed.ok ? tool?.check(parsed.value) : undefined;
  if (checked?.ok === true && canonicalJson(checked.arguments) === canonicalJson(call.arguments)) return;
  throw wrong(
    `The state says two things about the arguments of ${call.callId}.`,
    "Resume the state as it was given; edit arguments by `decisions`.",
  );
}

/**
 * Checks decisions against the calls that wait.
 *
 * @throws ToolwrightError `RUN_STATE` for an unknown call id, two decisions on one call, or one of the wrong kind.
 */
export function checkDecisions(state: RunState, decisions: readonly Decision[], kernel: Kernel): void {
  const { tools } = kernelAfter(kernel, state.handoffs ?? []);
  const seen = new Set<string>();
  if (!Array.isArray(decisions)) throw wrong("`decisions` is not a list.", "Pass `decisions: [{ callId, approve: true }]`.");
  for (const decision of decisions) {
    assertForm(decision);
    if (isInner(state, decision)) continue;
    const found = state.calls.find((call) => call.callId === decision.callId);
    const outcome = found?.agent === undefined ? found?.outcome : undefined;
    if (outcome?.kind !== "interrupted") {
      const waiting = waitingCalls(state);
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
    assertEdit(state, decision, tools);
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

const decisionForms: Readonly<Record<string, readonly string[]>> = {
  "approve true": ["callId", "approve", "arguments"],
  "approve false": ["callId", "approve", "reason"],
  "resolve done": ["callId", "resolve", "output"],
  "resolve absent": ["callId", "resolve"],
};

// Decisions come from forms and messages: "false" must not approve, and a misspelt field must not be no field at all.
function assertForm(decision: Decision): void {
  const fix = 'Decide with `approve: true`, `approve: false`, `resolve: "done"` or `resolve: "absent"`, as the types say.';
  if (typeof decision !== "object" || decision === null) throw wrong("A decision is not an object.", fix);
  const { callId, approve, resolve, reason } = decision as unknown as Record<string, unknown>;
  const form = approve === undefined ? `resolve ${String(resolve)}` : typeof approve === "boolean" ? `approve ${approve}` : "";
  const fields = decisionForms[form];
  if (fields === undefined) throw wrong(`The decision about ${JSON.stringify(callId)} is neither an approval nor a resolution.`, fix);
  const extra = Object.keys(decision).find((key) => !fields.includes(key));
  if (extra !== undefined)
    throw wrong(`The decision about ${JSON.stringify(callId)} has ${JSON.stringify(extra)}, which means nothing there.`, fix);
  if (reason !== undefined && typeof reason !== "string")
    throw wrong(`The reason of the decision about ${JSON.stringify(callId)} is no text.`, fix);
}

// An edit that does not fit would use the approval up for nothing.
function assertEdit(state: RunState, decision: Decision, tools: ToolSet): void {
  if (!("approve" in decision) || !decision.approve || decision.arguments === undefined) return;
  const identity = state.calls.find((call) => call.callId === decision.callId)?.tool;
  const tool = toolByIdentity(tools, identity ?? "");
  const checked = tool?.check(decision.arguments);
  if (checked === undefined || checked.ok) return;
  const issues = checked.issues.map(({ path, expected, received }) => `${path || "arguments"}: expected ${expected}, received ${received}`);
  throw wrong(`The edited arguments of ${decision.callId} do not fit: ${issues.join("; ")}.`, "Correct `arguments` of the decision.");
}

function wrong(message: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_STATE", message, { fix });
}
