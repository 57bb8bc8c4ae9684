import type { JsonValue } from "../contracts/json.js";
import type { RunState } from "../contracts/run.js";
import { canonicalJson } from "../schema/canonical-json.js";

/** The state with a signature over all that its JSON holds, if there is a secret. */
export function signed(state: RunState, [secret]: readonly string[]): RunState {
  return secret === undefined ? state : { ...state, signature: signatureOf(state, secret) };
}

/** True when one of the secrets has signed the state as it is. */
export function isSigned(state: RunState, secrets: readonly string[]): boolean {
  const { signature } = state;
  if (typeof signature !== "string") return false;
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const own = Buffer.from(signatureOf(state, secret));
    return own.length === given.length && timingSafeEqual(own, given);
  });
}

function signatureOf(state: RunState, secret: string): string {
  const { signature: _, history, ...rest } = state;
  // A session stays behind when the state becomes JSON, and another handle of it comes back.
  const kept = history.kind === "local" && history.session !== undefined ? { kind: "local", session: {} } : history;
  // Of the JSON and not of the objects, since fields that are undefined get lost there; with its keys in order, since some
  // databases change it.
  const plain = JSON.parse(JSON.stringify({ ...rest, history: kept })) as JsonValue;
  const { createHmac } = process.getBuiltinModule("node:crypto");
  return createHmac("sha256", secret).update(canonicalJson(plain)).digest("base64url");
}
