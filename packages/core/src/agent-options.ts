import type { ToolLog } from "./contracts/tool.js";
import { ToolwrightError } from "./errors/toolwright-error.js";

/** A log that goes nowhere. */
export const quietLog: ToolLog = { debug() {}, info() {}, warn() {}, error() {} };

// Type `never` in ModelSettings says the same; this says it to those who do not compile.
const ownedByKernel: Readonly<Record<string, string>> = {
  input: "Pass it to `run()`.",
  instructions: "Use the agent's `instructions`.",
  tools: "Use the agent's `tools`.",
  model: "Use the agent's `model`.",
  store: "Use `history`: `local` stores nothing, `chained` and `conversation` do.",
  previous_response_id: 'Use `history: { kind: "chained", previousResponseId }`.',
  conversation: 'Use `history: { kind: "conversation", id }`.',
  stream: "Use `agent.stream()`.",
  stream_options: "Use `agent.stream()`.",
  background: "Use the agent's `background`, or `openaiModel(name, { background: true })`.",
  background_options: "Use the agent's `background`: `{ completionWindow }`.",
};

const optionNames = [
  "name",
  "model",
  "client",
  "transport",
  "provider",
  "streamIdleMs",
  "background",
  "instructions",
  "output",
  "outputRepairs",
  "tools",
  "middleware",
  "settings",
  "history",
  "concurrency",
  "maxSteps",
  "maxOutputChars",
  "timeoutMs",
  "stepTimeoutMs",
  "stateSecret",
  "log",
];

/** @throws ToolwrightError `RUN_OPTIONS` naming the option and quoting the bad value. */
export function checkOptions(options: object): void {
  if (typeof options !== "object" || options === null) throw wrong("The agent has no options.", "Write `new Agent({ model, … })`.");
  for (const name of Object.keys(options)) {
    if (!optionNames.includes(name))
      throw wrong(`There is no option ${JSON.stringify(name)}.`, `The options are ${optionNames.join(", ")}.`);
  }
  const { name: agentName, model, tools, middleware, settings, history } = options as Record<string, unknown>;
  if (agentName !== undefined && (typeof agentName !== "string" || agentName === ""))
    throw wrong(`\`name\` is ${shown(agentName)}.`, "Pass a text.");
  const isModel = typeof model === "object" && model !== null && typeof (model as { respond?: unknown }).respond === "function";
  if ((typeof model !== "string" || model === "") && !isModel) {
    throw wrong(`\`model\` is ${shown(model)}.`, 'Pass a name, e.g. "gpt-5.4-mini", or a Model.');
  }
  if (tools !== undefined && !Array.isArray(tools)) throw wrong(`\`tools\` is ${shown(tools)}.`, "Pass a list of tools.");
  if (middleware !== undefined && !Array.isArray(middleware))
    throw wrong(`\`middleware\` is ${shown(middleware)}.`, "Pass a list of middlewares.");
  for (const name of ["concurrency", "maxSteps", "maxOutputChars", "timeoutMs", "stepTimeoutMs"]) {
    positiveInteger(name, (options as Record<string, unknown>)[name]);
  }
  for (const name of ["timeoutMs", "stepTimeoutMs"]) {
    const value = (options as Record<string, unknown>)[name] as number | undefined;
    if (value !== undefined && value > longestMs)
      throw wrong(`\`${name}\` is ${value}.`, `Pass at most ${longestMs}, or leave it out for no limit.`);
  }
  const { maxOutputChars } = options as { maxOutputChars?: number };
  if (maxOutputChars !== undefined && maxOutputChars > mostOutputChars)
    throw wrong(`\`maxOutputChars\` is ${maxOutputChars}.`, `Pass at most ${mostOutputChars}: the API takes no longer output.`);
  const { outputRepairs } = options as { outputRepairs?: unknown };
  if (outputRepairs !== undefined && !(Number.isInteger(outputRepairs) && (outputRepairs as number) >= 0))
    throw wrong(`\`outputRepairs\` is ${shown(outputRepairs)}.`, "Pass a whole number from 0.");
  const { stateSecret } = options as { stateSecret?: unknown };
  if (stateSecret !== undefined && !isSecret(stateSecret))
    throw wrong("`stateSecret` is no secret of at least 32 characters, or list of them.", "Make one: `openssl rand -base64 32`.");
  const { instructions } = options as { instructions?: unknown };
  if (instructions !== undefined && typeof instructions !== "string" && typeof instructions !== "function") {
    throw wrong(`\`instructions\` is ${shown(instructions)}.`, "Pass a text, or a function that gives one.");
  }
  if (settings !== undefined) checkSettings(settings as object);
  if (history !== undefined) checkHistory(history);
}

/** @throws ToolwrightError `RUN_OPTIONS` for an option of a run that there is none of, or a signal that is none. */
export function checkRunOptions(options: unknown, names: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null)
    throw wrong(`The options of a run are ${shown(options)}.`, `Pass an object with ${names.join(", ")}.`);
  const unknownName = Object.keys(options).find((name) => !names.includes(name));
  if (unknownName !== undefined) throw wrong(`There is no option ${JSON.stringify(unknownName)}.`, `The options are ${names.join(", ")}.`);
  const { signal, history } = options as { signal?: unknown; history?: unknown };
  const isSignal = typeof (signal as Partial<AbortSignal> | undefined)?.addEventListener === "function";
  if (signal !== undefined && !isSignal) throw wrong("`signal` is no AbortSignal.", "Pass `controller.signal`.");
  if (history !== undefined) checkHistory(history);
}

function isSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((each) => typeof each === "string" && isSecret(each));
  return typeof value === "string" && value.length >= 32;
}

function checkSettings(settings: object): void {
  for (const name of Object.keys(settings)) {
    const fix = ownedByKernel[name];
    const value = (settings as Record<string, unknown>)[name];
    if (value !== undefined && !isJson(value)) throw wrong(`\`settings.${name}\` cannot be written as JSON.`, "Pass plain data.");
    if (fix !== undefined && value !== undefined) throw wrong(`\`settings.${name}\` belongs to the run, not to the settings.`, fix);
  }
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(structuredClone(value)) !== undefined;
  } catch {
    return false;
  }
}

/** @throws ToolwrightError `RUN_OPTIONS` for a history that is none of the three kinds, or two at once. */
export function checkHistory(history: unknown): void {
  const { kind } = (history ?? {}) as { kind?: unknown };
  const allowed = historyKeys[String(kind)];
  if (allowed === undefined) throw wrong(`\`history.kind\` is ${shown(kind)}.`, 'Use "local", "chained" or "conversation".');
  for (const [key, value] of Object.entries(history as object)) {
    if (value === undefined || key === "kind" || allowed.includes(key)) continue;
    throw wrong(
      `\`history.${key}\` does not go with the kind "${String(kind)}".`,
      "One of the three owns the history: the application, a chain of responses, or a conversation.",
    );
  }
  const { items, session, id } = history as { items?: unknown; session?: unknown; id?: unknown };
  if (items !== undefined && session !== undefined) throw wrong("`history` has both `items` and a `session`.", "Pass one of them.");
  if (items !== undefined && !Array.isArray(items)) throw wrong(`\`history.items\` is ${shown(items)}.`, "Pass a list of items.");
  if (kind === "conversation" && (typeof id !== "string" || id === ""))
    throw wrong(`\`history.id\` is ${shown(id)}.`, "Pass the id of a conversation, conv_….");
}

const historyKeys: Readonly<Record<string, readonly string[]>> = {
  local: ["items", "session", "openCalls", "begunCalls"],
  chained: ["previousResponseId", "outputs", "openCalls", "begunCalls", "callOrder", "callTypes"],
  conversation: ["id", "outputs", "openCalls", "begunCalls", "callOrder", "callTypes"],
};

const mostOutputChars = 10_485_760;

// The longest that a timer of the runtime can wait.
const longestMs = 2 ** 31 - 1;

function positiveInteger(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) > 0)) return;
  throw wrong(`\`${name}\` is ${shown(value)}.`, "Pass a whole number from 1.");
}

// Never the content of an object: it may be a client with its key.
function shown(value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return JSON.stringify(value) ?? String(value);
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : typeof value;
}

function wrong(message: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_OPTIONS", message, { fix });
}
