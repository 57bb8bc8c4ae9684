import type { ToolOutcome } from "../contracts/outcome.js";

const kinds: ReadonlySet<unknown> = new Set([
  "ok",
  "invalid",
  "failed",
  "unknown",
  "denied",
  "skipped",
  "interrupted",
] satisfies ToolOutcome["kind"][]);

/** True for something that has a kind of outcome, and what that kind needs. */
export function isOutcome(value: unknown): boolean {
  const { kind, output, error, reason } = (value ?? {}) as {
    readonly kind?: unknown;
    readonly output?: unknown;
    readonly error?: { readonly message?: unknown };
    readonly reason?: unknown;
  };
  if (!kinds.has(kind)) return false;
  if (output !== undefined && typeof output !== "string" && !(Array.isArray(output) && output.every(isPart))) return false;
  if (kind === "ok") return output !== undefined;
  if (kind === "invalid" || kind === "failed" || kind === "unknown") return typeof error?.message === "string";
  return typeof reason === "string";
}

function isPart(part: unknown): boolean {
  const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  return typeof type === "string" && (type !== "input_text" || typeof text === "string");
}
