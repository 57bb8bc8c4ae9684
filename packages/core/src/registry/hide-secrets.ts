import { inspectCustom, inspected } from "../errors/inspect-custom.js";
import { maskValues } from "../errors/mask.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

const hidden = "[secret]";
// A chain of causes may be a ring.
const deepest = 8;

/**
 * Lets a configuration print without its secrets, by `console.log`, `inspect` and `JSON.stringify`; its fields are what they
 * were. A class that has its own say in this keeps it.
 */
export function hideSecrets(config: object, secrets: readonly string[]): void {
  if (secrets.length === 0 || !Object.isExtensible(config)) return;
  const shown = (): object =>
    Object.fromEntries(Object.entries(config).map(([key, value]) => [key, secrets.includes(key) && value !== undefined ? hidden : value]));
  const { name } = config.constructor;
  const methods = { toJSON: shown, [inspectCustom]: () => `${name} ${inspected(shown())}` };
  for (const key of Reflect.ownKeys(methods)) {
    // Symbols and names alike: own ones of the two.
    const value = methods[key as keyof typeof methods];
    if (!(key in config)) Object.defineProperty(config, key, { value, enumerable: false, configurable: true });
  }
}

/** The texts that a configuration's secrets hold. */
export function secretTexts(config: object, secrets: readonly string[]): ReadonlySet<string> {
  const values = secrets.map((key) => (config as Readonly<Record<string, unknown>>)[key]);
  return new Set(values.filter((value) => typeof value === "string" && value !== "").map(String));
}

/** What a package threw, for the log: the same, or a copy in which its secrets are hidden. */
export function withoutSecrets(thrown: unknown, texts: ReadonlySet<string>, depth = 0): unknown {
  if (texts.size === 0 || !(thrown instanceof Error) || depth > deepest) return thrown;
  const mask = (text: string): string => maskValues(text, texts, hidden);
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
