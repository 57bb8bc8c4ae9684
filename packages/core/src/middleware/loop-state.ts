import type { ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { digest } from "./digest.js";

/** A call that was made before. Digests, so that neither arguments nor outputs are kept. */
export type SeenCall = {
  call: string;
  outcome: string;
  /** How often it came to this outcome. */
  count: number;
  /** The step in whose output the model was told; -1 before that. */
  told: number;
};

/** What a guard against loops knows of one run. */
export type LoopState = {
  /** The one that was made last comes last. */
  calls: SeenCall[];
  /** Invalid calls in a row. */
  invalid: number;
  /** The step in whose output the model was told of them; -1 before that. */
  invalidTold: number;
  /** Why the run is to end. */
  end: { reason: string; limit: number } | null;
};

export const newLoopState = (): LoopState => ({ calls: [], invalid: 0, invalidTold: -1, end: null });

/** Calls that are remembered: a circle of more different ones is left to the run's budget. */
const remembered = 64;

/**
 * What makes two calls the same: the tool and its arguments, whatever the order of their keys. After a handoff, another
 * agent's tool may have the same name.
 */
export function callDigest({ name, tool, arguments: checked, rawArguments, issues }: ToolCall): string {
  return digest(`${name} ${tool?.identity ?? ""} ${issues === undefined ? canonicalJson(checked) : rawArguments}`);
}

export function seenCall({ calls }: LoopState, call: string): SeenCall | undefined {
  return calls.find((seen) => seen.call === call);
}

/** Counts an outcome of a call; gives what is now known of the call. */
export function countOutcome(state: LoopState, call: ToolCall, outcome: ToolOutcome, maxChars: number): SeenCall {
  const key = callDigest(call);
  const result = outcomeDigest(outcome, maxChars);
  const before = seenCall(state, key);
  const seen = before?.outcome === result ? before : { call: key, outcome: result, count: 0, told: -1 };
  // Something new was done, so that calls made before it may come to something else now.
  if (seen !== before && mayChange(call, outcome)) for (const other of state.calls) Object.assign(other, { count: 0, told: -1 });
  seen.count += 1;
  state.calls = [...state.calls.filter((other) => other.call !== key), seen].slice(-remembered);
  return seen;
}

/** Counts invalid calls in a row. One that did not run says nothing about whether the model writes valid ones. */
export function countInvalid(state: LoopState, { kind }: ToolOutcome): void {
  if (kind === "skipped" || kind === "interrupted") return;
  if (kind === "invalid") state.invalid += 1;
  else Object.assign(state, { invalid: 0, invalidTold: -1 });
}

function mayChange({ tool }: ToolCall, { kind }: ToolOutcome): boolean {
  return tool !== undefined && tool.effect !== "read" && (kind === "ok" || kind === "unknown");
}

// A failure has a new reference each time, which makes it no other failure.
const reference = /\(reference [0-9a-f]+\)/g;

function outcomeDigest(outcome: ToolOutcome, maxChars: number): string {
  if ("error" in outcome) {
    const { code, message, issues } = outcome.error;
    return digest(`${outcome.kind} ${code} ${message.replace(reference, "")} ${canonicalJson(issues ?? [])}`);
  }
  if ("reason" in outcome) return digest(`${outcome.kind} ${outcome.reason}`);
  const text = typeof outcome.output === "string" ? outcome.output : JSON.stringify(outcome.output);
  // The model reads no more of it.
  return digest(`ok ${text.length} ${text.slice(0, maxChars)}`);
}
