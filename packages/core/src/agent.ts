import type { HistoryOption, Session } from "./contracts/history.js";
import type { InputItem } from "./contracts/item.js";
import type { Middleware, RunInfo } from "./contracts/middleware.js";
import type { Model, ModelSettings } from "./contracts/model.js";
import type { Decision, RunResult, RunState } from "./contracts/run.js";
import type { ToolLog } from "./contracts/tool.js";
import { inspectCustom, inspected } from "./errors/inspect-custom.js";
import { ToolwrightError } from "./errors/toolwright-error.js";
import { explainPipeline, type PipelineExplanation } from "./pipeline/explain.js";
import { orderMiddleware } from "./pipeline/order.js";
import { type AgentTool, collectTools } from "./registry/collect-tools.js";
import { checkHistory, checkOptions, checkRunOptions, quietLog } from "./agent-options.js";
import { type AgentStream, EventStream } from "./run/event-stream.js";
import { inputItems } from "./run/history-items.js";
import type { Kernel } from "./run/kernel.js";
import { checkDecisions, readRunState } from "./run/run-state.js";
import { startRun, type StartOptions } from "./run/start.js";

/** What an agent is made of. */
export interface AgentOptions<App> {
  /** What the agent is called in logs and traces. Default: none. */
  readonly name?: string | undefined;
  /** A model's name, e.g. `"gpt-5.4-mini"`, or any Model. */
  readonly model: string | Model;
  /** What the model is told before everything else; a function is asked at each step. */
  readonly instructions?: string | ((run: RunInfo) => string) | undefined;
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

type OptionsArgument<App, Options> = unknown extends App ? [options?: Options] : [options: Options];

/** The agent without knowledge of any model adapter: the package's entry adds that. */
export abstract class AgentBase<App = unknown, Output = string> {
  readonly #options: AgentOptions<App>;
  readonly #tools: ReturnType<typeof collectTools>;
  #middleware: readonly Middleware[];
  readonly #model: Model;
  #kernel: Kernel | undefined;

  /** @throws ToolwrightError `RUN_OPTIONS`, `TOOL_…` when an option is wrong. */
  constructor(options: AgentOptions<App>) {
    checkOptions(options);
    this.#options = options;
    this.#tools = collectTools(options.tools ?? []);
    this.#middleware = orderMiddleware(options.middleware ?? []);
    this.#model = typeof options.model === "string" ? this.modelByName(options.model, options) : options.model;
  }

  protected abstract modelByName(name: string, options: AgentOptions<App>): Model;

  /**
   * Adds a middleware innermost.
   *
   * @throws ToolwrightError `RUN_OPTIONS` after the first run: the pipeline is then fixed.
   */
  use(middleware: Middleware): this {
    if (this.#kernel !== undefined) {
      throw new ToolwrightError("RUN_OPTIONS", `The middleware "${middleware.name}" came after the agent's first run.`, {
        fix: "Call `use` before the first run: the pipeline is fixed from then on.",
      });
    }
    this.#middleware = orderMiddleware([...this.#middleware, middleware]);
    return this;
  }

  /**
   * The pipeline, per hook and outermost first, with what its middlewares mean for each other. Printed, it is a text; its
   * fields are the same as data.
   *
   * @example console.log(agent.explain());
   */
  explain(): PipelineExplanation {
    return explainPipeline(this.#options.middleware ?? [], this.#middleware);
  }

  /**
   * Asks the model, runs the tools it calls, and asks again until it answers.
   *
   * @param input - a text, or new items.
   * @throws ToolwrightError whose `result` holds the work done until then: `RUN_ABORTED`, `RUN_BUDGET`, `MODEL_…` and others.
   */
  run(input: string | readonly InputItem[], ...[options]: OptionsArgument<App, RunOptions<App>>): Promise<RunResult<Output>> {
    return this.#start(this.#fresh(input, options), undefined).result;
  }

  /**
   * Goes on with a paused run.
   *
   * @param state - `result.state` of an interrupted run, or its JSON text.
   * @throws ToolwrightError `RUN_STATE` when state and decisions do not fit each other or this agent.
   */
  resume(state: RunState | string, ...[options]: OptionsArgument<App, ResumeOptions<App>>): Promise<RunResult<Output>> {
    return this.#start(() => this.#resumed(state, options), undefined).result;
  }

  /**
   * The same loop as `run` and `resume`, told as it happens.
   *
   * @example
   * const stream = agent.stream("Tell me a story.");
   * for await (const event of stream) if (event.type === "text-delta") process.stdout.write(event.text);
   * const result = await stream.result;
   */
  stream(input: string | readonly InputItem[], ...[options]: OptionsArgument<App, RunOptions<App>>): AgentStream<Output>;
  stream(state: RunState | string, ...[options]: OptionsArgument<App, ResumeOptions<App>>): AgentStream<Output>;
  stream(input: string | readonly InputItem[] | RunState, options?: RunOptions<App> | ResumeOptions<App>): AgentStream<Output> {
    // Only a state is decided about; its JSON text is a text like any question otherwise.
    const isText = typeof input === "string" && options !== undefined && "decisions" in options;
    const isState = isText || (typeof input === "object" && !Array.isArray(input) && input !== null && "version" in input);
    const setup = isState
      ? () => this.#resumed(input as RunState | string, options as ResumeOptions<App> | undefined)
      : this.#fresh(input as string | readonly InputItem[], options as RunOptions<App> | undefined);
    return new EventStream<Output>((consumer) => this.#start(setup, consumer));
  }

  #fresh(input: string | readonly InputItem[], options: RunOptions<App> | undefined) {
    return (): Setup => {
      checkRunOptions(options, ["signal", "history", "app"]);
      const history = options?.history ?? this.#options.history ?? { kind: "local" };
      checkHistory(history);
      return { input: inputItems(input), history, app: options?.app, signal: options?.signal, resumed: undefined };
    };
  }

  #resumed(stateOrText: RunState | string, options: ResumeOptions<App> | undefined): Setup {
    checkRunOptions(options, ["signal", "history", "app", "decisions"]);
    const state = readRunState(stateOrText, this.#tools);
    const decisions = options?.decisions ?? [];
    checkDecisions(state, decisions, this.#tools);
    return {
      input: [],
      history: this.#historyOf(state, options?.history),
      app: options?.app,
      signal: options?.signal,
      resumed: { state, decisions },
    };
  }

  // A state that went through JSON has lost its session: that of the call or of the agent takes its place.
  #historyOf({ history }: RunState, given: HistoryOption | undefined): HistoryOption {
    const session = history.kind === "local" ? history.session : undefined;
    if (session === undefined || typeof (session as Partial<Session>).load === "function") return history;
    const own = given ?? this.#options.history;
    return own?.kind === "local" && own.session !== undefined ? own : history;
  }

  #start(
    setup: () => Setup,
    consumer: StartOptions["consumer"],
  ): { readonly result: Promise<RunResult<Output>>; abort(reason: unknown): void } {
    const started = startRun(
      () => this.#ready(),
      () => ({ ...setup(), consumer, stream: consumer !== undefined }),
    );
    // The loop's output has the type that the agent's options ask for.
    return started as { readonly result: Promise<RunResult<Output>>; abort(reason: unknown): void };
  }

  #ready(): Kernel {
    return (this.#kernel ??= this.#makeKernel());
  }

  #makeKernel(): Kernel {
    const {
      instructions,
      settings = {},
      concurrency = Number.POSITIVE_INFINITY,
      maxSteps,
      maxOutputChars = 100_000,
      timeoutMs,
      stepTimeoutMs,
      log = quietLog,
    } = this.#options;
    const bounded = this.#middleware.some((middleware) => middleware.boundsSteps !== undefined);
    const models = new Map<string, Model>();
    const modelByName = (name: string): Model => {
      const known = models.get(name) ?? this.modelByName(name, this.#options);
      models.set(name, known);
      return known;
    };
    return Object.freeze({
      name: this.#options.name,
      model: this.#model,
      modelByName,
      instructions,
      tools: this.#tools,
      middleware: this.#middleware,
      settings: Object.freeze(structuredClone(settings)),
      concurrency,
      maxSteps: maxSteps ?? (bounded ? Number.POSITIVE_INFINITY : 20),
      maxOutputChars,
      limits: { timeoutMs, stepTimeoutMs },
      log,
    });
  }

  /** Shows names only: never the client with its key, nor instructions or history. */
  toJSON(): object {
    const { name } = this.#options;
    return {
      ...(name !== undefined && { name }),
      model: this.#model.name,
      tools: [...this.#tools.byName.keys()],
      middleware: this.#middleware.map(({ name }) => name),
    };
  }

  [inspectCustom](): string {
    return `Agent ${inspected(this.toJSON())}`;
  }
}

type Setup = Pick<StartOptions, "input" | "history" | "app" | "signal" | "resumed">;
