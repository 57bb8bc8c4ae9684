import type { EventBody } from "../contracts/event.js";
import type { RunInfo } from "../contracts/middleware.js";
import type { Kernel } from "./kernel.js";
import type { UsageCounter } from "./usage.js";

/** What there is to know of a run that is going on. */
interface RunningRun {
  readonly id: string;
  readonly path: readonly string[];
  readonly kernel: Kernel;
  readonly active: Kernel;
  readonly app: unknown;
  readonly usage: UsageCounter;
  readonly step: number;
  readonly responseId: string | undefined;
  readonly attempts: ReadonlyMap<string, number>;
  outputSeen: boolean;
  emit(body: EventBody): void | Promise<void>;
}

/** A run as middlewares see it: always as it is now. */
export function runInfo(run: RunningRun): RunInfo {
  return {
    id: run.id,
    path: run.path,
    app: run.app,
    maxOutputChars: run.kernel.maxOutputChars,
    get model() {
      return run.active.model.name;
    },
    get agent() {
      return run.active.name;
    },
    get tools() {
      return run.active.tools.infos;
    },
    get step() {
      return run.step;
    },
    get responseId() {
      return run.responseId;
    },
    get usage() {
      return run.usage.snapshot();
    },
    get usageByModel() {
      return run.usage.byModel();
    },
    get outputSeen() {
      return run.outputSeen;
    },
    restartStep() {
      run.outputSeen = false;
      void run.emit({ type: "step-restart" });
    },
    nextAttempt(callId) {
      return (run.attempts.get(callId) ?? 0) + 1;
    },
  };
}
