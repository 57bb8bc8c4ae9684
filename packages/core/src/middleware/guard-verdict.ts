import type { RunInfo } from "../contracts/middleware.js";
import { RunStop } from "../errors/run-stop.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { aFunction, checkOptions, milliseconds, oneOf, type OptionCheck, quote } from "./options.js";

/** What a guard says. Exactly one of the four. */
export type GuardVerdict<Rewrite> =
  | { readonly pass: true }
  /** Why not, as a sentence. The application reads it; of a tool call, the model does too. */
  | { readonly block: string }
  /** What takes its place. */
  | { readonly rewrite: Rewrite }
  /** It passes, and `onWarn` is told this. */
  | { readonly warn: string };

/** What every guard may look at. */
export interface GuardContext {
  readonly run: RunInfo;
  /** The caller's own context, as given to `agent.run(input, { app })`. */
  readonly app: unknown;
  /** Aborted when the run is, and when the guard's time is over. */
  readonly signal: AbortSignal;
}

/** What `onWarn` is told: a warning of a guard, or that the guard itself did not work. */
export interface GuardWarning {
  readonly guard: string;
  readonly message: string;
  readonly runId: string;
  readonly step: number;
  /** Of a tool guard. */
  readonly tool?: string | undefined;
  readonly callId?: string | undefined;
  /** What the guard threw. */
  readonly cause?: unknown;
}

/** Options that all guards have. */
export interface GuardOptions {
  /** Default: the function's own name. Give one to each when there are several. */
  readonly name?: string | undefined;
  /** What a guard that throws, or does not answer in time, means. Default `"block"`: nothing passes unseen. */
  readonly onError?: "block" | "pass" | undefined;
  /** Milliseconds that one answer may take. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Told of warnings, and of what a guard threw. Default: a warning of the process (`process.emitWarning`). */
  readonly onWarn?: ((warning: GuardWarning) => void) | undefined;
}

/** What a guard's answer comes to. `aborted`: the run was, so that the answer does not matter any more. */
export type Judgement<Rewrite> =
  | { readonly kind: "pass" }
  | { readonly kind: "block"; readonly reason: string; readonly cause?: unknown }
  | { readonly kind: "rewrite"; readonly value: Rewrite }
  | { readonly kind: "aborted" };

/** What is guarded: where, for warnings, and by which run. */
export interface GuardedPlace {
  readonly run: RunInfo;
  readonly signal: AbortSignal;
  readonly tool?: string | undefined;
  readonly callId?: string | undefined;
}

/** Asks a guard, with all that its options say. */
export type AskGuard = <Rewrite>(
  place: GuardedPlace,
  ask: (context: GuardContext) => GuardVerdict<Rewrite> | Promise<GuardVerdict<Rewrite>>,
) => Promise<Judgement<Rewrite>>;

/** A guard as far as all of them are alike. */
export interface Guard {
  readonly name: string;
  /** For `explain()`. */
  readonly options: { readonly onError: "block" | "pass"; readonly timeoutMs: number };
  readonly ask: AskGuard;
}

const aName: OptionCheck = (value) => (typeof value === "string" && value !== "" ? undefined : "a text");

/**
 * Checks the common options, with those of the one guard, and makes what asks it.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function guardOf(owner: string, options: GuardOptions, checks: { readonly [name: string]: OptionCheck }): Guard {
  checkOptions(owner, options, {
    name: aName,
    ...checks,
    onError: oneOf("block", "pass"),
    timeoutMs: milliseconds,
    onWarn: aFunction,
  });
  const { name = owner, onError = "block", timeoutMs = 10_000 } = options;
  const onWarn = quietly(options.onWarn ?? emitWarning);
  const ask: AskGuard = async (place, question) => {
    const { run, tool, callId } = place;
    const where = {
      guard: name,
      runId: run.id,
      step: run.step,
      ...(tool !== undefined && { tool }),
      ...(callId !== undefined && { callId }),
    };
    const answer = await answerInTime(question, place, timeoutMs);
    if (answer.kind === "aborted") return answer;
    if (answer.kind === "failed") {
      onWarn({ ...where, message: `${answer.what} It counts as ${onError === "block" ? "a refusal" : "passed"}.`, cause: answer.cause });
      return onError === "pass" ? { kind: "pass" } : { kind: "block", reason: "it could not be checked.", cause: answer.cause };
    }
    const judgement = readVerdict(name, answer.verdict);
    if (judgement.kind !== "warn") return judgement;
    onWarn({ ...where, message: judgement.message });
    return { kind: "pass" };
  };
  return { name, options: { onError, timeoutMs }, ask };
}

type Answer<Rewrite> =
  | { readonly kind: "verdict"; readonly verdict: GuardVerdict<Rewrite> }
  | { readonly kind: "failed"; readonly what: string; readonly cause: unknown }
  | { readonly kind: "aborted" };

async function answerInTime<Rewrite>(
  ask: (context: GuardContext) => GuardVerdict<Rewrite> | Promise<GuardVerdict<Rewrite>>,
  { run, signal }: GuardedPlace,
  timeoutMs: number,
): Promise<Answer<Rewrite>> {
  if (signal.aborted) return { kind: "aborted" };
  const controller = new AbortController();
  let end: (answer: Answer<Rewrite>) => void = () => {};
  const ended = new Promise<Answer<Rewrite>>((resolve) => (end = resolve));
  const stop = (): void => {
    end({ kind: "aborted" });
    controller.abort(signal.reason);
  };
  const timer = setTimeout(() => {
    const late = new Error(`The guard did not answer within ${timeoutMs} ms.`);
    end({ kind: "failed", what: late.message, cause: late });
    controller.abort(late);
  }, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  const asked = (async (): Promise<Answer<Rewrite>> => {
    try {
      return { kind: "verdict", verdict: await ask({ run, app: run.app, signal: controller.signal }) };
    } catch (cause) {
      // It ends the run in order, and is no failure.
      if (RunStop.is(cause)) throw cause;
      return signal.aborted ? { kind: "aborted" } : { kind: "failed", what: "The guard threw.", cause };
    }
  })();
  asked.catch(() => {});
  try {
    return await Promise.race([asked, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function readVerdict<Rewrite>(
  guard: string,
  verdict: GuardVerdict<Rewrite>,
): Judgement<Rewrite> | { readonly kind: "warn"; readonly message: string } {
  if (typeof verdict === "object" && verdict !== null && Object.keys(verdict).length === 1) {
    if ("pass" in verdict && verdict.pass) return { kind: "pass" };
    if ("block" in verdict && typeof verdict.block === "string") return { kind: "block", reason: verdict.block };
    if ("warn" in verdict && typeof verdict.warn === "string") return { kind: "warn", message: verdict.warn };
    if ("rewrite" in verdict && verdict.rewrite !== undefined) return { kind: "rewrite", value: verdict.rewrite };
  }
  throw wrongVerdict(guard, `answered ${quote(verdict)}, which is no verdict`);
}

/** A guard that answers in a way that cannot be meant: a mistake in it, whatever `onError` says. */
export function wrongVerdict(guard: string, what: string): ToolwrightError {
  return new ToolwrightError("RUN_MIDDLEWARE", `The guard "${guard}" ${what}.`, {
    fix: 'Return `{ pass: true }`, `{ block: "why" }`, `{ rewrite: … }` or `{ warn: "what" }`.',
    details: { middleware: guard },
  });
}

/** The error of a run that a guard ends. */
export function blockedError(
  guard: string,
  what: string,
  { reason, cause }: { readonly reason: string; readonly cause?: unknown },
): ToolwrightError {
  return new ToolwrightError("RUN_BLOCKED", `The guard "${guard}" blocked the ${what}: ${reason}`, { details: { guard, reason }, cause });
}

/** The error of a run that was aborted while a guard was asked. */
export function abortedInGuard(guard: string, signal: AbortSignal): ToolwrightError {
  return new ToolwrightError("RUN_ABORTED", `The run was aborted while the guard "${guard}" was asked.`, { cause: signal.reason });
}

/** Who is told of a warning must not harm the run by it. */
function quietly(onWarn: (warning: GuardWarning) => unknown): (warning: GuardWarning) => void {
  return (warning) => {
    try {
      const told = onWarn(warning);
      if (told instanceof Promise) told.catch(() => {});
    } catch {
      // Nowhere is left to say it.
    }
  };
}

function emitWarning({ guard, message }: GuardWarning): void {
  process.emitWarning(`The guard "${guard}": ${message}`, { type: "ToolwrightWarning", code: "RUN_GUARD" });
}
