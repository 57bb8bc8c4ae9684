import { ToolwrightError } from "../errors/toolwright-error.js";
import { loadClassTransformer, missingPackage } from "../schema/optional-package.js";
import { validateConfig } from "../schema/validate-config.js";
import { validationRules } from "../schema/validation-metadata.js";
import { type ConfigInput, configInput, type Environment, kindsOfDefaults } from "./config-input.js";
import type { ConfigClass, ToolPackage } from "./tool-package.js";
import { wayToGive, wrongConfig } from "./wrong-config.js";

/**
 * Makes a package's configuration from what the app and its environment give, on top of the class's defaults, then checked
 * by class-validator where the class has its decorators: unknown keys are refused there too. What is undefined leaves the
 * default.
 *
 * @param kinds - what the manifest says of the keys that a variable may give; others are told by the defaults.
 * @throws ToolwrightError `REGISTRY_CONFIG` naming the keys, never their values: they may be secrets.
 */
export async function makeConfig(
  name: string,
  { config: Config, environment: names }: Pick<ToolPackage, "config" | "environment">,
  given: object | undefined,
  environment: Environment = {},
  kinds: Readonly<Record<string, string>> = {},
): Promise<object> {
  if (Config === undefined) {
    if (given !== undefined)
      throw wrongConfig(name, "it takes no configuration, and one was given", `Remove \`config\` from \`allow["${name}"]\`.`);
    return {};
  }
  const empty = instantiate(name, Config);
  // A field of the class is known, though it has no rule: class-validator calls it a key too many.
  const declared = new Set(Object.keys(empty));
  const input = configInput(given, names, environment, { ...kindsOfDefaults(empty), ...kinds });
  const config = fill(name, empty, { ...input.given, ...(await nestedParts(Config, input.given ?? {})) });
  const problems = (await validateConfig(config)).filter(({ path, expected }) => expected !== unknownKey || !declared.has(path));
  if (problems.length > 0) throw doesNotHold(name, problems, input, names);
  return config;
}

function doesNotHold(
  name: string,
  problems: readonly { readonly path: string; readonly expected: string }[],
  input: ConfigInput,
  names: Readonly<Record<string, string>> | undefined,
): ToolwrightError {
  const list = problems.map(({ path, expected }) => `${path} (${ruleText(expected)})`).join(", ");
  const what = input.given === undefined ? "there is none, and it does not hold without" : "it does not hold";
  const keys = problems.map(({ path }) => path);
  return wrongConfig(name, `${what}: ${list}`, wayToGive(name, keys, input, names));
}

/** What `@ValidateNested` and `@Type` make of parts that are plain objects: class-validator checks instances only. */
async function nestedParts(Config: ConfigClass<object>, given: object): Promise<object> {
  const nested = validationRules(Config).filter(({ type }) => type === "nestedValidation");
  const names = [...new Set(nested.map(({ propertyName }) => propertyName))].filter((name) => Object.hasOwn(given, name));
  if (names.length === 0) return {};
  const transformer = await loadClassTransformer();
  if (transformer === undefined) throw missingPackage("class-transformer", Config.name);
  const parts = Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
  const made = transformer.plainToInstance(Config, parts, { enableImplicitConversion: false, exposeUnsetFields: false });
  return Object.fromEntries(Object.entries(made).filter(([name]) => names.includes(name)));
}

const unknownKey = "whitelistValidation";

/** The names of class-validator's own rules say what is expected; these do not. */
function ruleText(rules: string): string {
  if (rules === unknownKey) return "there is no such key, or it has no class-validator decorator";
  return rules === "" ? "a part of it" : rules;
}

function instantiate(name: string, Config: ConfigClass<object>): object {
  try {
    return new Config();
  } catch (cause) {
    throw new ToolwrightError("REGISTRY_CONFIG", `The configuration of ${name} cannot be made: ${Config.name} threw.`, {
      cause,
      fix: "Its author should let the class work without arguments.",
      details: { package: name },
    });
  }
}

function fill(name: string, config: object, given: object): object {
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    // Set, it would become the prototype, and take the class and its rules away.
    if (key === "__proto__") throw wrongConfig(name, "it has the key __proto__", "Take it out.");
    if (!isSet(config, key, value)) throw wrongConfig(name, `${key} does not take the value`, "Correct it, or take it out.");
  }
  return config;
}

// A setter may refuse it with an error that quotes it.
function isSet(config: object, key: string, value: unknown): boolean {
  try {
    return Reflect.set(config, key, value);
  } catch {
    return false;
  }
}
