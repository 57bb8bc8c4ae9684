import type { CallState, RunState } from "../contracts/run.js";
import type { ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { parseArguments } from "../schema/parse-arguments.js";
import { assertDecisionForm } from "./decision-form.js";
import { editedArguments } from "./decisions.js";
import { kernelAfter } from "./handoff.js";
import { callsIn } from "./history-calls.js";
import { toolByIdentity, toolOf } from "./hosted-approval.js";
import type { Kernel, ToolSet } from "./kernel.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { wrongState } from "./state-error.js";
import { wrongFieldOf } from "./state-form.js";
import { isSigned } from "./state-signature.js";

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
 * @throws ToolwrightError `RUN_STATE` when it is no state, of another version, not signed as it must be, in contradiction to
 * itself, or of tools that have changed.
 */
export function readRunState(stateOrText: RunState | string, kernel: Kernel): RunState {
  const state = readState(stateOrText, kernel);
  if (!waits(state)) throw wrongState("Nothing in the state waits for a person.", asGiven);
  return state;
}

function readState(stateOrText: RunState | string, kernel: Kernel): RunState {
  const state = typeof stateOrText === "string" ? parse(stateOrText) : stateOrText;
  assertForm(state);
  if (kernel.stateSecrets.length > 0 && !isSigned(state, kernel.stateSecrets)) {
    throw wrongState(
      state.signature === undefined ? "The state is not signed." : "The state is not the one that was signed.",
      "Resume `result.state` as it was given, with the `stateSecret` that the run had.",
    );
  }
  const { tools } = kernelAfter(kernel, state.handoffs ?? []);
  assertSameCalls(state);
  for (const call of state.calls) assertOwnDecision(call);
  for (const call of state.calls) {
    assertSameTool(state, call, tools);
    assertSameArguments(state, call, tools);
    if (call.agent === undefined) continue;
    readState(call.agent, innerKernel(call, tools));
    assertOwnAgent(state, call);
  }
  return state;
}

function parse(text: string): RunState {
  try {
    // Checked field by field by the caller.
    return JSON.parse(text) as RunState;
  } catch (error) {
    throw new ToolwrightError("RUN_STATE", "The state is not JSON.", { cause: error, fix: "Pass `JSON.stringify(result.state)`." });
  }
}

function assertForm(state: RunState): void {
  const fix = "Pass `result.state`, or its JSON text.";
  if (typeof state !== "object" || state === null || Array.isArray(state)) throw wrongState("This is not the state of a run.", fix);
  const { version } = state as { readonly version?: unknown };
  if (version === undefined) throw wrongState("This is not the state of a run: it has no `version`.", fix);
  if (version !== 1)
    throw wrongState(
      `The state has version ${JSON.stringify(version)}; this release reads version 1.`,
      "Resume it with the release that wrote it.",
    );
  const field = wrongFieldOf(state);
  if (field !== undefined) throw wrongState(`The state's \`${field}\` is missing, or not of its form.`, fix);
}

// Whoever made the tool gave the kernel of an agent.
export function innerKernel(call: CallState, tools: ToolSet): Kernel {
  const agent = [...tools.byName.values()].find(({ info }) => info.identity === call.tool)?.agent;
  if (agent !== undefined) return agent.kernel() as Kernel;
  throw wrongState(
    `The call ${call.callId} has a paused agent in it, and ${call.tool ?? "its tool"} is no agent.`,
    "Give the agent the tools it was paused with.",
  );
}

const asGiven = "Resume the state as it was given; edit arguments by `decisions`.";

// A call that is missing among those kept would be made as a new one.
function assertSameCalls({ reply, calls }: RunState): void {
  const made = new Set(callsIn(reply).map((call) => call.call_id));
  const kept = new Set(calls.map((call) => call.callId));
  if (kept.size === calls.length && made.size === kept.size && [...made].every((callId) => kept.has(callId))) return;
  throw wrongState("The state says two things about which calls the model made.", asGiven);
}

// Inside of an agent there may be only calls that wait behind one of a run above.
const waits = ({ calls }: RunState): boolean =>
  calls.some(({ agent, outcome }) => (agent === undefined ? outcome?.kind === "interrupted" : waits(agent)));

function assertOwnDecision({ callId, decision }: CallState): void {
  if (decision === undefined) return;
  assertDecisionForm(decision);
  if (decision.callId !== callId) throw wrongState(`The state has another call's decision about ${callId}.`, asGiven);
}

function assertSameTool({ reply }: RunState, call: CallState, tools: ToolSet): void {
  if (call.tool === undefined) {
    // The model named no tool that there was, and has been told.
    if (call.outcome !== undefined && call.outcome.kind !== "interrupted") return;
    throw wrongState(`The state does not say which tool the call ${call.callId} is for.`, asGiven);
  }
  const tool = toolByIdentity(tools, call.tool);
  if (tool === undefined)
    throw wrongState(
      `The call ${call.callId} is for ${call.tool}, which this agent does not have.`,
      "Give the agent the tools it was paused with.",
    );
  const name = callsIn(reply).find((each) => each.call_id === call.callId)?.name ?? "";
  if (toolOf(tools, name)?.info.identity !== call.tool)
    throw wrongState(`The call ${call.callId} is of ${name}, and the state says that it is for ${call.tool}.`, asGiven);
  if (toolHash(tool.info) !== call.toolHash) {
    throw wrongState(
      `The tool ${call.tool} has changed since the call ${call.callId} was paused.`,
      "Start a new run from `result.history`: it answers the open calls as skipped.",
    );
  }
}

// What a person was shown is what will run.
function assertSameArguments(state: RunState, call: CallState, tools: ToolSet): void {
  if (call.outcome !== undefined && call.outcome.kind !== "interrupted") return;
  const item = callsIn(state.reply).find((each) => each.call_id === call.callId);
  const tool = item === undefined ? undefined : toolOf(tools, item.name);
  const edited = editedArguments(call.decision);
  const parsed = edited === undefined ? parseArguments(item?.arguments) : ({ ok: true, value: edited } as const);
  const checked = parsed.ok ? tool?.check(parsed.value) : undefined;
  if (checked?.ok === true && call.arguments !== undefined && canonicalJson(checked.arguments) === canonicalJson(call.arguments)) return;
  throw wrongState(`The state says two things about the arguments of ${call.callId}.`, asGiven);
}

// The run of an agent is called after the call that it answers. On a session, a step may have been another run's before.
function assertOwnAgent({ runId, history }: RunState, { callId, agent, attempts }: CallState): void {
  const id = agent?.runId ?? "";
  const isOfRun = id.startsWith(`${runId}/`) || (history.kind === "local" && history.session !== undefined);
  if (isOfRun && (id.endsWith(`/${callId}`) || id.endsWith(`/${callId}/${attempts}`))) return;
  throw wrongState(`The paused agent in the call ${callId} is another call's.`, asGiven);
}
