import type { JsonSchema, PackageConfigManifest } from "../contracts/manifest.js";

/** Variables of an environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What an app and its environment give for a package's configuration. */
export interface ConfigInput {
  /** Undefined when nothing was given. */
  readonly given: object | undefined;
  /** The variables that were read, by key. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * What a configuration class gets: what the app gives and, for keys that it leaves out, what the declared variables hold. An
 * empty variable counts as one that is not set.
 *
 * @param kinds - what a variable's text is read as, by key; see {@link kindsOf}.
 */
export function configInput(
  given: object | undefined,
  names: PackageConfigManifest["environment"],
  environment: Environment,
  kinds: Readonly<Record<string, string>>,
): ConfigInput {
  const values: Record<string, unknown> = {};
  const variables: Record<string, string> = {};
  for (const [key, name] of Object.entries(names ?? {})) {
    const text = environment[name];
    const isGiven = given !== undefined && Object.hasOwn(given, key) && (given as Record<string, unknown>)[key] !== undefined;
    if (isGiven || text === undefined || text === "") continue;
    values[key] = valueOf(text, kinds[key]);
    variables[key] = name;
  }
  if (Object.keys(values).length === 0) return { given, variables };
  return { given: { ...given, ...values }, variables };
}

/** The kinds of a schema's properties that are more than text: `number`, `boolean` or `json`. */
export function kindsOf(schema: JsonSchema | undefined): Readonly<Record<string, string>> {
  const properties = (schema?.["properties"] ?? {}) as Readonly<Record<string, { readonly type?: unknown } | null>>;
  return Object.fromEntries(Object.entries(properties).map(([key, node]) => [key, kindOf(node?.type)]));
}

/** The kinds of the values that a fresh configuration has. */
export const kindsOfDefaults = (defaults: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, kindOf(Array.isArray(value) ? "array" : typeof value)]));

function kindOf(type: unknown): string {
  const types: readonly unknown[] = (Array.isArray(type) ? type : [type]).filter((each) => each !== "null");
  const [only] = types;
  if (types.length !== 1) return "text";
  if (only === "integer" || only === "number") return "number";
  return only === "boolean" ? "boolean" : only === "array" || only === "object" ? "json" : "text";
}

/** A text that is not what the kind asks for stays a text: the check then names its key. */
function valueOf(text: string, kind: string | undefined): unknown {
  switch (kind) {
    case "number":
      return text.trim() === "" || !Number.isFinite(Number(text)) ? text : Number(text);
    case "boolean":
      return /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : text;
    case "json":
      return parsed(text);
    default:
      return text;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
