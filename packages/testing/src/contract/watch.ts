import type { Middleware, MiddlewareContext, RunEvent, ToolCall, ToolOutcome } from "@toolwright/core";
import type { CheckName } from "./report.js";
import { OwnListeners } from "./own-listeners.js";
import { OwnTimers } from "./own-timers.js";
import { changedSince, snapshot } from "./snapshot.js";
import { withFields } from "./with-fields.js";

type Hook = "wrapRun" | "wrapModelCall" | "wrapToolCall";
const hooks: readonly Hook[] = ["wrapRun", "wrapModelCall", "wrapToolCall"];

/** Something that a middleware did and must not do, whatever came of it. */
export interface Remark {
  readonly check: CheckName;
  readonly text: string;
}

type AnyWrap = (call: object, next: (call: object) => Promise<object>, context: MiddlewareContext) => Promise<object>;

/** A wrap at work. */
interface HookRun {
  readonly middleware: string;
  readonly hook: Hook;
  /** Calls of `next` that have not come back. */
  inward: number;
  /** What the last `next` came to. */
  last: { readonly result: object } | { readonly error: unknown } | undefined;
  nextCalls: number;
  abortedInward: boolean;
}

const never: ReadonlySet<string> = new Set(["ok", "invalid", "unknown", "denied", "interrupted"] satisfies ToolOutcome["kind"][]);

/** Looks over the shoulder of middlewares in one run of an agent, or in several. It changes nothing of what they do. */
export class Watch {
  readonly remarks: Remark[] = [];
  readonly timers = new OwnTimers();
  readonly listeners = new OwnListeners(() => this.timers.isHere);
  /** The latest state of each middleware, by run and name. */
  readonly states = new Map<string, Map<string, object>>();
  /** What states have been like, as texts, by run. */
  readonly stateTexts = new Map<string, Set<string>>();
  /** Counts whatever goes on: while it stays the same, all wait. */
  moves = 0;
  readonly #active = new Set<HookRun>();

  /** The middlewares with somebody who looks on. */
  over(list: readonly Middleware[]): readonly Middleware[] {
    return list.map((middleware) => this.#over(middleware));
  }

  /** True while a wrap waits for something that is not further in. */
  get waitsByItself(): boolean {
    return [...this.#active].some(({ inward }) => inward === 0);
  }

  /** The wraps that have not ended, as text. */
  get unfinished(): readonly string[] {
    return [...this.#active].map(({ middleware, hook }) => `${hook} of "${middleware}"`);
  }

  #remark(check: CheckName, text: string): void {
    if (!this.remarks.some((remark) => remark.text === text)) this.remarks.push({ check, text });
  }

  #over(middleware: Middleware): Middleware {
    const own: Record<string, unknown> = {};
    for (const hook of hooks) {
      const wrap = middleware[hook] as AnyWrap | undefined;
      if (wrap !== undefined) own[hook] = this.#wrap(middleware, hook, wrap);
    }
    if (middleware.onEvent !== undefined) own["onEvent"] = this.#observer(middleware);
    return withFields(middleware, own);
  }

  #observer(middleware: Middleware) {
    return (event: RunEvent, context: MiddlewareContext): void => {
      const before = snapshot(event);
      this.#noteState(middleware, context);
      this.timers.inside(() => middleware.onEvent?.(event, context));
      this.#checkUnchanged(middleware, `an event (${event.type})`, before, event);
    };
  }

  #wrap(middleware: Middleware, hook: Hook, wrap: AnyWrap): AnyWrap {
    return async (call, next, context) => {
      const run: HookRun = { middleware: middleware.name, hook, inward: 0, last: undefined, nextCalls: 0, abortedInward: false };
      const given = new Map<object, string>([[call, snapshot(call)]]);
      const inward = (inner: object): Promise<object> => this.#next(run, inner, next, context, given);
      this.#active.add(run);
      this.moves += 1;
      this.listeners.watch(context.signal);
      try {
        this.#noteState(middleware, context);
        const result = await this.timers.inside(() => wrap.call(middleware, call, inward, context));
        this.#checkResult(run, call, result, context);
        return result;
      } catch (error) {
        if (error instanceof TypeError && /read.only|not extensible|cannot (delete|redefine|assign)/i.test(error.message))
          this.#remark("frozen", `${place(run)} tried to change something in place that is not its own: ${error.message}.`);
        throw error;
      } finally {
        this.#active.delete(run);
        this.moves += 1;
        this.#noteState(middleware, context);
        for (const [object, before] of given) this.#checkUnchanged(middleware, `what ${hook} was given`, before, object);
      }
    };
  }

  #next(
    run: HookRun,
    inner: object,
    next: (call: object) => Promise<object>,
    { signal }: MiddlewareContext,
    given: Map<object, string>,
  ): Promise<object> {
    if (run.nextCalls > 0) this.#checkRepetition(run, inner, signal);
    run.nextCalls += 1;
    // What is thrown for a wrong use of `next` is thrown at once.
    const promise = this.timers.outside(() => next(inner));
    run.inward += 1;
    this.moves += 1;
    void this.#came(run, promise, signal, given);
    return promise;
  }

  async #came(run: HookRun, promise: Promise<object>, signal: AbortSignal, given: Map<object, string>): Promise<void> {
    try {
      const result = await promise;
      run.last = { result };
      given.set(result, snapshot(result));
    } catch (error) {
      run.last = { error };
      run.abortedInward = signal.aborted;
    } finally {
      run.inward -= 1;
      this.moves += 1;
    }
  }

  #checkRepetition(run: HookRun, inner: object, signal: AbortSignal): void {
    if (signal.aborted) this.#remark("abort", `${place(run)} called next again after the run was aborted.`);
    if (run.hook !== "wrapToolCall" || run.last === undefined || !("result" in run.last)) return;
    const { kind } = run.last.result as ToolOutcome;
    if (!never.has(kind)) return;
    const { name } = inner as ToolCall;
    this.#remark("repeats", `${place(run)} called next again for a call of ${name} that had come to "${kind}", which stands.`);
  }

  #checkResult(run: HookRun, call: object, result: object | undefined, { signal }: MiddlewareContext): void {
    if (run.hook === "wrapToolCall") {
      const { kind } = (result ?? {}) as Partial<ToolOutcome>;
      const inner = run.last !== undefined && "result" in run.last ? (run.last.result as ToolOutcome).kind : undefined;
      if (inner !== "interrupted" || kind === "interrupted") return;
      const { callId, name } = call as ToolCall;
      this.#remark(
        "approvals",
        `${place(run)} turned the call ${callId} of ${name}, which waits for a person ("interrupted"), into ${JSON.stringify(kind)}.`,
      );
    } else if (signal.aborted && run.abortedInward && run.last !== undefined && "error" in run.last) {
      this.#remark("abort", `${place(run)} went on after the abort: what next rejected with was caught, and a result given in its place.`);
    }
  }

  #checkUnchanged({ name }: Middleware, what: string, before: string, now: object): void {
    const change = changedSince(before, now);
    if (change !== undefined) this.#remark("frozen", `"${name}" changed ${what} in place: ${change}. Pass on a changed copy instead.`);
  }

  #noteState({ name, state: makeState }: Middleware, { run, state }: MiddlewareContext): void {
    if (makeState === undefined) return;
    const states = this.states.get(run.id) ?? new Map<string, object>();
    const texts = this.stateTexts.get(run.id) ?? new Set<string>();
    this.states.set(run.id, states.set(name, state));
    this.stateTexts.set(run.id, texts.add(snapshot(state)));
  }
}

const place = ({ middleware, hook }: HookRun): string => `${hook} of "${middleware}"`;
