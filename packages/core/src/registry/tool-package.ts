import type { PackageNeeds } from "../contracts/manifest.js";
import type { ToolkitFromGeneratedModule } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { definitionProblem } from "./package-definition.js";

/** Marks the default export of a tool package, whichever copy of this package made it. */
export const toolPackageMarker: unique symbol = Symbol.for("toolwright.tool-package") as never;

/** A class whose instance holds a package's configuration; class-validator decorators on it are checked. */
export type ConfigClass<Config extends object> = new () => Config;

/** Instances of tool classes that were imported from `./toolwright.generated.js`. */
export type PackageToolkits = readonly ToolkitFromGeneratedModule<never>[];

/** A tool class that was imported from `./toolwright.generated.js`, made from the configuration unless the app's container makes it. */
export type PackageToolkitClass<Config> = new (config: Config) => ToolkitFromGeneratedModule<never>;

/** What a tool package exports as default. */
export interface ToolPackage<Config extends object = object> {
  readonly config: ConfigClass<Config> | undefined;
  readonly environment: Readonly<Record<string, string>> | undefined;
  readonly secrets: readonly string[] | undefined;
  readonly needs: PackageNeeds | undefined;
  /** Classes for the registry to make; undefined when `create` makes the toolkits. */
  readonly toolkits: readonly PackageToolkitClass<Config>[] | undefined;
  /** Makes the package's toolkits, one of each class. May be async. */
  create(config: Config): PackageToolkits | Promise<PackageToolkits>;
}

/** What `defineToolPackage` is given, but for who makes the toolkits. The build reads all of it, so it must be constants. */
export interface ToolPackageOptions<Config extends object> {
  /** What the app may set: `config` in its allow-list is checked against it. Default: nothing. */
  readonly config?: ConfigClass<Config> | undefined;
  /** The environment variable from which a key of the configuration is taken when the app does not give it. */
  readonly environment?: { readonly [Key in keyof Config & string]?: string | undefined } | undefined;
  /** Keys of the configuration whose values are never printed. */
  readonly secrets?: readonly (keyof Config & string)[] | undefined;
  /** What the package reaches for: shown to the one who approves it. */
  readonly needs?: PackageNeeds | undefined;
}

/**
 * Declares a tool package: the default export of its entry.
 *
 * @example
 * export default defineToolPackage({
 *   config: StockConfig,
 *   environment: { apiKey: "STOCK_API_KEY" },
 *   secrets: ["apiKey"],
 *   needs: { hosts: ["api.acme.com"] },
 *   create: (config) => [new StockTools(config)],
 * });
 * @example
 * // Made by the registry, or by the app's container: `new StockTools(config)` where there is none.
 * export default defineToolPackage({ config: StockConfig, toolkits: [StockTools] });
 * @throws ToolwrightError `REGISTRY_LOAD` when it has neither `create` nor `toolkits`, or an option is wrong.
 */
export function defineToolPackage<Config extends object = Record<string, never>>(
  definition: ToolPackageOptions<Config> &
    (
      | { create(config: Config): PackageToolkits | Promise<PackageToolkits>; readonly toolkits?: undefined }
      | { readonly toolkits: readonly PackageToolkitClass<Config>[]; readonly create?: undefined }
    ),
): ToolPackage<Config> {
  const problem = definitionProblem(definition);
  if (problem !== undefined) {
    const [what, fix] = problem;
    throw new ToolwrightError("REGISTRY_LOAD", `\`defineToolPackage\` ${what}.`, { fix });
  }
  const { config, environment, secrets, needs, toolkits } = definition;
  const made: ToolPackage<Config> = {
    config,
    // Optional values of the option's type that are undefined are left out by whoever reads it.
    environment: environment as Readonly<Record<string, string>> | undefined,
    secrets,
    needs,
    toolkits,
    create: (given: Config) =>
      definition.create === undefined ? definition.toolkits.map((Class) => new Class(given)) : definition.create(given),
  };
  return Object.defineProperty(made, toolPackageMarker, { value: true });
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
