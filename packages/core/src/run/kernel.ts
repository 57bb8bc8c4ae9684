import type { Middleware } from "../contracts/middleware.js";
import type { Model, ModelSettings, ToolSpec } from "../contracts/model.js";
import type { OutputFormat } from "../contracts/output.js";
import type { RunInfo } from "../contracts/middleware.js";
import type { RunnableTool, ToolInfo, ToolLog } from "../contracts/tool.js";
import type { TimeLimitOptions } from "./time-limits.js";

/** The tools of an agent, ready to be sent and to be called. */
export interface ToolSet {
  readonly byName: ReadonlyMap<string, RunnableTool>;
  /** Frozen, and the same object for every step, so that it is serialised once. */
  readonly specs: readonly ToolSpec[];
  /** What everyone may know of the function tools, in the order in which they were given. */
  readonly infos: readonly ToolInfo[];
}

/** All that the loop needs of an agent. Fixed from its first run on. */
export interface Kernel {
  /** The agent's name, for traces. */
  readonly name: string | undefined;
  readonly model: Model;
  /** A model of the agent's own adapter, for a middleware that asks another one by name. */
  readonly modelByName: (name: string) => Model;
  readonly instructions: string | undefined | ((run: RunInfo) => string);
  readonly tools: ToolSet;
  /** In pipeline order, outermost first. */
  readonly middleware: readonly Middleware[];
  readonly settings: ModelSettings;
  /** The form of the final answer; undefined for plain text. */
  readonly output: OutputFormat | undefined;
  /** How many answers that do not fit are given back to the model. */
  readonly outputRepairs: number;
  /** How many methods may run at once. */
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly limits: TimeLimitOptions;
  /** The first one signs the states of paused runs, each of them is believed; none when nothing is signed. */
  readonly stateSecrets: readonly string[];
  /** Characters of one output that the model reads. */
  readonly maxOutputChars: number;
  readonly log: ToolLog;
}
