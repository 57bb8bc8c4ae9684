import { getEventListeners } from "node:events";
import {
  Agent,
  type Decision,
  defineMiddleware,
  type HistoryOption,
  type Interruption,
  type Item,
  memorySession,
  type Middleware,
  type RunEvent,
  type RunResult,
  type RunState,
  type Session,
  ToolwrightError,
} from "@toolwright/core";
import { modelRetry, stepBudget, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { historyOf } from "../sessions/support.js";
import { type Lines, noPipeline, type RandomPipeline } from "./random-pipeline.js";
import { type PlannedRun, plannedToolNames } from "./random-plan.js";
import { type Execution, RandomWorld, userSecret } from "./random-world.js";
import { serve } from "./serve.js";
import { ends, sleep } from "./wait.js";
import { resumeIn, type RunFailure, runIn } from "./ways.js";

/** What came of a plan. */
export interface RandomOutcome {
  readonly plan: PlannedRun;
  /** What stood in the pipeline beside the plan's own. */
  readonly pipeline: RandomPipeline;
  readonly executions: readonly Execution[];
  readonly complaints: readonly string[];
  readonly allowed: ReadonlySet<string>;
  /** How the planned run ended. */
  readonly end: End;
  /** The code of its error, if it ended in one. */
  readonly code: string | undefined;
  /** The step that the run paused in and never came back to, with its calls. */
  readonly left: Pick<RunState, "step" | "calls"> | undefined;
  /** Requests that the server saw of it. */
  readonly requests: number;
  /** Events of each part of the run, from start or resume to its end. Empty when nobody looked. */
  readonly parts: readonly (readonly RunEvent[])[];
  /** Everything the model reads in the run after it. */
  readonly context: readonly Item[];
  readonly refusals: readonly string[];
  /** What the session held, if there was one. */
  readonly held: HistoryOption | undefined;
  /** All that the model has read, and what was logged. */
  readonly read: readonly string[];
  readonly logged: readonly string[];
  /** Listeners that were left on the caller's signal. */
  readonly listeners: number;
}

type End = RunResult | RunFailure["result"];

/** Carries out a plan, in a pipeline, then a plain run on the history that it left. */
export async function carryOut(given: PlannedRun, pipeline: RandomPipeline = noPipeline): Promise<RandomOutcome> {
  const isServers = given.kind === "chained" || given.kind === "conversation";
  const plan: PlannedRun = pipeline.localOnly && isServers ? { ...given, kind: "local" } : given;
  const world = new RandomWorld(plan);
  await using stand = await serve(() => world.next(), { conversations: ["conv_1"] });
  const tools = plannedToolNames.map((name) => world.tool(name));
  const controller = new AbortController();
  const { signal } = controller;
  const parts: RunEvent[][] = [];
  const logged: string[] = [];
  const lines: Lines = { all: logged, stream: { write: (line) => void logged.push(line) } };
  const agent = new Agent({
    model: "test",
    client: stand.client,
    tools,
    middleware: pipeline.around(middlewareOf(plan, parts, abortAtEvent(plan, controller)), lines),
    transport: plan.transport,
    concurrency: plan.concurrency,
    maxSteps: plan.maxSteps,
    stepTimeoutMs: plan.kind === "conversation" ? undefined : plan.stepTimeoutMs,
    ...(plan.forced && { settings: { tool_choice: "required" } }),
  });
  const abortAfterMs = plan.abort !== undefined && "afterMs" in plan.abort && plan.kind !== "conversation" ? plan.abort.afterMs : undefined;
  const timer = abortAfterMs === undefined ? undefined : setTimeout(() => controller.abort(new Error("enough")), abortAfterMs);
  const { history, session } = historyFor(plan);
  const person = new Person(plan, world);

  let left: RunState | undefined;
  let [end, code] = await endOf(runIn(plan.way, agent, `Go, and say nothing of ${userSecret}.`, { signal, history }));
  for (let round = 0; end.stopReason === "interrupted"; round += 1) {
    left = end.state;
    const decisions = person.decide(end);
    if (decisions.length === 0 || round === plan.rounds) break;
    [end, code] = await endOf(resume(plan, agent, end.state, { decisions, signal, ...(session !== undefined && { history }) }));
  }
  clearTimeout(timer);
  const requests = stand.server.requests.length;
  const held = session === undefined ? undefined : await historyOf(session);
  // What was left behind ends now: it must change nothing any more.
  await sleep(plan.abort === undefined && plan.stepTimeoutMs === undefined ? 0 : 8);

  world.over = true;
  const plain = new Agent({ model: "test", client: stand.client, tools });
  const next = session === undefined ? (JSON.parse(JSON.stringify(end.history)) as HistoryOption) : history;
  await ends(plain.run("Go on.", { history: next, signal: new AbortController().signal }));
  return {
    plan,
    pipeline,
    executions: world.executions,
    complaints: world.complaints,
    allowed: world.allowed,
    end,
    code,
    // An abort may come before the run has come back to it.
    left: left === undefined || end.steps.some(({ index }) => index === left?.step) ? undefined : left,
    requests,
    parts,
    context: stand.server.requests.at(-1)?.context ?? [],
    refusals: stand.server.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message])),
    held,
    read: stand.server.requests.map(({ text }) => text),
    logged,
    listeners: getEventListeners(signal, "abort").length,
  };
}

function historyFor({ kind }: PlannedRun): { readonly history: HistoryOption; readonly session?: Session } {
  if (kind === "conversation") return { history: { kind, id: "conv_1" } };
  if (kind === "chained") return { history: { kind } };
  if (kind === "local") return { history: { kind } };
  const session = memorySession();
  return { history: { kind: "local", session }, session };
}

async function endOf(run: Promise<RunResult>): Promise<readonly [End, string | undefined]> {
  try {
    return [await ends(run), undefined];
  } catch (error) {
    // A run of the plan may fail; anything else is a fault of the plan's own.
    if (ToolwrightError.is(error) && error.result !== undefined) return [error.result, error.code];
    throw error;
  }
}

function resume(plan: PlannedRun, agent: Agent, state: RunState, options: Parameters<typeof resumeIn>[3]): Promise<RunResult> {
  if (plan.kept === "object") return resumeIn(plan.way, agent, state, options);
  const text = JSON.stringify(state);
  return plan.kept === "text" ? agent.resume(text, options) : resumeIn(plan.way, agent, JSON.parse(text) as RunState, options);
}

/** Says one word about each call that waits, and leaves some for later. */
class Person {
  readonly #plan: PlannedRun;
  readonly #world: RandomWorld;
  #said = 0;

  constructor(plan: PlannedRun, world: RandomWorld) {
    this.#plan = plan;
    this.#world = world;
  }

  decide({ interruptions, state }: RunResult & { readonly stopReason: "interrupted" }): readonly Decision[] {
    return interruptions.flatMap((interruption) => this.#decide(interruption, `${state.runId}/${state.step}/${interruption.callId}`));
  }

  #decide({ callId, arguments: shown, reason }: Interruption, key: string): readonly Decision[] {
    const { decisions } = this.#plan;
    const word = decisions[this.#said % decisions.length];
    this.#said += 1;
    if (word === "leave") return [];
    if (reason === "unknown-outcome") {
      if (word === "deny") return [{ callId, resolve: "done", output: "told" }];
      this.#world.allowed.add(key);
      return [{ callId, resolve: "absent" }];
    }
    if (word === "deny") return [{ callId, approve: false }];
    this.#world.allowed.add(key);
    return [{ callId, approve: true, ...(word === "edit" && { arguments: { ...shown, n: Number(shown["n"]) + 500 } }) }];
  }
}

function abortAtEvent({ abort, kind }: PlannedRun, controller: AbortController): (event: RunEvent) => void {
  if (abort === undefined || !("atEvent" in abort) || kind === "conversation") return () => {};
  let left = abort.atEvent;
  return () => {
    if (left === 0) controller.abort(new Error("enough"));
    left -= 1;
  };
}

function middlewareOf(plan: PlannedRun, parts: RunEvent[][], onEvent: (event: RunEvent) => void): readonly Middleware[] {
  const { denies, breaks, retries, budget, observed, abort } = plan;
  const quick = { minDelayMs: 1, maxDelayMs: 1 };
  const watch = defineMiddleware({
    name: "watch",
    onEvent(event) {
      if (event.type === "run-start") parts.push([]);
      parts.at(-1)?.push(event);
      onEvent(event);
    },
  });
  const police = defineMiddleware({
    name: "police",
    wrapToolCall: async (call, next) =>
      call.arguments["n"] !== undefined && (call.arguments["n"] as number) % 8 === denies
        ? { kind: "denied", reason: "not this one" }
        : next(call),
  });
  const odd = defineMiddleware({
    name: "odd",
    async wrapToolCall(call, next) {
      const hit = breaks !== undefined && call.arguments["n"] === breaks.n;
      if (hit && breaks.when === "before") throw new Error("odd");
      const outcome = await next(call);
      if (hit) throw new Error("odd");
      return outcome;
    },
  });
  return [
    ...(observed || (abort !== undefined && "atEvent" in abort) ? [watch] : []),
    ...(budget === undefined ? [] : [stepBudget(budget.steps, { onExhausted: budget.onExhausted })]),
    ...(retries === undefined ? [] : [toolErrors(), modelRetry({ ...quick, attempts: 2, afterOutput: retries })]),
    police,
    ...(retries === undefined ? [] : [toolRetry({ ...quick, attempts: 2 })]),
    odd,
  ];
}
