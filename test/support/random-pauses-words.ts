import type { Decision, Interruption, JsonObject } from "@toolwright/core";
import type { PausePlan } from "./random-pauses-plan.js";

/** Mixes a text to a number, the same in every process. */
export function mixed(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return hash >>> 0;
}

/** Where in the whole run a call stands, agents inside of agents included: its ids from the outermost call on. */
export const placeOf = (idempotencyKey: string): string =>
  idempotencyKey
    .split("/")
    .filter((part) => /^(s\d+_\d+|mcpr_\w+)$/.test(part))
    .join("/");

/** What a person says of the call at a place, whenever they are asked. */
export function wordOf({ words }: PausePlan, place: string): PausePlan["words"][number] {
  return words[mixed(place) % words.length] ?? "approve";
}

export const reason = "Not on a Sunday.";

/** The arguments that a person writes in the place of those that are shown; undefined where they change nothing. */
export function edited(shown: JsonObject): JsonObject | undefined {
  const { n, input } = shown;
  if (typeof n === "number") return { ...shown, n: (n + 1) % 5 };
  return typeof input === "string" && !input.startsWith("at ") ? { input: `${input}, edited` } : undefined;
}

/** The decision about a call that waits. */
export function decide(plan: PausePlan, { callId, arguments: shown, reason: asks }: Interruption): Decision {
  const word = wordOf(plan, callId);
  if (asks === "unknown-outcome")
    return word.startsWith("deny") ? { callId, resolve: "done", output: "told" } : { callId, resolve: "absent" };
  if (word === "deny") return { callId, approve: false };
  if (word === "deny with a reason") return { callId, approve: false, reason };
  // What a hosted server asks for is made by it, so nobody can edit it.
  const own = callId.includes("mcpr_") ? undefined : edited(shown);
  if (word === "edit" && own !== undefined) return { callId, approve: true, arguments: own };
  return { callId, approve: true, ...(word === "say again" && { arguments: shown }) };
}
