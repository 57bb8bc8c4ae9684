import type { ToolkitFromGeneratedModule } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** Marks the default export of a tool package, whichever copy of this package made it. */
export const toolPackageMarker: unique symbol = Symbol.for("toolwright.tool-package") as never;

/** A class whose instance holds a package's configuration; class-validator decorators on it are checked. */
export type ConfigClass<Config extends object> = new () => Config;

/** Instances of tool classes that were imported from `./toolwright.generated.js`. */
export type PackageToolkits = readonly ToolkitFromGeneratedModule<never>[];

/** What a tool package exports as default. */
export interface ToolPackage<Config extends object = object> {
  readonly config: ConfigClass<Config> | undefined;
  /** Makes the package's toolkits, one of each class. May be async. */
  create(config: Config): PackageToolkits | Promise<PackageToolkits>;
}

/**
 * Declares a tool package: the default export of its entry.
 *
 * @example
 * export default defineToolPackage({ config: StockConfig, create: (config) => [new StockTools(config)] });
 * @throws ToolwrightError `REGISTRY_LOAD` without a `create` function.
 */
export function defineToolPackage<Config extends object = Record<string, never>>(definition: {
  readonly config?: ConfigClass<Config> | undefined;
  create(config: Config): PackageToolkits | Promise<PackageToolkits>;
}): ToolPackage<Config> {
  if (typeof definition?.create !== "function") {
    throw new ToolwrightError("REGISTRY_LOAD", "`defineToolPackage` was given no `create` function.", {
      fix: "Write `defineToolPackage({ create: () => [new …Tools()] })`.",
    });
  }
  const { config } = definition;
  return Object.defineProperty({ config, create: (given: Config) => definition.create(given) }, toolPackageMarker, { value: true });
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
