import type { ToolPackages } from "../contracts/manifest.js";
import type { ToolEffect } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** What an app allows of one package. `{}` allows all of it. */
export interface PackageAllowance {
  /** Goes before each name: `acme` makes `get_stock` into `acme_get_stock`. */
  readonly prefix?: string | undefined;
  /** Names of tools, as the manifest has them. Default all. */
  readonly tools?: readonly string[] | undefined;
  /** Default all. A tool without a declared effect counts as a write. */
  readonly effects?: readonly ToolEffect[] | undefined;
  /** What the model reads instead of the package's own descriptions, by the tools' names in the manifest. At most 1,024 characters each. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
  /** For the package's `create`. It may hold secrets: it is never printed. */
  readonly config?: object | undefined;
}

/** The same of a package that the app's `toolwright.packages.d.ts` knows: with its tools by name, and its configuration by type. */
type KnownAllowance<Known> = Known extends { readonly tools: infer Tool extends string }
  ? Pick<PackageAllowance, "prefix" | "effects"> & {
      readonly tools?: readonly Tool[] | undefined;
      readonly descriptions?: { readonly [Name in Tool]?: string } | undefined;
    } & Pick<Known, keyof Known & "config">
  : PackageAllowance;

/** What an app allows, by package name. Nothing else is offered. */
export type Allowances = Readonly<Record<string, PackageAllowance>> & {
  readonly [Name in keyof ToolPackages]?: KnownAllowance<ToolPackages[Name]>;
};

const optionNames = ["prefix", "tools", "effects", "descriptions", "config"];
const longest = 1_024;

/**
 * Checks an allow-list as far as it can be without the packages.
 *
 * @throws ToolwrightError `RUN_OPTIONS` naming the package and the option, never the values of a configuration.
 */
export function assertAllowances(allow: unknown): asserts allow is Allowances {
  if (!isObject(allow)) {
    throw new ToolwrightError("RUN_OPTIONS", `\`allow\` is ${kindOf(allow)}, not an object.`, {
      fix: 'Name what may be used: `allow: { "@acme/tools-stock": {} }`.',
    });
  }
  for (const [name, allowance] of Object.entries(allow)) assertAllowance(name, allowance);
}

function assertAllowance(name: string, allowance: unknown): void {
  if (!isPackageName(name)) {
    throw new ToolwrightError("RUN_OPTIONS", `\`allow\` names ${JSON.stringify(name)}, which is no name of a package.`, {
      fix: "Use the names that package.json has under `dependencies`.",
    });
  }
  if (!isObject(allowance))
    throw wrongAllowance(name, `is ${kindOf(allowance)}, not an object`, "Write `{}` to allow all of the package, or leave it out.");
  const unknownKey = Object.keys(allowance).find((key) => !optionNames.includes(key));
  if (unknownKey !== undefined)
    throw wrongAllowance(name, `has no option ${JSON.stringify(unknownKey)}`, `The options are ${optionNames.join(", ")}.`);
  const { prefix, tools, effects, descriptions, config } = allowance;
  if (prefix !== undefined && !(typeof prefix === "string" && /^[a-zA-Z0-9_-]{1,62}$/.test(prefix))) {
    throw wrongAllowance(name, `has the prefix ${shown(prefix)}`, "Use letters, digits, _ and -.");
  }
  if (tools !== undefined && !isTexts(tools))
    throw wrongAllowance(name, `has \`tools\` that are ${kindOf(tools)}`, "Pass a list of names.");
  if (effects !== undefined && !isTexts(effects))
    throw wrongAllowance(name, `has \`effects\` that are ${kindOf(effects)}`, "Pass a list of effects.");
  const noEffect = effects?.find((effect) => !["read", "write", "destructive"].includes(effect));
  if (noEffect !== undefined) throw wrongAllowance(name, `has the effect ${shown(noEffect)}`, 'Use "read", "write" or "destructive".');
  if (descriptions !== undefined) assertDescriptions(name, descriptions);
  if (config !== undefined && !isObject(config))
    throw wrongAllowance(name, `has a \`config\` that is ${kindOf(config)}`, "Pass an object.");
}

function assertDescriptions(name: string, descriptions: unknown): void {
  if (!isObject(descriptions))
    throw wrongAllowance(name, `has \`descriptions\` that are ${kindOf(descriptions)}`, "Pass an object of texts by tool name.");
  for (const [tool, text] of Object.entries(descriptions)) {
    if (typeof text !== "string" || text.trim() === "")
      throw wrongAllowance(name, `has no text as the description of ${tool}`, "Say what the tool does and when to use it.");
    if (text.length > longest) throw wrongAllowance(name, `describes ${tool} with ${text.length} characters`, `Use at most ${longest}.`);
  }
}

/** An error about an entry of the allow-list. */
export function wrongAllowance(name: string, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("RUN_OPTIONS", `\`allow["${name}"]\` ${what}.`, { fix, details: { package: name } });
}

/** A name as npm takes it: never a path, which would lead out of node_modules. */
const isPackageName = (name: string): boolean => /^(@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((entry) => typeof entry === "string");

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? "a list of other things" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : kindOf(value));
