import type { HistoryOption, Session } from "./contracts/history.js";
import type { InputItem } from "./contracts/item.js";
import type { Middleware } from "./contracts/middleware.js";
import type { Model, ModelSettings } from "./contracts/model.js";
import type { RunResult, RunState } from "./contracts/run.js";
import type { OutputFormat } from "./contracts/output.js";
import { inspectCustom, inspected } from "./errors/inspect-custom.js";
import { ToolwrightError } from "./errors/toolwright-error.js";
import { explainPipeline, type PipelineExplanation } from "./pipeline/explain.js";
import { orderMiddleware } from "./pipeline/order.js";
import { agentTool, type AgentToolOptions } from "./registry/agent-tool.js";
import type { HandoffTarget } from "./registry/handoff-tool.js";
import { collectTools } from "./registry/collect-tools.js";
import type { DefinedTool } from "./registry/define-tool.js";
import { outputFormat } from "./registry/define-output.js";
import type { AgentOptions, ResumeOptions, RunOptions } from "./agent-types.js";
import { checkHistory, checkOptions, checkRunOptions, quietLog } from "./agent-options.js";
import { checkDecisions } from "./run/check-decisions.js";
import { type AgentStream, EventStream } from "./run/event-stream.js";
import { inputItems } from "./run/history-items.js";
import type { Kernel } from "./run/kernel.js";
import { readRunState } from "./run/run-state.js";
import { startRun, type StartOptions } from "./run/start.js";
import { settingsWithOutput } from "./run/structured-output.js";

type OptionsArgument<App, Options> = unknown extends App ? [options?: Options] : [options: Options];

/** The agent without knowledge of any model adapter: the package's entry adds that. */
export abstract class AgentBase<App = unknown, Output = string> {
  readonly #options: AgentOptions<App, Output>;
  readonly #tools: ReturnType<typeof collectTools>;
  readonly #settings: ModelSettings;
  #middleware: readonly Middleware[];
  readonly #model: Model;
  readonly #output: OutputFormat | undefined;
  #kernel: Kernel | undefined;

  /** @throws ToolwrightError `RUN_OPTIONS`, `TOOL_…` when an option is wrong. */
  constructor(options: AgentOptions<App, Output>) {
    checkOptions(options);
    this.#options = options;
    this.#tools = collectTools(options.tools ?? []);
    this.#middleware = orderMiddleware(options.middleware ?? []);
    this.#output = options.output === undefined ? undefined : outputFormat(options.output);
    this.#settings = Object.freeze(settingsWithOutput(structuredClone(options.settings ?? {}), this.#output));
    this.#model = typeof options.model === "string" ? this.modelByName(options.model, options) : options.model;
  }

  protected abstract modelByName(name: string, options: AgentOptions<App, Output>): Model;

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

  /**
   * This agent as a tool of another one. Each call is a run of its own, on an empty history. Requests and usage count in
   * every run above; events come as `agent-event`; a call inside that waits for a person interrupts the outermost run, whose
   * `resume` takes the decision. An agent whose tools all read counts as a read.
   *
   * @example
   * const research = researcher.asTool({ name: "research", description: "Finds facts about a company." });
   * const agent = new Agent({ model, tools: [research] });
   * @throws ToolwrightError `TOOL_DEFINITION` for a wrong option.
   */
  asTool<const Parameters extends object = object>(options: AgentToolOptions<Parameters, App>): DefinedTool<App> {
    return agentTool(options as AgentToolOptions<object, App>, () => this.#ready(), onlyReads(this.#tools));
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
    const kernel = this.#ready();
    const state = readRunState(stateOrText, kernel);
    const decisions = options?.decisions ?? [];
    checkDecisions(state, decisions, kernel);
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
      outputRepairs = 2,
      concurrency = Number.POSITIVE_INFINITY,
      maxSteps,
      maxOutputChars = 100_000,
      timeoutMs,
      stepTimeoutMs,
      log = quietLog,
      stateSecret = [],
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
      settings: this.#settings,
      output: this.#output,
      outputRepairs,
      concurrency,
      maxSteps: maxSteps ?? (bounded ? Number.POSITIVE_INFINITY : 20),
      maxOutputChars,
      limits: { timeoutMs, stepTimeoutMs },
      stateSecrets: typeof stateSecret === "string" ? [stateSecret] : stateSecret,
      log,
    });
  }

  /** What a handoff to this agent needs. */
  get "~toolwright.agent"(): HandoffTarget<App>["~toolwright.agent"] {
    return { name: this.#options.name, kernel: () => this.#ready() };
  }

  /** Shows names only: never the client with its key, nor instructions or history. */
  toJSON(): object {
    const own = this.#options.name;
    return {
      ...(own !== undefined && { name: own }),
      model: this.#model.name,
      tools: [...this.#tools.byName.keys()],
      middleware: this.#middleware.map(({ name }) => name),
    };
  }

  [inspectCustom](): string {
    return `Agent ${inspected(this.toJSON())}`;
  }
}

// What a handoff leads to, and what the provider runs itself, may act.
function onlyReads({ byName, specs }: ReturnType<typeof collectTools>): boolean {
  const own = [...byName.values()].every(({ info, handoff }) => info.effectDeclared && info.effect === "read" && handoff === undefined);
  return own && specs.every(({ type }) => type === "function" || type === "custom" || readingHosted.has(type));
}

const readingHosted: ReadonlySet<string> = new Set(["web_search", "web_search_preview", "file_search", "tool_search"]);

type Setup = Pick<StartOptions, "input" | "history" | "app" | "signal" | "resumed">;
