import { maskValues } from "./mask.js";
import { ToolwrightError } from "./toolwright-error.js";

/** What stands in the place of a secret that is known. */
export const hiddenSecret = "[secret]";

// A chain of causes may be a ring.
const deepest = 8;

/** What was thrown, for logs and for who reads it: the same, or a copy in which the secrets are hidden. */
export function withoutSecrets(thrown: unknown, texts: ReadonlySet<string>, depth = 0): unknown {
  if (texts.size === 0 || !(thrown instanceof Error) || depth > deepest) return thrown;
  const mask = (text: string): string => maskValues(text, texts, hiddenSecret);
  const { message, stack = "", cause } = thrown;
  const inner = cause === undefined ? undefined : withoutSecrets(cause, texts, depth + 1);
  if (ToolwrightError.is(thrown)) {
    const details = masked(thrown.details, mask);
    if (mask(message) === message && details === thrown.details && inner === cause) return thrown;
    return maskedToolwrightError(thrown, mask, details, inner);
  }
  if (mask(message) === message && mask(stack) === stack && inner === cause) return thrown;
  const copy = new Error(mask(message), inner === undefined ? {} : { cause: inner });
  copy.name = thrown.name;
  copy.stack = mask(stack);
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? Object.assign(copy, { code: mask(code) }) : copy;
}

type Details = ToolwrightError["details"];

/** The same details, or a copy without the secrets; what is not enumerable is never printed, and stays. */
function masked(details: Details, mask: (text: string) => string): Details {
  const texts = Object.entries(details).filter(([, value]) => typeof value === "string" && mask(value) !== value);
  if (texts.length === 0) return details;
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(details)) as Record<string, unknown>;
  return Object.assign(copy, Object.fromEntries(texts.map(([key, value]) => [key, mask(String(value))])));
}

/** Of the tool's own class, whose message the model reads. */
function maskedToolwrightError(thrown: ToolwrightError, mask: (text: string) => string, details: Details, cause: unknown): ToolwrightError {
  const { code, retryable, fix } = thrown;
  const [text = ""] = thrown.message.split("\nFix: ");
  const copy = new ToolwrightError(code, mask(text), { retryable, cause, details, ...(fix !== undefined && { fix: mask(fix) }) });
  Object.defineProperty(copy, "name", { value: thrown.name, configurable: true });
  return copy;
}
