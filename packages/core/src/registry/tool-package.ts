const packageKey = Symbol.for("toolwright.tool-package");

/** A class whose instance holds a package's configuration; class-validator decorators on it are checked. */
export type ConfigClass<Config extends object> = new () => Config;

/** What a tool package exports as default. */
export interface ToolPackage<Config extends object = object> {
  readonly config: ConfigClass<Config> | undefined;
  /** Makes the package's toolkits. May be async. */
  create(config: Config): readonly object[] | Promise<readonly object[]>;
}

/**
 * Declares a tool package: the default export of its entry.
 *
 * @example
 * export default defineToolPackage({ config: StockConfig, create: (config) => [new StockTools(config)] });
 */
export function defineToolPackage<Config extends object = Record<string, never>>(definition: {
  readonly config?: ConfigClass<Config> | undefined;
  create(config: Config): readonly object[] | Promise<readonly object[]>;
}): ToolPackage<Config> {
  return Object.defineProperty({ config: definition.config, create: (config: Config) => definition.create(config) }, packageKey, { value: true });
}

/** The tool package in an imported module, by marker: it may come from another copy of this one. */
export function toolPackageOf(module: unknown): ToolPackage | undefined {
  const exported = (module as { default?: unknown } | null)?.default;
  // A CommonJS build has its default one level further down.
  for (const candidate of [exported, (exported as { default?: unknown } | null | undefined)?.default]) {
    if (typeof candidate === "object" && candidate !== null && packageKey in candidate) return candidate as unknown as ToolPackage;
  }
  return undefined;
}
