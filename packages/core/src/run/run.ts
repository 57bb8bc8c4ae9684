import type { EventBody, RunEvent } from "../contracts/event.js";
import type { RunStore, Session } from "../contracts/history.js";
import type { JsonObject } from "../contracts/json.js";
import type { Middleware, MiddlewareContext, RunInfo } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { CallRecord, StepRecord } from "../contracts/run.js";
import type { Usage } from "../contracts/usage.js";
import { compose } from "../pipeline/compose.js";
import { RunAbort } from "./abort.js";
import type { History } from "./history.js";
import type { Kernel } from "./kernel.js";
import { askMiddlewares, isBudget } from "./ask-middlewares.js";
import { type Hook, layersOf, passOnOf } from "./layers.js";
import { lanesOf } from "./held-lanes.js";
import type { Lanes } from "./lanes.js";
import { middlewareContexts } from "./middleware-contexts.js";
import { endedPause, type PausedStep } from "./paused-step.js";
import { kernelAfter } from "./handoff.js";
import { runInfo } from "./run-info.js";
import type { RunAbove, RunSetup, StartNested } from "./run-setup.js";
import { Slots } from "./slots.js";
import { TimeLimits } from "./time-limits.js";
import { UsageCounter } from "./usage.js";

// What a consumer shows as it comes: asking the model again would show it twice.
const visible: ReadonlySet<EventBody["type"]> = new Set([
  "text-delta",
  "reasoning-delta",
  "refusal-delta",
  "tool-input-start",
  "tool-input-delta",
]);

/** One run: its counters, its state, its events. Everything that changes while the loop turns lives here. */
export class Run {
  readonly id: string;
  readonly path: readonly string[];
  /** Of the agent that was asked: its pipeline and limits hold for the whole run. */
  readonly kernel: Kernel;
  /** Of the agent that answers now: its model, instructions, tools, settings and output. Another one after a handoff. */
  active: Kernel;
  /** The handoff tools that led from the one to the other. */
  readonly handoffs: string[];
  readonly history: History;
  readonly store: RunStore | undefined;
  readonly session: Session | undefined;
  readonly app: unknown;
  readonly stream: boolean;
  readonly abort: RunAbort;
  readonly limits: TimeLimits;
  readonly usage: UsageCounter;
  readonly lanes: Lanes;
  readonly slots: Slots;
  readonly steps: StepRecord[];
  readonly startNested: StartNested;
  /** What a middleware of this run threw about a request from inside of an agent that is a tool: it ends this run. */
  broken: { readonly error: unknown } | undefined;
  /** True once a tool that is no read has started. */
  acted: boolean;
  /** What middlewares may read of it. */
  readonly info: RunInfo;
  /** True when the consumer was given something of the present step. */
  outputSeen = false;
  readonly #parent: RunAbove | undefined;
  /** Marks the replies that requests of the present step brought. A copy with other items is still such a reply. */
  replyMark: object = {};
  /** How often it has paused. */
  pauses: number;
  /** Answers so far that did not fit the output and were given back to the model. */
  outputRepairs: number;
  /** Calls of each tool so far, by name. */
  readonly toolCalls: Map<string, number>;
  /** Writes of unknown outcome so far: the idempotency key by tool and arguments. */
  readonly unknownWrites: Map<string, string>;
  /** Set when the first step with a call is over: a forced tool choice has then been obeyed. */
  forcedChoiceDone = false;
  step: number;
  /** What the present step's calls are known by: a step taken over from a run that was cut off keeps its own. */
  identity: { readonly runId: string; readonly step: number };
  responseId: string | undefined;
  /** Set while the run waits for a person. */
  paused: PausedStep | undefined;
  readonly attempts = new Map<string, number>();
  readonly #consumer: RunSetup["consumer"];
  readonly #observers: readonly { readonly middleware: Middleware; readonly context: MiddlewareContext }[];
  readonly #contexts: ReadonlyMap<Middleware, MiddlewareContext>;
  #ended = false;

  constructor(kernel: Kernel, setup: RunSetup) {
    const { resumed } = setup;
    this.kernel = kernel;
    this.handoffs = [...(resumed?.handoffs ?? [])];
    this.active = kernelAfter(kernel, this.handoffs);
    this.#parent = setup.parent?.run;
    this.startNested = setup.startNested;
    this.path = setup.parent === undefined ? [] : [...setup.parent.run.path, setup.parent.tool];
    this.id = resumed?.runId ?? setup.parent?.id ?? crypto.randomUUID();
    this.lanes = this.#parent?.lanes ?? lanesOf(this.id);
    this.history = setup.history;
    this.store = setup.store;
    this.session = setup.session;
    this.app = setup.app;
    this.stream = setup.stream;
    this.abort = new RunAbort(setup.signal);
    this.limits = new TimeLimits(this.abort, kernel.limits);
    this.usage = new UsageCounter(resumed?.usage, this.#parent?.usage);
    this.slots = new Slots(kernel.concurrency);
    this.steps = [...(resumed?.steps ?? [])];
    this.toolCalls = new Map(Object.entries(resumed?.toolCalls ?? {}));
    this.unknownWrites = new Map(Object.entries(resumed?.unknownWrites ?? {}));
    this.pauses = resumed?.pauses ?? 0;
    this.acted = resumed?.acted === true;
    this.outputRepairs = resumed?.outputRepairs ?? 0;
    this.step = resumed?.step ?? 0;
    this.identity = { runId: this.id, step: this.step };
    this.responseId = resumed?.responseId;
    this.forcedChoiceDone = this.steps.some((step) => step.calls.length > 0);
    this.#consumer = setup.consumer;
    this.info = runInfo(this);
    this.#contexts = middlewareContexts(kernel.middleware, this.info, this.abort.signal, resumed?.middleware ?? {});
    this.#observers = kernel.middleware
      .filter((middleware) => middleware.onEvent !== undefined)
      .map((middleware) => ({ middleware, context: this.#contexts.get(middleware) as MiddlewareContext }));
  }

  /** True when this run's lanes are its own, and not those of a run above. */
  get isRoot(): boolean {
    return this.#parent === undefined;
  }

  /** A tool that is no read has started, here or in an agent used as a tool. */
  markActed(): void {
    this.acted = true;
    this.#parent?.markActed();
  }

  /** Asks everybody who may refuse a request, from this run outwards. */
  askRequest(model: string, path: readonly string[] = []): void {
    try {
      askMiddlewares(this.kernel, { model, path }, this.#contexts);
    } catch (error) {
      // From inside of an agent's tool it would read like a failure of that agent.
      if (path.length > 0 && !isBudget(error)) this.broken ??= { error };
      throw error;
    }
    this.#parent?.askRequest(model, path.length === 0 ? this.path : path);
  }

  /** True when somebody looks at events: otherwise they are not even made. */
  get observed(): boolean {
    return this.#consumer !== undefined || this.#observers.length > 0;
  }

  /** Tells everyone who looks. Observers first: the consumer may be slow. */
  emit(body: EventBody): void | Promise<void> {
    // A method that outlives the run may still tell of its progress.
    if (!this.observed || this.#ended) return undefined;
    this.#ended = body.type === "run-end";
    const event = this.#event(body);
    for (const { middleware, context } of this.#observers) this.#observe(middleware, context, event);
    if (this.#consumer !== undefined && visible.has(body.type)) this.outputSeen = true;
    return this.#consumer?.(event);
  }

  #event(body: EventBody): RunEvent {
    const { id: runId, step, responseId, path } = this;
    // Most events of a long answer, made without the copy that a spread is.
    if (body.type === "text-delta") return { runId, step, responseId, path, type: "text-delta", text: body.text };
    return { runId, step, responseId, path, ...body };
  }

  /** The same for all attempts and resumes of one call. */
  idempotencyKey({ runId, step }: Run["identity"], callId: string): string {
    return [runId, ...this.path, step, callId].join("/");
  }

  startStep(): void {
    this.identity = { runId: this.id, step: this.step };
    this.limits.startStep(this.step);
    this.replyMark = {};
    this.responseId = undefined;
    this.outputSeen = false;
    this.attempts.clear();
    void this.emit({ type: "step-start" });
  }

  endStep(calls: readonly CallRecord[], usage: Usage): void {
    this.steps.push(Object.freeze({ index: this.step, responseId: this.responseId, calls, usage }));
    if (calls.length > 0) this.forcedChoiceDone = true;
    void this.emit({ type: "step-end", usage });
    this.step += 1;
  }

  /** Lets another agent answer from the next step on. */
  handOver(tool: string): void {
    this.handoffs.push(tool);
    this.active = kernelAfter(this.kernel, this.handoffs);
    // A choice that the new agent forces is its own.
    this.forcedChoiceDone = false;
  }

  /** Ends the step that the run has paused in, since nobody will decide its calls any more: they come to this. */
  endPause(outcome: ToolOutcome): void {
    const { paused } = this;
    if (paused === undefined) return;
    this.paused = undefined;
    this.endStep(endedPause(paused, outcome), paused.usage);
  }

  /** The onion of one hook around a core. */
  compose<Call extends object, Result extends object>(hook: Hook, core: (call: Call) => Promise<Result>): (call: Call) => Promise<Result> {
    return compose(hook, layersOf<Call, Result>(this.kernel, hook, this.#contexts), core, this.abort.signal, passOnOf(this, hook));
  }

  middlewareState(): { readonly [name: string]: JsonObject } {
    return Object.fromEntries(
      [...this.#contexts].filter(([middleware]) => middleware.state !== undefined).map(([{ name }, { state }]) => [name, state]),
    );
  }

  #observe(middleware: Middleware, context: MiddlewareContext, event: RunEvent): void {
    try {
      // An async observer is not awaited, and its rejection is not felt either.
      const result = middleware.onEvent?.(event, context) as unknown;
      if (result instanceof Promise) result.catch((error: unknown) => this.#logObserver(middleware, error));
    } catch (error) {
      this.#logObserver(middleware, error);
    }
  }

  #logObserver(middleware: Middleware, error: unknown): void {
    this.kernel.log.error({ middleware: middleware.name, err: error }, "onEvent threw");
  }
}
