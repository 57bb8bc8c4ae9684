import { ToolwrightError } from "../errors/toolwright-error.js";
import type { ConfigInput } from "./config-input.js";

/** An error about a package's configuration: it names keys, never values. */
export function wrongConfig(name: string, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("REGISTRY_CONFIG", `The configuration of ${name} is wrong: ${what}.`, { fix, details: { package: name } });
}

/** How an app gives the keys that are missing or wrong, as a sentence. */
export function wayToGive(
  name: string,
  keys: readonly string[],
  { given, variables }: ConfigInput,
  names: Readonly<Record<string, string>> | undefined,
): string {
  const place = `\`config\` in \`allow["${name}"]\``;
  const wrong = keys.flatMap((key) => (Object.hasOwn(variables, key) ? [variables[key] as string] : []));
  if (wrong.length > 0 && wrong.length === keys.length) return `Correct ${wrong.join(" and ")} in the environment.`;
  const settable = keys.flatMap((key) => (names !== undefined && Object.hasOwn(names, key) ? [names[key] as string] : []));
  const orSet = settable.length === 0 ? "" : `, or set ${settable.join(" and ")} in the environment`;
  return `${given === undefined ? "Give" : "Correct"} ${place}${orSet}.`;
}
