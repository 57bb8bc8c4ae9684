import type { PackageManifest } from "../contracts/manifest.js";
import type { RunnableTool } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { disposeAll } from "./dispose-all.js";
import { openPackage, type OpenOptions, type OpenPackage } from "./open-package.js";
import { within } from "./within.js";

/** A tool package whose code is loaded at the first call of one of its tools, once. */
export class PackageSource {
  readonly manifest: PackageManifest;
  readonly #options: OpenOptions;
  #opened: Promise<OpenPackage> | undefined;
  #instances: readonly object[] = [];
  #tools: ReadonlyMap<string, RunnableTool> | undefined;
  #disposed = false;

  constructor(manifest: PackageManifest, options: OpenOptions) {
    this.manifest = manifest;
    this.#options = options;
  }

  /** The tools by their names in the manifest, once the package is open. */
  get tools(): ReadonlyMap<string, RunnableTool> | undefined {
    return this.#tools;
  }

  /**
   * Imports the package and makes its toolkits. A failure is not kept: the next call tries again.
   *
   * @throws ToolwrightError `REGISTRY_LOAD`, `REGISTRY_MISMATCH`, `REGISTRY_CONFIG`, `REGISTRY_DUPLICATE`, each naming the package.
   */
  async open(): Promise<ReadonlyMap<string, RunnableTool>> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return (await this.#opened).tools;
  }

  /**
   * The same, but not for longer than this: an import or `create` that hangs fails who waits for it, and no one else.
   *
   * @param fix - what gives it more time, as a sentence.
   */
  openWithin(timeoutMs: number, fix: string): Promise<ReadonlyMap<string, RunnableTool>> {
    const { package: name } = this.manifest;
    const message = `The package ${name} was not imported and created within ${timeoutMs} ms.`;
    return within(timeoutMs, this.open(), () => new ToolwrightError("REGISTRY_LOAD", message, { fix, details: { package: name } }));
  }

  /** Disposes what was made, if anything was, what is being made included. It is not made again. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    const opening = this.#opened?.catch(() => undefined);
    // An import that never ends cannot be ended; should it come in after all, what it made is disposed then.
    if (opening !== undefined) await settledWithin(opening, longestWaitMs);
    const instances = this.#instances;
    this.#instances = [];
    this.#tools = undefined;
    this.#opened = undefined;
    await disposeAll(instances);
  }

  async #open(): Promise<OpenPackage> {
    if (this.#disposed) throw this.#wasDisposed();
    const open = await openPackage(this.manifest, this.#options);
    if (this.#disposed) {
      await disposeAll(open.instances);
      throw this.#wasDisposed();
    }
    this.#instances = open.instances;
    this.#tools = open.tools;
    return open;
  }

  #wasDisposed(): ToolwrightError {
    const { package: name } = this.manifest;
    return new ToolwrightError("REGISTRY_LOAD", `The registry was disposed, so ${name} cannot be used any more.`, {
      fix: "Keep the registry for as long as its agents run.",
      details: { package: name },
    });
  }
}

const longestWaitMs = 10_000;

async function settledWithin(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
