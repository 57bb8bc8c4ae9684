import { type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import type { BuildOptions, BuildResult } from "./build-result.js";
import { BuildSession } from "./build-session.js";

/** Options of {@link watchProject}. */
export interface WatchOptions extends Omit<BuildOptions, "check" | "cache"> {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called after the first build and after each that did or found something else than the one before. */
  onBuild(result: BuildResult): void;
  /** Called when a later build cannot start, e.g. for a tsconfig that is being written. */
  onError(error: ToolwrightError): void;
  /** Called once, when changes are noticed from now on. */
  onReady?(): void;
}

/** Editors write a file in several steps, and tools several files. */
const settleMs = 30;

/**
 * Builds, and builds again whenever a file changes that the build reads, until the signal is aborted.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when the first build cannot start.
 */
export async function watchProject({ signal, onBuild, onError, onReady, ...options }: WatchOptions): Promise<void> {
  const session = new BuildSession({ ...options, cache: false });
  const changes = new Changes();
  const stop = (): void => changes.notice();
  signal.addEventListener("abort", stop, { once: true });
  try {
    let shown = "";
    const show = (result: BuildResult): void => {
      const { files, ...found } = result;
      const text = JSON.stringify(found);
      if (text !== shown || files.some(({ state }) => state === "written")) onBuild(result);
      shown = text;
    };
    show(await session.build());
    changes.watch(session.folders);
    onReady?.();
    while (!signal.aborted) {
      await changes.next(settleMs);
      if (signal.aborted) break;
      try {
        show(await session.build());
      } catch (error) {
        if (!ToolwrightError.is(error)) throw error;
        onError(error);
        shown = "";
      }
      changes.watch(session.folders);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    changes.close();
  }
}

/** Tells that something changed in some folders. One watcher for each: watching a whole tree would take in node_modules. */
class Changes {
  readonly #watchers = new Map<string, FSWatcher>();
  #changed = false;
  #wake: (() => void) | undefined;

  watch(folders: readonly string[]): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    const added = folders.filter((folder) => !this.#watchers.has(folder) && this.#add(folder));
    // What changed in them since the build read them was not noticed.
    if (added.length > 0) this.notice();
  }

  notice(): void {
    this.#changed = true;
    this.#wake?.();
  }

  /** Resolves when something has changed since the last time, and a moment has passed. */
  async next(quietMs: number): Promise<void> {
    if (!this.#changed) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    this.#changed = false;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Whether it is there to be watched. */
  #add(folder: string): boolean {
    try {
      const watcher = watch(folder, (_, name) => {
        // What the build writes itself is no change.
        if (name === null || !/^(\.|toolwright\.(generated\.ts|manifest\.json)$)/.test(basename(name))) this.notice();
      });
      // A folder that is removed: the next build finds out.
      watcher.on("error", () => this.notice());
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      // Gone since it was listed.
      return false;
    }
  }
}
