import type { HistoryOption } from "./contracts/history.js";
import type { Middleware, RunInfo } from "./contracts/middleware.js";
import type { Model, ModelSettings } from "./contracts/model.js";
import type { Decision } from "./contracts/run.js";
import type { ToolLog } from "./contracts/tool.js";
import type { AgentTool } from "./registry/collect-tools.js";
import type { AgentOutput } from "./registry/define-output.js";

/** What an agent is made of. */
export interface AgentOptions<App, Output = string> {
  /** What the agent is called in logs and traces. Default: none. */
  readonly name?: string | undefined;
  /** A model's name, e.g. `"gpt-5.4-mini"`, or any Model. */
  readonly model: string | Model;
  /** What the model is told before everything else; a function is asked at each step. */
  readonly instructions?: string | ((run: RunInfo) => string) | undefined;
  /**
   * The form of the final answer: a class with `@Output` from the generated module, or what `defineOutput` gave. `result.output`
   * is then a checked instance of it. Default: plain text.
   */
  readonly output?: AgentOutput<Output> | undefined;
  /** How many answers that do not fit `output` are given back to the model, a step each. Default 2. */
  readonly outputRepairs?: number | undefined;
  /** Instances of built tool classes, registries, `defineTool` tools, hosted tools. */
  readonly tools?: readonly AgentTool<App>[] | undefined;
  /** Exactly what runs around model and tools, outermost first. Default none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Settings of the model, in the wire's names. */
  readonly settings?: ModelSettings | undefined;
  /** Who keeps the history. Default `{ kind: "local" }`. */
  readonly history?: HistoryOption | undefined;
  /** How many tool methods may run at once. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** Replies of the model in one run. Default 20, or what a `stepBudget` in the pipeline says. */
  readonly maxSteps?: number | undefined;
  /** Milliseconds that one run may take; it then ends as by an abort, with `RUN_TIMEOUT`. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that one step may take, its tools included. Default: no limit. */
  readonly stepTimeoutMs?: number | undefined;
  /** Characters of one tool output that the model reads; the rest is cut, and the output says so. Default 100 000. */
  readonly maxOutputChars?: number | undefined;
  /**
   * Signs `result.state` of paused runs, and has `resume` refuse what was not signed with it: without it, whoever can write to
   * where states are kept can let calls run that nobody approved. At least 32 characters, e.g. `openssl rand -base64 32`. Of a
   * list, the first one signs and each is believed, so that secrets can be changed. Default: nothing is signed.
   */
  readonly stateSecret?: string | readonly string[] | undefined;
  /** Where tools' `context.log` and the kernel's own warnings go. Default nowhere. */
  readonly log?: ToolLog | undefined;
}

/** What one run may be given. `app` is required when a tool's context asks for it. */
export type RunOptions<App> = {
  /** Ends the run and every wait in it at once; `run()` then rejects with `RUN_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the agent's history for this run. */
  readonly history?: HistoryOption | undefined;
} & (unknown extends App ? { readonly app?: App | undefined } : { readonly app: App });

/** What a resumed run may be given. */
export type ResumeOptions<App> = {
  readonly signal?: AbortSignal | undefined;
  /** The session of a state that went through JSON. Default: the agent's own. */
  readonly history?: HistoryOption | undefined;
  /** A person's decisions, by call id. Calls left out stay interrupted. */
  readonly decisions?: readonly Decision[] | undefined;
} & (unknown extends App ? { readonly app?: App | undefined } : { readonly app: App });
