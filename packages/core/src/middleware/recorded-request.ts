import type { Item } from "../contracts/item.js";
import type { ModelCall } from "../contracts/middleware.js";
import { answeredKey, callKey } from "../run/history-kinds.js";
import { askedModel } from "./asked-model.js";
import { firstDifference } from "./first-difference.js";
import { withoutFenceIds } from "./without-fence-ids.js";

/** All that makes a request what it is, without what servers and runs name anew each time. */
export interface PlainRequest {
  readonly model: string;
  readonly instructions: unknown;
  readonly input: readonly unknown[];
  readonly tools: unknown;
  readonly toolChoice: unknown;
  readonly settings: unknown;
  readonly answerOnly: unknown;
}

/** A request as it is kept: what it has in common with the one before it is left out. */
export interface RequestChange {
  /** Items at the beginning of `input` that are those of the request before. */
  readonly same: number;
  /** The items after these. */
  readonly input: readonly unknown[];
  /** Fields that are others than before; null for one that is not there. */
  readonly changed: { readonly [field: string]: unknown };
}

const fields = ["model", "instructions", "tools", "toolChoice", "settings", "answerOnly"] as const;

export function plainRequest(call: ModelCall): PlainRequest {
  const { instructions, input, tools, toolChoice, settings, answerOnly } = call.request;
  return { model: askedModel(call), instructions, input: plainItems(input), tools, toolChoice, settings, answerOnly };
}

/** Reasoning can only be read by the server that gave it, and a replayed reply has none. Calls are told apart by their order. */
function plainItems(input: readonly Item[]): readonly unknown[] {
  const callIds = new Map<unknown, string>();
  return input
    .filter(({ type }) => type !== "reasoning")
    .map(({ id: _, status: __, ...item }) => {
      const kept = withoutIdsInTexts(item) as Item;
      if (callKey(kept) === undefined && answeredKey(kept) === undefined) return kept;
      const callId = kept["call_id"];
      if (!callIds.has(callId)) callIds.set(callId, `call ${callIds.size + 1}`);
      return { ...kept, call_id: callIds.get(callId) };
    });
}

function withoutIdsInTexts(value: unknown): unknown {
  if (typeof value === "string") return withoutFenceIds(value);
  if (Array.isArray(value)) return value.map(withoutIdsInTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutIdsInTexts(field)]));
}

export function requestChange(request: PlainRequest, before: PlainRequest | undefined): RequestChange {
  let same = 0;
  const old = before?.input ?? [];
  while (same < old.length && same < request.input.length && firstDifference(old[same], request.input[same]) === undefined) same += 1;
  const changed = fields.filter((field) => before === undefined || firstDifference(before[field], request[field]) !== undefined);
  return {
    same,
    input: request.input.slice(same),
    changed: Object.fromEntries(changed.map((field) => [field, request[field] ?? null])),
  };
}

/** The request that a change leads to. */
export function changedRequest({ same, input, changed }: RequestChange, before: PlainRequest | undefined): PlainRequest {
  const field = (name: (typeof fields)[number]): unknown => (Object.hasOwn(changed, name) ? (changed[name] ?? undefined) : before?.[name]);
  return {
    model: String(field("model")),
    instructions: field("instructions"),
    input: [...(before?.input ?? []).slice(0, same), ...input],
    tools: field("tools"),
    toolChoice: field("toolChoice"),
    settings: field("settings"),
    answerOnly: field("answerOnly"),
  };
}
