import { ToolwrightError } from "../errors/toolwright-error.js";
import type { RunAbort } from "./abort.js";

/** How long a run and each of its steps may take, in milliseconds. */
export interface TimeLimitOptions {
  readonly timeoutMs: number | undefined;
  readonly stepTimeoutMs: number | undefined;
}

/** Ends a run whose time, or whose step's time, is over: as an abort does, with `RUN_TIMEOUT`. */
export class TimeLimits {
  readonly #abort: RunAbort;
  readonly #stepTimeoutMs: number | undefined;
  readonly #run: NodeJS.Timeout | undefined;
  #step: NodeJS.Timeout | undefined;

  constructor(abort: RunAbort, { timeoutMs, stepTimeoutMs }: TimeLimitOptions) {
    this.#abort = abort;
    this.#stepTimeoutMs = stepTimeoutMs;
    this.#run = this.#start(timeoutMs, "The run");
  }

  startStep(step: number): void {
    clearTimeout(this.#step);
    this.#step = this.#start(this.#stepTimeoutMs, `Step ${step}`);
  }

  end(): void {
    clearTimeout(this.#step);
    clearTimeout(this.#run);
  }

  #start(limitMs: number | undefined, what: string): NodeJS.Timeout | undefined {
    if (limitMs === undefined) return undefined;
    return setTimeout(() => {
      this.#abort.abort(new ToolwrightError("RUN_TIMEOUT", `${what} took longer than ${limitMs} ms.`, { details: { limitMs } }));
    }, limitMs);
  }
}
