/** Marks the default export of a tool package, whichever copy of this package made it. */
export const toolPackageMarker: unique symbol = Symbol.for("toolwright.tool-package") as never;

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
  return Object.defineProperty({ config: definition.config, create: (config: Config) => definition.create(config) }, toolPackageMarker, {
    value: true,
  });
}

/** The tool package in an imported module, by marker: it may come from another copy of this one. */
export function toolPackageOf(module: unknown): ToolPackage | undefined {
  const exported = (module as { default?: unknown } | null)?.default;
  // A CommonJS build has its default one level further down.
  for (const candidate of [exported, (exported as { default?: unknown } | null | undefined)?.default]) {
    if (typeof candidate === "object" && candidate !== null && toolPackageMarker in candidate) return candidate as unknown as ToolPackage;
  }
  return undefined;
}
