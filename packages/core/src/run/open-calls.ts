import type { FunctionCallItem } from "../contracts/item.js";
import type { JsonObject } from "../contracts/json.js";
import type { ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { CallState, Decision } from "../contracts/run.js";
import type { Issue } from "../contracts/schema.js";
import type { RunnableTool, ToolInfo } from "../contracts/tool.js";
import { parseArguments } from "../schema/parse-arguments.js";
import { editedArguments, innerDecisions } from "./decisions.js";
import type { LaneKey } from "./lanes.js";
import { isHosted, toolOf } from "./hosted-approval.js";
import { type CallGroup, groupTwins, type OpenCall } from "./open-call.js";
import { invalid, invalidArguments, skipped } from "./outcomes.js";
import { resourceKeys, writeKey } from "./resource.js";
import type { Run } from "./run.js";

/** What is already known of a step's calls: from a pause, or from a session that was cut off. */
export interface SettledCalls {
  /** From a pause: each call may start once in this process. */
  readonly isPause: boolean;
  readonly calls: readonly CallState[];
  readonly decisions: readonly Decision[];
}

/** Makes the calls of a reply ready: looked up, checked, counted, and each in its place in the lanes, before any starts. */
export function openCalls(run: Run, items: readonly FunctionCallItem[], settled: SettledCalls | undefined): readonly OpenCall[] {
  const groups = groupTwins(items);
  const handoff = groups.find(({ item }) => run.active.tools.byName.get(item.name)?.handoff !== undefined)?.item.call_id;
  const opened = groups.map((group) => open(run, group, settled, handoff));
  for (const call of opened) if (call.outcome === undefined && call.refusal === undefined) reserve(run, call);
  return opened;
}

function open(run: Run, { item, conflicting }: CallGroup, settled: SettledCalls | undefined, handoff: string | undefined): OpenCall {
  const state = settled?.calls.find((call) => call.callId === item.call_id);
  const decision = settled?.decisions.find((each) => each.callId === item.call_id) ?? state?.decision;
  const tool = toolOf(run.active.tools, item.name);
  const outcome = state?.outcome?.kind === "interrupted" ? undefined : state?.outcome;
  // A call that is over had the arguments that it had: edited by a person, changed by a middleware.
  const settledWith = outcome === undefined ? undefined : (state?.shown ?? state?.arguments);
  const checked =
    settledWith === undefined
      ? check(tool, item, editedArguments(decision) ?? editedArguments(state?.decision))
      : { arguments: settledWith, issues: undefined };
  const refusal =
    outcome === undefined
      ? (refuse(run, item, tool, checked.issues, conflicting, state !== undefined) ?? secondHandoff(item, tool, handoff))
      : undefined;
  const call = toolCall(run, item, tool, checked, decision);
  // Its process died, or the pause came after it: an equal write in this run could double its effect.
  if (outcome?.kind === "unknown" && tool !== undefined)
    run.unknownWrites.set(writeKey(tool.info.name, checked.arguments), call.idempotencyKey);
  return {
    identity: { ...run.identity, callId: item.call_id },
    callId: item.call_id,
    name: item.name,
    tool,
    call,
    refusal,
    decision,
    fromPause: settled?.isPause === true,
    claimed: false,
    waited: waited(state, decision),
    ticket: undefined,
    keyless: false,
    attempts: state?.attempts ?? 0,
    running: false,
    working: undefined,
    orphan: undefined,
    finalArguments: undefined,
    shown: state?.shown ?? state?.arguments,
    askedAgain: false,
    inner: undefined,
    innerState: state?.agent,
    innerInterruptions: [],
    innerDecisions: settled === undefined ? [] : innerDecisions(settled.decisions, item.call_id),
    behind: false,
    coreOutcome: undefined,
    recorded: outcome,
    outcome,
    failure: undefined,
    openedAt: 0,
    startedAt: 0,
    durationMs: state?.durationMs ?? 0,
  };
}

// Only a person ends such a wait, whatever the tool or a middleware would say today. An agent that has paused waits inside.
function waited(state: CallState | undefined, decision: Decision | undefined): OpenCall["waited"] {
  if (decision !== undefined || state?.agent !== undefined || state?.outcome?.kind !== "interrupted") return undefined;
  return state.outcome.reason;
}

interface Checked {
  readonly arguments: JsonObject;
  readonly issues: readonly Issue[] | undefined;
}

const nothing: JsonObject = Object.freeze({});

function check(tool: RunnableTool | undefined, item: FunctionCallItem, edited: JsonObject | undefined): Checked {
  if (tool === undefined) return { arguments: nothing, issues: [] };
  const parsed = edited === undefined ? parseArguments(item.arguments) : ({ ok: true, value: edited } as const);
  if (!parsed.ok) return { arguments: nothing, issues: parsed.issues };
  const checked = tool.check(parsed.value);
  return checked.ok ? { arguments: checked.arguments, issues: undefined } : { arguments: nothing, issues: checked.issues };
}

function refuse(
  run: Run,
  item: FunctionCallItem,
  tool: RunnableTool | undefined,
  issues: readonly Issue[] | undefined,
  conflicting: boolean,
  counted: boolean,
): ToolOutcome | undefined {
  if (conflicting) {
    return invalid(
      "TOOL_DUPLICATE_CALL",
      `Two different calls came under the id ${item.call_id}. Neither was run; make them again, one id each.`,
    );
  }
  if (tool === undefined) {
    const tools = [...run.active.tools.byName.keys()];
    return invalid("TOOL_UNKNOWN", `There is no tool ${item.name}. There are: ${tools.join(", ") || "none"}.`, { tools });
  }
  if (issues !== undefined) return invalidArguments(tool.info.name, issues);
  if (run.step >= run.kernel.maxSteps - 1) {
    return skipped(`the run's budget of ${run.kernel.maxSteps} steps is used up, so nobody would read its output.`);
  }
  return counted ? undefined : overLimit(run, tool.info);
}

// Only one agent can answer next.
function secondHandoff(item: FunctionCallItem, tool: RunnableTool | undefined, first: string | undefined): ToolOutcome | undefined {
  if (tool?.handoff === undefined || item.call_id === first) return undefined;
  return skipped("another handoff of the same reply comes first.");
}

// Counted before anything starts and in the model's order, so that calls side by side cannot slip past the limit.
function overLimit(run: Run, tool: ToolInfo): ToolOutcome | undefined {
  const count = run.toolCalls.get(tool.name) ?? 0;
  if (tool.maxCalls !== undefined && count >= tool.maxCalls) {
    return skipped(`${tool.name} may be called ${tool.maxCalls} times in a run, and was.`);
  }
  run.toolCalls.set(tool.name, count + 1);
  return undefined;
}

function toolCall(
  run: Run,
  item: FunctionCallItem,
  tool: RunnableTool | undefined,
  checked: Checked,
  decision: Decision | undefined,
): ToolCall {
  const decided = decision !== undefined && "approve" in decision ? (decision.approve ? "approved" : "denied") : undefined;
  return Object.freeze({
    callId: item.call_id,
    name: item.name,
    tool: tool?.info,
    arguments: checked.arguments,
    rawArguments: item.arguments,
    issues: checked.issues,
    step: run.step,
    idempotencyKey: run.idempotencyKey(run.identity, item.call_id),
    ...(decided !== undefined && { decided }),
  });
}

function reserve(run: Run, call: OpenCall): void {
  const { info, agent, handoff } = call.tool as RunnableTool;
  // The calls of the inner run take their own places; an agent that held one while they wait for it could wait for ever.
  if (agent !== undefined || handoff !== undefined || isHosted(info)) return;
  const keys: LaneKey[] = resourceKeys(info, call.call.arguments).map((key) => ({ key, mode: info.effect === "read" ? "read" : "write" }));
  if (keys.length === 0) {
    if (info.effect === "read") return;
    call.keyless = true;
    // Writes of one toolkit that name nothing may work on the same thing.
    keys.push({ key: `toolkit ${info.identity.slice(0, info.identity.lastIndexOf("."))}`, mode: "write" });
  }
  call.ticket = run.lanes.reserve(keys);
}
