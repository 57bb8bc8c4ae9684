import type { Decision } from "../contracts/run.js";
import { wrongState } from "./state-error.js";

const decisionForms: Readonly<Record<string, readonly string[]>> = {
  "approve true": ["callId", "approve", "arguments"],
  "approve false": ["callId", "approve", "reason"],
  "resolve done": ["callId", "resolve", "output"],
  "resolve absent": ["callId", "resolve"],
};

/**
 * Decisions come from forms and messages: "false" must not approve, and a misspelt field must not be no field at all.
 *
 * @throws ToolwrightError `RUN_STATE`.
 */
export function assertDecisionForm(decision: Decision): void {
  const fix = 'Decide with `approve: true`, `approve: false`, `resolve: "done"` or `resolve: "absent"`, as the types say.';
  if (typeof decision !== "object" || decision === null) throw wrongState("A decision is not an object.", fix);
  const { callId, approve, resolve, reason } = decision as unknown as Record<string, unknown>;
  const form = approve === undefined ? `resolve ${String(resolve)}` : typeof approve === "boolean" ? `approve ${approve}` : "";
  const fields = decisionForms[form];
  if (fields === undefined) throw wrongState(`The decision about ${JSON.stringify(callId)} is neither an approval nor a resolution.`, fix);
  const extra = Object.keys(decision).find((key) => !fields.includes(key));
  if (extra !== undefined)
    throw wrongState(`The decision about ${JSON.stringify(callId)} has ${JSON.stringify(extra)}, which means nothing there.`, fix);
  if (reason !== undefined && typeof reason !== "string")
    throw wrongState(`The reason of the decision about ${JSON.stringify(callId)} is no text.`, fix);
}
