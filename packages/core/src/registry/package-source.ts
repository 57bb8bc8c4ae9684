import { isDeepStrictEqual } from "node:util";
import type { PackageManifest, ToolkitManifest } from "../contracts/manifest.js";
import type { RunnableTool } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { makeConfig } from "./package-config.js";
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

  constructor(manifest: PackageManifest, load: () => Promise<unknown>, config: object | undefined) {
    this.manifest = manifest;
    this.#load = load;
    this.#config = config;
  }

  /** Imports the package and makes its toolkits. A failure is not kept: the next call tries again. */
  open(): Promise<ReadonlyMap<string, RunnableTool>> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** Disposes what was made, if anything was. */
  async dispose(): Promise<void> {
    await this.#opened?.catch(() => {});
    const instances = this.#instances;
    this.#instances = [];
    this.#opened = undefined;
    for (const instance of instances) {
      const { [Symbol.asyncDispose]: disposeAsync, [Symbol.dispose]: dispose } = instance as Partial<AsyncDisposable & Disposable>;
      if (disposeAsync !== undefined) await disposeAsync.call(instance);
      else dispose?.call(instance);
    }
  }

  async #open(): Promise<ReadonlyMap<string, RunnableTool>> {
    const name = this.manifest.package;
    const loaded = toolPackageOf(await this.#attempt("imported", this.#load));
    if (loaded === undefined) {
      throw new ToolwrightError("REGISTRY_LOAD", `The package ${name} has no tool package as its default export.`, {
        fix: "Its author should write `export default defineToolPackage({ … })`.",
      });
    }
    const config = await makeConfig(name, loaded.config, this.#config);
    this.#instances = await this.#attempt("created", async () => loaded.create(config));
    return this.#match();
  }

  async #attempt<T>(what: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (ToolwrightError.is(error)) throw error;
      throw new ToolwrightError("REGISTRY_LOAD", `The package ${this.manifest.package} could not be ${what}.`, { cause: error });
    }
  }

  #match(): ReadonlyMap<string, RunnableTool> {
    const tools = new Map<string, RunnableTool>();
    for (const toolkit of this.manifest.toolkits) {
      const instance = this.#instances.find((candidate) => toolkitRecord(candidate)?.manifest.className === toolkit.className);
      const record = instance === undefined ? undefined : toolkitRecord(instance);
      if (instance === undefined || record === undefined) throw this.#mismatch(`it makes no ${toolkit.className}`);
      const different = firstDifference(toolkit, record.manifest);
      if (different !== undefined) throw this.#mismatch(different);
      for (const tool of toolkitTools(instance, record)) tools.set(tool.info.name, tool);
    }
    return tools;
  }

  #mismatch(what: string): ToolwrightError {
    return new ToolwrightError("REGISTRY_MISMATCH", `The code of ${this.manifest.package} disagrees with its manifest: ${what}.`);
  }
}

function firstDifference(listed: ToolkitManifest, built: ToolkitManifest): string | undefined {
  for (const tool of listed.tools) {
    const other = built.tools.find((candidate) => candidate.name === tool.name);
    if (other === undefined) return `there is no tool ${tool.name} in the code`;
    // Through JSON, as the manifest went: an option left out and one that is undefined are the same.
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(other)), JSON.parse(JSON.stringify(tool)))) return `the tool ${tool.name} is another one there`;
  }
  const unlisted = built.tools.find((tool) => !listed.tools.some(({ name }) => name === tool.name));
  return unlisted === undefined ? undefined : `the tool ${unlisted.name} is not in the manifest`;
}
