import type { Middleware } from "../contracts/middleware.js";
import type { Model, ModelSettings, ToolSpec } from "../contracts/model.js";
import type { RunInfo } from "../contracts/middleware.js";
import type { RunnableTool, ToolLog } from "../contracts/tool.js";
import type { TimeLimitOptions } from "./time-limits.js";

/** The tools of an agent, ready to be sent and to be called. */
export interface ToolSet {
  readonly byName: ReadonlyMap<string, RunnableTool>;
  /** Frozen, and the same object for every step, so that it is serialised once. */
  readonly specs: readonly ToolSpec[];
}

/** All that the loop needs of an agent. Fixed from its first run on. */
export interface Kernel {
  readonly model: Model;
  readonly instructions: string | undefined | ((run: RunInfo) => string);
  readonly tools: ToolSet;
  /** In pipeline order, outermost first. */
  readonly middleware: readonly Middleware[];
  readonly settings: ModelSettings;
  /** How many methods may run at once. */
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly limits: TimeLimitOptions;
  /** Characters of one output that the model reads. */
  readonly maxOutputChars: number;
  readonly log: ToolLog;
}
