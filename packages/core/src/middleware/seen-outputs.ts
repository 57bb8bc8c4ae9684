import type { Item } from "../contracts/item.js";
import type { Mutable } from "../contracts/middleware.js";
import type { ModelRequest } from "../contracts/model.js";
import { answeredCall, callOf, callsIn } from "../run/history-calls.js";

/** Output that the model has read, or may have. */
export interface SeenOutput {
  /** The tool that it came from; undefined for what a server keeps or has sealed, of which nothing is known here. */
  readonly tool: string | undefined;
  /** The first step of this run that could read it; 0 for what stood in the history already. */
  readonly step: number;
}

/** As it is kept in the state of a run: each tool once, with the first step that could read output of it. */
export type SeenState = {
  readonly seen: readonly { readonly tool: string | null; readonly step: number }[];
  /** True once the history that the run began with was looked through. */
  readonly begun: boolean;
};

export const nothingSeen = (): SeenState => ({ seen: [], begun: false });

/** Notes output of a tool, or of a server's own history (null), from the step on that can read it. */
export function noteOutput(state: Mutable<SeenState>, tool: string | null, step: number): void {
  const known = state.seen.find((each) => each.tool === tool);
  if (known !== undefined && known.step <= step) return;
  state.seen = [...state.seen.filter((each) => each !== known), { tool, step }];
}

/** Items that stand for what only the server knows; a reference may leave its type out. */
const sealed: ReadonlySet<string | undefined> = new Set(["compaction", "compaction_summary", "item_reference", undefined]);

/** Looks once through the history that a run begins with. */
export function noteHistory(state: Mutable<SeenState>, { input, state: owner }: ModelRequest): void {
  if (state.begun) return;
  state.begun = true;
  const names = new Map(callsIn(input).map((call) => [call.call_id, call.name]));
  for (const item of input) {
    const callId = answeredCall(item);
    // A person's word on a call that the provider makes is no output of it.
    if (callId !== undefined && item.type !== "mcp_approval_response") noteOutput(state, names.get(callId) ?? null, 0);
    else if (sealed.has(item.type)) noteOutput(state, null, 0);
    else noteHosted(state, item, 0);
  }
  if (owner.kind === "conversation" || (owner.kind === "chained" && owner.previousResponseId !== undefined)) noteOutput(state, null, 0);
}

/** Calls of tools that the provider runs itself: the model reads their outputs within the same reply. */
export function noteHosted(state: Mutable<SeenState>, item: Item, step: number): void {
  if (!item.type.endsWith("_call") || callOf(item) !== undefined) return;
  // Known by the same name as one that waits for approval.
  const known = item.type === "mcp_call" ? `${String(item["server_label"])}.${String(item["name"])}` : item.type.slice(0, -"_call".length);
  noteOutput(state, known, step);
}

/** What the model could have read when it wrote the calls of a step. */
export function seenAt(state: SeenState, step: number): readonly SeenOutput[] {
  return state.seen.filter((each) => each.step <= step).map((each) => ({ tool: each.tool ?? undefined, step: each.step }));
}
