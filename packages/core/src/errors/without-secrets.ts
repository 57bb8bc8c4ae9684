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
  if (mask(message) === message && mask(stack) === stack && inner === cause) return thrown;
  if (ToolwrightError.is(thrown)) return maskedToolwrightError(thrown, mask, inner);
  const masked = new Error(mask(message), inner === undefined ? {} : { cause: inner });
  masked.name = thrown.name;
  masked.stack = mask(stack);
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? Object.assign(masked, { code: mask(code) }) : masked;
}

/** Of the tool's own class, whose message the model reads. */
function maskedToolwrightError(thrown: ToolwrightError, mask: (text: string) => string, cause: unknown): ToolwrightError {
  const { code, retryable, fix, details } = thrown;
  const [text = ""] = thrown.message.split("\nFix: ");
  const masked = new ToolwrightError(code, mask(text), { retryable, cause, details, ...(fix !== undefined && { fix: mask(fix) }) });
  Object.defineProperty(masked, "name", { value: thrown.name, configurable: true });
  return masked;
}
