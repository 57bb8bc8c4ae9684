import type { CallIdentity } from "../contracts/history.js";
import type { FunctionCallItem } from "../contracts/item.js";
import type { JsonObject } from "../contracts/json.js";
import type { ToolCall } from "../contracts/middleware.js";
import type { InterruptedOutcome, ToolOutcome } from "../contracts/outcome.js";
import type { CallRecord, Decision, Interruption, RunState } from "../contracts/run.js";
import type { RunnableTool } from "../contracts/tool.js";
import type { Ticket } from "./lanes.js";

/** A call of the present step while it is worked on. */
export interface OpenCall {
  /** What a store knows it by. */
  readonly identity: CallIdentity;
  readonly callId: string;
  readonly name: string;
  readonly tool: RunnableTool | undefined;
  /** As the middlewares see it: frozen. */
  readonly call: ToolCall;
  /** Known before anything runs: the call is wrong, or a limit is reached. */
  readonly refusal: ToolOutcome | undefined;
  readonly decision: Decision | undefined;
  /** It belongs to the step that a resumed run had paused in. */
  readonly fromPause: boolean;
  /** True once it has started there, or what was decided about it has become its outcome. */
  claimed: boolean;
  /** What it waited for when the run paused, as long as nobody has decided. */
  readonly waited: InterruptedOutcome["reason"] | undefined;
  /** Places in the lanes of its keys; undefined for a read without a key. */
  ticket: Ticket | undefined;
  /** True when the ticket is for the toolkit's own lane, which moves on after a time limit. */
  keyless: boolean;
  attempts: number;
  /** A method is running now. */
  running: boolean;
  /** The attempt at work, whether or not a middleware still waits for it. */
  working: Promise<ToolOutcome> | undefined;
  /** Resolves when the method of a timed-out attempt has really ended. */
  orphan: Promise<void> | undefined;
  /** The arguments as the layers around passed them on, checked again. */
  finalArguments: JsonObject | undefined;
  /** What a person was shown when the call last waited. */
  readonly shown: JsonObject | undefined;
  /** A person has decided, but about other arguments than those that would run now. */
  askedAgain: boolean;
  /** The inner run of an agent used as a tool, while it is at work. */
  inner: { readonly acted: boolean } | undefined;
  /** The inner run when it has paused, from before or by this step. */
  innerState: RunState | undefined;
  /** What waits in it. */
  innerInterruptions: readonly Interruption[];
  /** Decisions about calls of the inner run, under their ids there. */
  readonly innerDecisions: readonly Decision[];
  /** It waits behind a call that waits for a person. */
  behind: boolean;
  /** What the tool itself came to; a middleware may not lose it. */
  coreOutcome: ToolOutcome | undefined;
  /** What the store was last told that it came to. */
  recorded: ToolOutcome | undefined;
  /** What it came to in the end. */
  outcome: ToolOutcome | undefined;
  /** What a middleware threw. */
  failure: unknown;
  /** When its pipeline began, and when its method was first called. */
  openedAt: number;
  startedAt: number;
  durationMs: number;
}

/** The public record of a settled call. */
export function callRecord(open: OpenCall, outcome: ToolOutcome): CallRecord {
  return Object.freeze({
    callId: open.callId,
    tool: open.name,
    arguments: open.finalArguments ?? (open.call.issues === undefined ? open.call.arguments : undefined),
    outcome,
    attempts: open.attempts,
    durationMs: open.durationMs,
  });
}

/** Two calls under one id are twins: the same call told twice, or two different ones that cannot be told apart. */
export interface CallGroup {
  readonly item: FunctionCallItem;
  readonly conflicting: boolean;
}

/** Groups the calls of a reply by their ids, in the model's order. */
export function groupTwins(items: readonly FunctionCallItem[]): readonly CallGroup[] {
  const groups = new Map<string, { item: FunctionCallItem; conflicting: boolean }>();
  for (const item of items) {
    const known = groups.get(item.call_id);
    if (known === undefined) groups.set(item.call_id, { item, conflicting: false });
    else if (known.item.name !== item.name || known.item.arguments !== item.arguments) known.conflicting = true;
  }
  return [...groups.values()];
}
