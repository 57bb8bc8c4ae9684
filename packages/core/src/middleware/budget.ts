import type { Middleware, MiddlewareContext, ModelCall, NextModelCall, RunInfo, ToolCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import { askedModel } from "./asked-model.js";
import { callsBefore, callsMade, type CountedCalls, countReply, noCalls } from "./budget-calls.js";
import { type Bill, Cashier, priceOf } from "./budget-cost.js";
import { type BudgetOptions, checkBudget, limitsOf, shownBudget, type Used } from "./budget-limits.js";
import { deadline } from "./deadline.js";
import { replyItems } from "./reply-items.js";
import { answerOnly, budgetError, endOfRun, unread, type UsedUp, usedUp } from "./used-up.js";

type BudgetState = {
  calls: CountedCalls;
  bill: Bill;
  /** Milliseconds of work until the last call that ended; the time of a pause is not in it. */
  spentMs: number;
  /** The step that was kept for an answer after tokens, cost, time or calls were used up; -1 before. */
  answerStep: number;
};

type Context = MiddlewareContext<BudgetState>;
type Ask = (call: NextModelCall) => Promise<ModelResponse>;

/**
 * Bounds what one run may use. Each limit is checked before every request, repeated ones included, and before every call:
 * there is never a request beyond it, and calls of the reply that used it up are `skipped`. Tool calls over `toolCalls`
 * are `skipped` too, and the run goes on. A request that is under way when `wallMs` is over is ended; a tool is not.
 *
 * `"answer"` keeps the last step, or the last request, for an answer. When tokens, cost, time or tool calls are used up, it
 * asks once more, for an answer, if steps and requests allow.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option, and in a run before a request to a model without prices;
 * `RUN_BUDGET` with `details: { budget, limit }`, where `budget` is the option's name.
 */
export function budget(options: BudgetOptions): Middleware<BudgetState> {
  checkBudget(options);
  const guard = new BudgetGuard(structuredClone(options));
  const { steps, requests, tokens, cost, wallMs } = options;
  // From outside it would see one request where a retry made three.
  const perRequest = [requests, tokens, cost, wallMs].some((limit) => limit !== undefined);
  const outside = wallMs === undefined ? {} : { outside: ["rateLimit"] };
  return {
    name: "budget",
    kind: "budget",
    options: shownBudget(options),
    state: () => ({ calls: noCalls(), bill: { usd: 0 }, spentMs: 0, answerStep: -1 }),
    ...(steps === undefined ? {} : { boundsSteps: steps }),
    ...(perRequest ? { order: { inside: ["modelRetry", "fallback"], ...outside } } : {}),
    ...(wallMs === undefined ? {} : { wrapRun: (call, next, context) => (guard.start(context), next(call)) }),
    wrapModelCall: (call, next, context) => guard.ask(call, next, context),
    onRequest: ({ model, path }, context) => (path.length === 0 ? undefined : guard.askInside(model, context)),
    async wrapToolCall(call, next, context) {
      const over = guard.refusal(call, context);
      if (over !== undefined) return over;
      try {
        return await next(call);
      } finally {
        guard.note(context);
      }
    },
  };
}

class BudgetGuard {
  readonly #options: BudgetOptions;
  readonly #limits: ReturnType<typeof limitsOf>;
  readonly #cashier: Cashier | undefined;
  readonly #mode: NonNullable<BudgetOptions["onExhausted"]>;
  /** When the work of a run would have begun, had it never paused. */
  readonly #startedAt = new WeakMap<RunInfo, number>();
  /** What a run's last request failed with: the cause, when there is no request left to repeat it. */
  readonly #failures = new WeakMap<RunInfo, unknown>();

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#cashier = options.cost === undefined ? undefined : new Cashier(options.cost);
    this.#mode = options.onExhausted ?? "throw";
  }

  start({ run, state }: Context): number {
    const startedAt = this.#startedAt.get(run) ?? performance.now() - state.spentMs;
    this.#startedAt.set(run, startedAt);
    return startedAt;
  }

  /** Keeps in the state, where a pause finds it, the time and what agents that are tools have cost by now. */
  note(context: Context): void {
    this.#cashier?.charge(context.state.bill, context.run);
    if (this.#options.wallMs !== undefined) context.state.spentMs = this.#elapsedMs(context);
  }

  async ask(call: ModelCall, next: Ask, context: Context): Promise<ModelResponse> {
    const { state, run } = context;
    const { cost } = this.#options;
    if (cost !== undefined) priceOf(cost.prices, askedModel(call));
    const asked = this.#admitted(call, context);
    const { requests } = run.usage;
    try {
      const reply = await this.#inTime(asked, next, context);
      this.#failures.delete(run);
      // The calls of a reply that no request brought get other ids yet: they count when they come.
      countReply(state.calls, call.step, run.usage.requests === requests ? [] : replyItems(reply));
      return reply;
    } catch (error) {
      this.#failures.set(run, error);
      throw error;
    } finally {
      this.note(context);
    }
  }

  /** Of agents used as tools: their requests count here, so they are bounded here too. */
  askInside(model: string, context: Context): void {
    const { cost } = this.#options;
    if (cost !== undefined) priceOf(cost.prices, model);
    // Their steps are their own.
    const used = { ...this.#used(0, context), step: 0 };
    const over = this.#limits.noMore(used) ?? this.#limits.spent(used);
    if (over !== undefined) throw budgetError(over);
  }

  /** Why a call is not run. */
  refusal({ step, callId }: ToolCall, context: Context): ReturnType<typeof unread> | undefined {
    const { calls, answerStep } = context.state;
    const number = callsBefore(calls, step, callId);
    if (calls.passed.includes(callId)) return undefined;
    const used = this.#used(step, context);
    const noReader = this.#limits.noMore({ ...used, step: step + 1 });
    if (noReader !== undefined) return unread(noReader);
    const over = this.#limits.calls(number) ?? this.#limits.spent(used);
    if (over !== undefined) return { kind: "skipped", reason: `${over.what}.` };
    if (answerStep === step) return { kind: "skipped", reason: "the model was asked for an answer, without tools." };
    calls.passed.push(callId);
    return undefined;
  }

  /** The call as it may be made. */
  #admitted(call: ModelCall, context: Context): ModelCall {
    const { state, run } = context;
    const used = this.#used(call.step, context);
    const noMore = this.#limits.noMore(used);
    if (noMore !== undefined) throw endOfRun(noMore, this.#mode, this.#failures.get(run));
    const spent = this.#limits.spent(used) ?? this.#callsUsedUp(state);
    if (spent !== undefined) {
      // Asked for an answer once, it called again.
      const asksOnce = this.#mode === "answer" && (state.answerStep === -1 || state.answerStep === call.step);
      if (!asksOnce) throw endOfRun(spent, this.#mode, this.#failures.get(run));
      state.answerStep = call.step;
      return answerOnly(call);
    }
    return this.#mode === "answer" && this.#limits.last(used) ? answerOnly(call) : call;
  }

  // A model may still answer without a call: only where an answer is all that is wanted is this the end of calls.
  #callsUsedUp({ calls }: BudgetState): UsedUp | undefined {
    return this.#mode === "answer" ? this.#limits.calls(callsMade(calls)) : undefined;
  }

  async #inTime(call: ModelCall, next: Ask, context: Context): Promise<ModelResponse> {
    const { wallMs } = this.#options;
    if (wallMs === undefined) return next(call);
    const leftMs = wallMs - this.#elapsedMs(context);
    // Over already: it is the one request for an answer, which this budget does not cut off.
    if (leftMs <= 0) return next(call);
    const over = usedUp("wallMs", wallMs, "ms");
    const cut = budgetError(over);
    const limit = deadline(leftMs, call.signal, () => cut);
    try {
      return await next({ ...call, signal: limit.signal });
    } catch (error) {
      throw error === cut && this.#mode === "stop" ? endOfRun(over, "stop") : error;
    } finally {
      limit.clear();
    }
  }

  #used(step: number, context: Context): Used {
    const { state, run } = context;
    // What was used since the last reply was used by agents that are tools.
    this.#cashier?.charge(state.bill, run);
    const { requests, totalTokens } = run.usage;
    return { step, requests, tokens: totalTokens, usd: state.bill.usd, elapsedMs: this.#elapsedMs(context) };
  }

  #elapsedMs(context: Context): number {
    return this.#options.wallMs === undefined ? 0 : performance.now() - this.start(context);
  }
}
