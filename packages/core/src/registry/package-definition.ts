import { isVariableName } from "./manifest-details.js";

const optionNames = ["config", "environment", "secrets", "needs", "toolkits", "create"];
const needsKeys = ["hosts", "files", "environment"];

/** What is wrong with what `defineToolPackage` was given, and what to do about it. */
export function definitionProblem(definition: unknown): readonly [what: string, fix: string] | undefined {
  const { create, toolkits, config, environment, secrets, needs, ...rest } = (definition ?? {}) as Readonly<Record<string, unknown>>;
  const [unknownName] = Object.keys(rest);
  if (unknownName !== undefined) return [`has no option ${JSON.stringify(unknownName)}`, `The options are ${optionNames.join(", ")}.`];
  if (toolkits !== undefined && create !== undefined)
    return ["was given both `create` and `toolkits`", "Keep the one that makes the toolkits."];
  if (toolkits !== undefined && !(Array.isArray(toolkits) && toolkits.length > 0 && toolkits.every((each) => typeof each === "function")))
    return ["was given `toolkits` that are no list of classes", "Write `toolkits: [StockTools]`, without `new`."];
  if (toolkits === undefined && typeof create !== "function")
    return ["was given no `create` function", "Write `defineToolPackage({ create: () => [new …Tools()] })`."];
  if (config !== undefined && typeof config !== "function")
    return ["was given a `config` that is no class", "Write `config: StockConfig`, without `new`."];
  if (config === undefined && (environment !== undefined || secrets !== undefined))
    return [
      `was given \`${environment === undefined ? "secrets" : "environment"}\` without a \`config\``,
      "Declare the keys in a class, and pass it as `config`.",
    ];
  if (
    environment !== undefined &&
    !(isObject(environment) && Object.values(environment).every((name) => name === undefined || isVariableName(name)))
  )
    return ["was given an `environment` that is no list of names by key", 'Write `environment: { apiKey: "STOCK_API_KEY" }`.'];
  if (secrets !== undefined && !isTexts(secrets)) return ["was given `secrets` that are no list of keys", 'Write `secrets: ["apiKey"]`.'];
  const isKnown =
    needs === undefined || (isObject(needs) && Object.entries(needs).every(([key, list]) => needsKeys.includes(key) && isTexts(list)));
  return isKnown
    ? undefined
    : ["was given `needs` that it cannot show", 'Write `needs: { hosts: ["api.acme.com"], files: […], environment: […] }`.'];
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((entry) => typeof entry === "string" && entry !== "");
