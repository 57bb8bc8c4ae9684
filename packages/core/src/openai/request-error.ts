import type { ErrorCode } from "../errors/catalogue.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** An error as the official client throws it, looked at by its form: it may come from another copy. */
interface ClientError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly param?: unknown;
  readonly requestID?: unknown;
  readonly headers?: { get?(name: string): string | null } | undefined;
  readonly cause?: { readonly code?: unknown } | undefined;
}

/** What a failed request means, as a ToolwrightError. The client's error is its cause: it holds headers, so it is never printed. */
export function requestError(thrown: unknown, signal: AbortSignal): ToolwrightError {
  if (ToolwrightError.is(thrown)) return thrown;
  if (signal.aborted) return new ToolwrightError("RUN_ABORTED", "The run was aborted.", { cause: signal.reason });
  const error = (typeof thrown === "object" && thrown !== null ? thrown : {}) as ClientError;
  const { code, type, param } = error;
  const status = typeof error.status === "number" ? error.status : undefined;
  if (status === undefined) return connectionError(thrown, error);
  const details = { status, code, type, param, requestId: error.requestID, retryAfterMs: retryAfterMs(error, Date.now()) };
  return new ToolwrightError(codeOf(status, code), `The API answered ${status}: ${message(error)}`, {
    cause: thrown,
    details,
    retryable: retryable(error, status, code),
  });
}

function connectionError(thrown: unknown, error: ClientError): ToolwrightError {
  const constructorName = (thrown as { constructor?: { name?: string } } | null)?.constructor?.name ?? "";
  const causeCode = String(error.cause?.code ?? "");
  if (constructorName === "APIConnectionTimeoutError" || causeCode === "UND_ERR_HEADERS_TIMEOUT" || causeCode === "UND_ERR_BODY_TIMEOUT") {
    return new ToolwrightError("MODEL_TIMEOUT", "The API did not answer in time.", { cause: thrown });
  }
  if (thrown instanceof SyntaxError) return new ToolwrightError("MODEL_PROTOCOL", "The server's answer is not JSON.", { cause: thrown });
  if (constructorName === "OpenAIError") {
    // Thrown before anything is sent, e.g. about a key function that gave nothing.
    return new ToolwrightError("MODEL_AUTHENTICATION", `The client could not make the request: ${message(error)}`, { cause: thrown });
  }
  return new ToolwrightError("MODEL_CONNECTION", `The API could not be reached, or the connection broke: ${message(error)}`, {
    cause: thrown,
  });
}

function codeOf(status: number, code: unknown): ErrorCode {
  if (code === "insufficient_quota" || code === "credit_balance_exhausted") return "MODEL_QUOTA";
  if (code === "conversation_locked") return "MODEL_CONFLICT";
  if (code === "previous_response_not_found") return "MODEL_NOT_FOUND";
  if (status === 401 || status === 403) return "MODEL_AUTHENTICATION";
  if (status === 404) return "MODEL_NOT_FOUND";
  if (status === 408) return "MODEL_TIMEOUT";
  if (status === 409) return "MODEL_CONFLICT";
  if (status === 429) return "MODEL_RATE_LIMIT";
  if (status >= 500) return "MODEL_SERVER";
  return "MODEL_BAD_REQUEST";
}

// The server's own word goes before the status; an exhausted quota does not come back by waiting.
function retryable(error: ClientError, status: number, code: unknown): boolean {
  if (codeOf(status, code) === "MODEL_QUOTA") return false;
  const word = error.headers?.get?.("x-should-retry");
  if (word === "true") return true;
  if (word === "false") return false;
  return code === "conversation_locked" || status === 408 || status === 409 || status === 429 || status >= 500;
}

function retryAfterMs({ headers }: ClientError, now: number): number | undefined {
  const exact = Number.parseFloat(headers?.get?.("retry-after-ms") ?? "");
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get?.("retry-after");
  if (!text) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number.parseFloat(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function message({ message: text, status }: ClientError): string {
  if (typeof text !== "string") return "no reason was given";
  // The client puts the status first, which has been said.
  const reason = text.startsWith(`${String(status)} `) ? text.slice(String(status).length + 1) : text;
  // Some servers answer with a whole page, or repeat the key that they refuse.
  return reason.slice(0, 5_000).replaceAll(keys, "[key]").slice(0, 500);
}

const keys = /\b[srp]k-[\w*.-]*[\w*]|(?<=\bbearer\s)\S+/gi;
