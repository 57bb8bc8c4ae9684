import type { Decision, Interruption, RunState } from "@toolwright/core";
import { stored } from "./pausing.js";
import type { mischiefs } from "./random-pauses-plan.js";

/** A state and decisions that must be refused, made from good ones; undefined where there is nothing to make them of. */
export function mischief(
  kind: (typeof mischiefs)[number],
  state: RunState,
  interruptions: readonly Interruption[],
  good: readonly Decision[],
): { readonly state: string; readonly decisions: readonly Decision[] } | undefined {
  const text = JSON.stringify(state);
  const first = interruptions[0];
  if (first === undefined) return undefined;
  const { callId, reason } = first;
  switch (kind) {
    case "unknown id":
      return { state: text, decisions: [...good, { callId: `${callId}0`, approve: true }] };
    case "two words":
      return { state: text, decisions: [...good, ...good] };
    case "wrong word":
      return { state: text, decisions: [reason === "approval" ? { callId, resolve: "absent" } : { callId, approve: true }] };
    case "bad edit": {
      const waiting = interruptions.find((each) => each.reason === "approval");
      if (waiting === undefined) return undefined;
      // Wrong for every tool, and a hosted server's call cannot be edited at all.
      return { state: text, decisions: [{ callId: waiting.callId, approve: true, arguments: { n: {}, input: 7 } }] };
    }
    case "other arguments": {
      const edited = stored(state);
      const call = edited.calls.find(
        (each) => each["outcome"] === undefined || (each["outcome"] as { kind?: unknown }).kind === "interrupted",
      );
      if (call === undefined) return undefined;
      call["arguments"] = { n: 77, key: 0, input: "another" };
      return { state: JSON.stringify(edited), decisions: good };
    }
    case "another version":
      return { state: JSON.stringify({ ...state, version: 2 }), decisions: good };
    default:
      return assertNever(kind);
  }
}

function assertNever(kind: never): never {
  throw new Error(`Unknown mischief: ${String(kind)}`);
}
