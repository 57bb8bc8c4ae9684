import { ToolwrightError } from "../errors/toolwright-error.js";

/** Says what a value must be when it is not that, e.g. "a positive integer"; undefined when it is fine. */
export type OptionCheck = (value: unknown) => string | undefined;

/** The longest wait that a timer of the runtime can hold, in milliseconds (about 24.8 days). */
const longestTimerMs = 2 ** 31 - 1;

export const positiveInteger: OptionCheck = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? undefined : "a positive integer";

export const milliseconds: OptionCheck = (value) =>
  typeof value === "number" && value >= 0 && value <= longestTimerMs ? undefined : `a number of milliseconds from 0 to ${longestTimerMs}`;

export const boolean: OptionCheck = (value) => (typeof value === "boolean" ? undefined : "true or false");

export const oneOf = (...choices: readonly string[]): OptionCheck => {
  const wanted = choices.map((choice) => JSON.stringify(choice)).join(", ");
  return (value) => (choices.includes(value as string) ? undefined : `one of ${wanted}`);
};

export const aFunction: OptionCheck = (value) => (typeof value === "function" ? undefined : "a function");

export const textList: OptionCheck = (value) =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string" && entry !== "") ? undefined : "a list of texts";

export const either =
  (...checks: readonly OptionCheck[]): OptionCheck =>
  (value) => {
    const wanted = checks.map((check) => check(value));
    return wanted.includes(undefined) ? undefined : wanted.join(", or ");
  };

/**
 * Checks the options of one built-in middleware, by name: unknown names are refused (a misspelt `attempt` would
 * otherwise be no option at all), and a bad value is quoted. An option that is undefined counts as left out.
 *
 * @throws ToolwrightError `RUN_OPTIONS`
 */
export function checkOptions(owner: string, options: unknown, checks: { readonly [name: string]: OptionCheck }): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ToolwrightError("RUN_OPTIONS", `${owner}() takes an object of options; it got ${quote(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      const known = Object.keys(checks).join(", ");
      throw new ToolwrightError("RUN_OPTIONS", `${owner}() has no option ${JSON.stringify(name)}; it has ${known}.`);
    }
    if (value !== undefined) checkOption(owner, name, value, check);
  }
}

/** Checks one value.
 *
 * @throws ToolwrightError `RUN_OPTIONS`
 */
export function checkOption(owner: string, name: string, value: unknown, check: OptionCheck): void {
  const wanted = check(value);
  if (wanted !== undefined) {
    throw new ToolwrightError("RUN_OPTIONS", `${owner}(): \`${name}\` must be ${wanted}; it is ${quote(value)}.`);
  }
}

/** A bad value as a short text that is safe in a sentence. */
export function quote(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return value.length > 8 ? "a list" : `[${value.map(quote).join(", ")}]`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
