import type { PackageManifest } from "../contracts/manifest.js";
import type { RunnableTool } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { withoutSecrets } from "../errors/without-secrets.js";
import { codeDifference } from "./code-difference.js";
import { type Environment, kindsOf } from "./config-input.js";
import { definitionDifference } from "./definition-difference.js";
import { disposeAll } from "./dispose-all.js";
import { hideSecrets, secretTexts } from "./hide-secrets.js";
import { makeConfig } from "./package-config.js";
import { firstLine } from "./package-manifest.js";
import type { ResolveToolkit } from "./resolve-toolkit.js";
import { madeBy } from "./resolve-toolkit.js";
import { assertOneTransformer } from "./second-copies.js";
import { type ToolPackage, toolPackageOf } from "./tool-package.js";
import { isRegisteredElsewhere, toolkitRecord, type ToolkitRecord } from "./toolkit-table.js";
import { toolkitTools } from "./toolkit-tools.js";

/** What a package is opened with. */
export interface OpenOptions {
  /** Imports its main entry. */
  readonly load: () => Promise<unknown>;
  readonly config: object | undefined;
  readonly environment: Environment;
  readonly resolve: ResolveToolkit | undefined;
}

/** A package whose code is there and fits its manifest. */
export interface OpenPackage {
  readonly instances: readonly object[];
  /** By their names in the manifest. */
  readonly tools: ReadonlyMap<string, RunnableTool>;
}

/**
 * Imports a package, makes its configuration and its toolkits, and holds them against the manifest.
 *
 * @throws ToolwrightError `REGISTRY_LOAD`, `REGISTRY_MISMATCH`, `REGISTRY_CONFIG`, `REGISTRY_DUPLICATE`, each naming the package.
 */
export async function openPackage(
  manifest: PackageManifest,
  { load, config: given, environment, resolve }: OpenOptions,
): Promise<OpenPackage> {
  const name = manifest.package;
  const none: ReadonlySet<string> = new Set();
  const loaded = toolPackageOf(await attempt(name, "imported", none, load));
  if (loaded === undefined) {
    const fix = "Its author should write `export default defineToolPackage({ … })` in its entry.";
    throw failure("REGISTRY_LOAD", name, `The package ${name} has no tool package as its default export.`, fix);
  }
  const different = definitionDifference(manifest, loaded);
  if (different !== undefined) throw mismatch(name, different);
  if (loaded.config !== undefined) assertOneTransformer([loaded.config], name, true);
  const config = await makeConfig(name, loaded, given, environment, kindsOf(manifest.config?.schema));
  const secrets = loaded.secrets ?? [];
  hideSecrets(config, secrets);
  const texts = secretTexts(config, secrets);
  const made: unknown = await attempt(name, "created", texts, async () => madeBy(resolve, loaded, name, config));
  try {
    return { instances: instancesOf(made, loaded, name), tools: match(manifest, made as readonly unknown[], texts) };
  } catch (error) {
    // What the package opened, such as a database, is not left open behind a refusal.
    await disposeAll(Array.isArray(made) ? made : []).catch(() => {});
    throw error;
  }
}

function instancesOf(made: unknown, { toolkits }: ToolPackage, name: string): readonly object[] {
  // What is no object is refused by `match`.
  if (Array.isArray(made)) return made as readonly object[];
  const fix = "Its author should write `create: (config) => [new …(config)]`.";
  const what = toolkits === undefined ? `\`create\` of ${name}` : `What makes the toolkits of ${name}`;
  throw failure("REGISTRY_LOAD", name, `${what} gave ${made === null ? "null" : typeof made}, not a list of toolkits.`, fix);
}

function match(manifest: PackageManifest, made: readonly unknown[], secrets: ReadonlySet<string>): ReadonlyMap<string, RunnableTool> {
  const { package: name, toolkits } = manifest;
  const records = made.map((instance) => (typeof instance === "object" && instance !== null ? toolkitRecord(instance) : undefined));
  const foreign = made.findIndex((instance, index) => records[index] === undefined && isForeign(instance));
  if (foreign !== -1) {
    const message = `The tools of ${name} were registered by a copy of @toolwright/core of another version, which this one cannot read.`;
    throw failure(
      "REGISTRY_DUPLICATE",
      name,
      message,
      "Let the app and the package have one version of @toolwright/core: see `npm ls @toolwright/core`.",
    );
  }
  const different = codeDifference(
    manifest,
    records.map((record) => record?.manifest),
  );
  if (different !== undefined) throw mismatch(name, different);
  const tools = new Map<string, RunnableTool>();
  for (const toolkit of toolkits) {
    const index = records.findIndex((record) => record?.manifest.className === toolkit.className);
    // One that is missing was refused above.
    for (const tool of toolkitTools(made[index] as object, records[index] as ToolkitRecord))
      tools.set(tool.info.name, guarded(tool, secrets));
  }
  return tools;
}

const isForeign = (instance: unknown): boolean => typeof instance === "object" && instance !== null && isRegisteredElsewhere(instance);

/** The same tool, whose errors do not tell the package's secrets to a model or a log. */
function guarded(tool: RunnableTool, secrets: ReadonlySet<string>): RunnableTool {
  if (secrets.size === 0) return tool;
  return {
    ...tool,
    async prepare(checked) {
      const prepared = await tool.prepare(checked);
      if (!prepared.ok) return prepared;
      return { ok: true, invoke: async (context) => withMasked(secrets, async () => prepared.invoke(context)) };
    },
  };
}

async function withMasked<Result>(secrets: ReadonlySet<string>, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw withoutSecrets(error, secrets);
  }
}

async function attempt<T>(name: string, what: string, secrets: ReadonlySet<string>, action: () => Promise<T>): Promise<T> {
  try {
    return await withMasked(secrets, action);
  } catch (cause) {
    // What is said of this package already.
    if (ToolwrightError.is(cause) && cause.code.startsWith("REGISTRY_") && cause.details["package"] === name) throw cause;
    const fix = ToolwrightError.is(cause, "BUILD_STALE")
      ? "Its author should run `npx toolwright build`, and publish it again."
      : undefined;
    throw failure("REGISTRY_LOAD", name, `The package ${name} could not be ${what}: ${reasonOf(cause)}.`, fix, cause);
  }
}

const mismatch = (name: string, different: string): ToolwrightError =>
  failure("REGISTRY_MISMATCH", name, `The code of ${name} disagrees with its manifest: ${different}.`);

function failure(
  code: "REGISTRY_LOAD" | "REGISTRY_MISMATCH" | "REGISTRY_DUPLICATE",
  name: string,
  message: string,
  fix?: string,
  cause?: unknown,
): ToolwrightError {
  return new ToolwrightError(code, message, { ...(fix !== undefined && { fix }), cause, details: { package: name } });
}

/** What may be told of a failure: a message may hold a configuration's secrets, unless it is one of ours. */
function reasonOf(cause: unknown): string {
  if (ToolwrightError.is(cause)) return firstLine(cause).replace(/\.$/, "");
  if (!(cause instanceof Error)) return `it threw ${cause === null ? "null" : typeof cause}`;
  const { code } = cause as { code?: unknown };
  const missing =
    code === "ERR_MODULE_NOT_FOUND"
      ? /^Cannot find (?:package|module) '([^'/]+(?:\/[^'/]+)?)' imported from/.exec(cause.message)?.[1]
      : undefined;
  if (missing !== undefined) return `it needs the package ${missing}, which is not installed`;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? `${cause.name} ${code}` : cause.name;
}
