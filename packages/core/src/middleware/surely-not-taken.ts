import type { ToolwrightError } from "../errors/toolwright-error.js";

/** Answers with these statuses come from a gateway that does not know what the server behind it did. */
const ambiguousStatuses: readonly unknown[] = [408, 502, 504];
const ambiguousCodes: readonly string[] = ["MODEL_CONNECTION", "MODEL_TIMEOUT", "MODEL_STREAM_ENDED"];
/** Failures of the network before a connection existed, so that nothing was sent. */
const neverSent: readonly unknown[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/** True when the request certainly left no trace at the server, so that a conversation does not get its input twice. */
export function surelyNotTaken(error: ToolwrightError): boolean {
  if (ambiguousCodes.includes(error.code)) return causes(error).some((cause) => neverSent.includes((cause as { code?: unknown }).code));
  return !ambiguousStatuses.includes(error.details["status"]);
}

/** The chain of causes below an error; a few are enough, and a ring of them must not hang. */
function causes(error: unknown): object[] {
  const found: object[] = [];
  let cause = (error as { cause?: unknown }).cause;
  while (typeof cause === "object" && cause !== null && found.length < 8) {
    found.push(cause);
    cause = (cause as { cause?: unknown }).cause;
  }
  return found;
}
