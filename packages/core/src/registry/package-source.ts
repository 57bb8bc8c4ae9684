import type { PackageManifest } from "../contracts/manifest.js";
import type { RunnableTool } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { disposeAll } from "./dispose-all.js";
import { codeDifference } from "./code-difference.js";
import { makeConfig } from "./package-config.js";
import { firstLine } from "./package-manifest.js";
import { toolPackageOf } from "./tool-package.js";
import { toolkitRecord } from "./toolkit-table.js";
import { toolkitTools } from "./toolkit-tools.js";

/** A tool package whose code is loaded at the first call of one of its tools, once. */
export class PackageSource {
  readonly manifest: PackageManifest;
  readonly #load: () => Promise<unknown>;
  readonly #config: object | undefined;
  #opened: Promise<ReadonlyMap<string, RunnableTool>> | undefined;
  #instances: readonly object[] = [];
  #tools: ReadonlyMap<string, RunnableTool> | undefined;
  #disposed = false;

  constructor(manifest: PackageManifest, load: () => Promise<unknown>, config: object | undefined) {
    this.manifest = manifest;
    this.#load = load;
    this.#config = config;
  }

  /** The tools by their names in the manifest, once the package is open. */
  get tools(): ReadonlyMap<string, RunnableTool> | undefined {
    return this.#tools;
  }

  /**
   * Imports the package and makes its toolkits. A failure is not kept: the next call tries again.
   *
   * @throws ToolwrightError `REGISTRY_LOAD`, `REGISTRY_MISMATCH`, `REGISTRY_CONFIG`, each naming the package.
   */
  open(): Promise<ReadonlyMap<string, RunnableTool>> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** Disposes what was made, if anything was. It is not made again. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#opened?.catch(() => {});
    const instances = this.#instances;
    this.#instances = [];
    this.#tools = undefined;
    this.#opened = undefined;
    await disposeAll(instances);
  }

  async #open(): Promise<ReadonlyMap<string, RunnableTool>> {
    const name = this.manifest.package;
    if (this.#disposed) {
      throw this.#failure(
        "REGISTRY_LOAD",
        `The registry was disposed, so ${name} cannot be used any more.`,
        "Keep the registry for as long as its agents run.",
      );
    }
    const loaded = toolPackageOf(await this.#attempt("imported", this.#load));
    if (loaded === undefined) {
      const fix = "Its author should write `export default defineToolPackage({ … })` in its entry.";
      throw this.#failure("REGISTRY_LOAD", `The package ${name} has no tool package as its default export.`, fix);
    }
    const config = await makeConfig(name, loaded.config, this.#config);
    const made: unknown = await this.#attempt("created", async () => loaded.create(config));
    try {
      const tools = this.#match(made);
      this.#instances = made as readonly object[]; // `#match` refuses anything else
      this.#tools = tools;
      return tools;
    } catch (error) {
      // What the package opened, such as a database, is not left open behind a refusal.
      await disposeAll(Array.isArray(made) ? made : []).catch(() => {});
      throw error;
    }
  }

  async #attempt<T>(what: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (cause) {
      const { package: name } = this.manifest;
      // What `resolveEntry` says of this package.
      if (ToolwrightError.is(cause, "REGISTRY_LOAD") && cause.details["package"] === name) throw cause;
      const fix = ToolwrightError.is(cause, "BUILD_STALE")
        ? "Its author should run `npx toolwright build`, and publish it again."
        : undefined;
      throw this.#failure("REGISTRY_LOAD", `The package ${name} could not be ${what}: ${reasonOf(cause)}.`, fix, cause);
    }
  }

  #match(made: unknown): ReadonlyMap<string, RunnableTool> {
    const { package: name, toolkits } = this.manifest;
    if (!Array.isArray(made)) {
      const fix = "Its author should write `create: (config) => [new …(config)]`.";
      throw this.#failure(
        "REGISTRY_LOAD",
        `\`create\` of ${name} gave ${made === null ? "null" : typeof made}, not a list of toolkits.`,
        fix,
      );
    }
    const instances = made as readonly unknown[];
    const records = instances.map((instance) => (typeof instance === "object" && instance !== null ? toolkitRecord(instance) : undefined));
    const different = codeDifference(
      this.manifest,
      records.map((record) => record?.manifest),
    );
    if (different !== undefined) throw this.#failure("REGISTRY_MISMATCH", `The code of ${name} disagrees with its manifest: ${different}.`);
    const tools = new Map<string, RunnableTool>();
    for (const toolkit of toolkits) {
      const index = records.findIndex((record) => record?.manifest.className === toolkit.className);
      const record = records[index];
      if (record === undefined) continue; // refused above
      for (const tool of toolkitTools(instances[index] as object, record)) tools.set(tool.info.name, tool);
    }
    return tools;
  }

  #failure(code: "REGISTRY_LOAD" | "REGISTRY_MISMATCH", message: string, fix?: string, cause?: unknown): ToolwrightError {
    return new ToolwrightError(code, message, { ...(fix !== undefined && { fix }), cause, details: { package: this.manifest.package } });
  }
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
