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

/** What a tool is, apart from its options. */
export interface ToolBasics {
  readonly name: string;
  readonly identity: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly needsApproval: boolean;
}

const defaultTimeoutMs = 60_000;
// The longest that a Node timer can wait.
const longestTimeoutMs = 2 ** 31 - 1;

/** Whether the API takes a text as a function's name. */
export const isToolName = (name: unknown): boolean => typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);

/**
 * Fills in the defaults of a tool's options.
 *
 * @throws ToolwrightError `TOOL_DEFINITION` for a value that cannot be meant.
 */
export function toolInfo(basics: ToolBasics, options: ToolInfoOptions): ToolInfo {
  const problem = basicsProblem(basics) ?? toolOptionsProblem(options, basics.parameters);
  if (problem !== undefined) {
    const [what, fix] = problem;
    throw new ToolwrightError("TOOL_DEFINITION", `The tool ${basics.identity} cannot be used: ${what}.`, {
      fix,
      details: { identity: basics.identity },
    });
  }
  return Object.freeze({
    ...basics,
    effect: options.effect ?? "write",
    effectDeclared: options.effect !== undefined,
    idempotent: options.idempotent ?? false,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    resource: resources(options),
    maxCalls: options.maxCalls,
    echo: options.echo ?? [],
    tags: options.tags ?? [],
  });
}

/** What is wrong with the options of a tool, and what to do about it. */
export const toolOptionsProblem = (options: ToolInfoOptions, parameters: ObjectSchema): Problem =>
  optionsProblem(options) ?? argumentsProblem(options, parameters);

/** What is wrong, and what to do about it. */
type Problem = readonly [what: string, fix: string] | undefined;

function basicsProblem({ name, description }: ToolBasics): Problem {
  if (!isToolName(name)) return [`its name ${shown(name)} is not one the API takes`, "Use up to 64 letters, digits, _ and -."];
  if (typeof description !== "string" || description.trim() === "") {
    return ["it has no description", "Say what it does and when to use it."];
  }
  return undefined;
}

function optionsProblem({ effect, timeoutMs, maxCalls, idempotent, resource, echo, tags }: ToolInfoOptions): Problem {
  if (effect !== undefined && !["read", "write", "destructive"].includes(effect)) {
    return [`its effect is ${shown(effect)}`, 'Use "read", "write" or "destructive".'];
  }
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestTimeoutMs)) {
    return [`its timeoutMs is ${shown(timeoutMs)}`, `Use whole milliseconds from 1 to ${longestTimeoutMs}.`];
  }
  if (maxCalls !== undefined && !(Number.isInteger(maxCalls) && maxCalls > 0)) {
    return [`its maxCalls is ${shown(maxCalls)}`, "Use a whole number from 1."];
  }
  if (idempotent !== undefined && typeof idempotent !== "boolean") return [`its idempotent is ${shown(idempotent)}`, "Use true or false."];
  if (resource !== undefined && typeof resource !== "string" && !isTexts(resource)) {
    return [`its resource is ${shown(resource)}`, 'Use a template such as "order:{orderId}", or a list of them.'];
  }
  if (echo !== undefined && !isTexts(echo)) return [`its echo is ${shown(echo)}`, "Use a list of names of its arguments."];
  if (tags !== undefined && !isTexts(tags)) return [`its tags are ${shown(tags)}`, "Use a list of words."];
  return undefined;
}

// A key or an echo of something that no call has would be the same for all calls.
function argumentsProblem(options: ToolInfoOptions, { properties }: ObjectSchema): Problem {
  if (options.resource === undefined && options.echo === undefined) return undefined;
  const slots = resources(options).flatMap((template) => [...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] as string));
  const known = (name: string): boolean => Object.hasOwn(properties, name.split(".")[0] as string);
  const fix = `Its arguments are ${Object.keys(properties).join(", ") || "none"}.`;
  const slot = slots.find((name) => !known(name));
  if (slot !== undefined) return [`its resource names ${shown(slot)}, which is no argument of it`, fix];
  const echo = options.echo?.find((name) => !Object.hasOwn(properties, name));
  return echo === undefined ? undefined : [`its echo names ${shown(echo)}, which is no argument of it`, fix];
}

const resources = ({ resource = [] }: ToolInfoOptions): readonly string[] => (typeof resource === "string" ? [resource] : resource);

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string" && entry.trim() !== "");

function shown(value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return JSON.stringify(value);
  return typeof value === "number" ? String(value) : Array.isArray(value) ? "a list of other things" : typeof value;
}
