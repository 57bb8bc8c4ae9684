import { inspectCustom, inspected } from "../errors/inspect-custom.js";
import { hiddenSecret } from "../errors/without-secrets.js";

/**
 * Lets a configuration print without its secrets, by `console.log`, `inspect` and `JSON.stringify`; its fields are what they
 * were. A class that has its own say in this keeps it.
 */
export function hideSecrets(config: object, secrets: readonly string[]): void {
  if (secrets.length === 0 || !Object.isExtensible(config)) return;
  const shown = (): object =>
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [key, secrets.includes(key) && value !== undefined ? hiddenSecret : value]),
    );
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
