import type { ObjectSchema } from "../contracts/schema.js";
import type { ToolEffect, ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** Options of a tool, from a manifest or from `defineTool`. */
export interface ToolInfoOptions {
  readonly effect?: ToolEffect | undefined;
  readonly resource?: string | readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idempotent?: boolean | undefined;
  readonly maxCalls?: number | undefined;
  readonly echo?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

const defaultTimeoutMs = 60_000;
// The longest that a Node timer can wait.
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * Fills in the defaults of a tool's options.
 *
 * @throws ToolwrightError `TOOL_DEFINITION` for a value that cannot be meant.
 */
export function toolInfo(
  basics: { readonly name: string; readonly identity: string; readonly description: string; readonly parameters: ObjectSchema; readonly needsApproval: boolean },
  options: ToolInfoOptions,
): ToolInfo {
  const { effect, resource = [], timeoutMs = defaultTimeoutMs, maxCalls } = options;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(basics.name)) {
    throw wrong(basics.identity, `its name ${JSON.stringify(basics.name)} is not one the API takes`, "Use up to 64 letters, digits, _ and -.");
  }
  if (!basics.description.trim()) throw wrong(basics.identity, "it has no description", "Say what it does and when to use it.");
  if (effect !== undefined && !["read", "write", "destructive"].includes(effect)) {
    throw wrong(basics.identity, `its effect is ${JSON.stringify(effect)}`, 'Use "read", "write" or "destructive".');
  }
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestTimeoutMs)) {
    throw wrong(basics.identity, `its timeoutMs is ${String(timeoutMs)}`, `Use whole milliseconds from 1 to ${longestTimeoutMs}.`);
  }
  if (maxCalls !== undefined && !(Number.isInteger(maxCalls) && maxCalls > 0)) {
    throw wrong(basics.identity, `its maxCalls is ${String(maxCalls)}`, "Use a whole number from 1.");
  }
  return Object.freeze({
    ...basics,
    effect: effect ?? "write",
    effectDeclared: effect !== undefined,
    idempotent: options.idempotent ?? false,
    timeoutMs,
    resource: typeof resource === "string" ? [resource] : resource,
    maxCalls,
    echo: options.echo ?? [],
    tags: options.tags ?? [],
  });
}

function wrong(identity: string, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("TOOL_DEFINITION", `The tool ${identity} cannot be used: ${what}.`, { fix });
}
