import type { HeldSession, HistoryOption, LoadedSession, RunStore, Session, UnfinishedStep } from "../contracts/history.js";
import type { CallState, Decision, RunState } from "../contracts/run.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { History } from "./history.js";
import { assertDistinctIds } from "./history-check.js";
import { answeredCall, callsIn } from "./history-calls.js";
import type { Kernel } from "./kernel.js";
import type { OpenStep } from "./loop.js";
import { brokenOffOutcome, hasBegun, undecided, waitedOutcome } from "./outcomes.js";
import { pauseOf } from "./paused-step.js";
import { toolHash } from "./run-state.js";

/** What a run starts from. */
export interface OpenedHistory {
  readonly history: History;
  /** Its calls come first. */
  readonly openStep: OpenStep | undefined;
  readonly store: RunStore | undefined;
  /** Lets the next run have the session. Never rejects. */
  release(): Promise<void>;
}

interface Resumed {
  readonly state: RunState;
  readonly decisions: readonly Decision[];
}

/**
 * Makes a run's history ready; a session is this run's until `release`.
 *
 * @throws ToolwrightError `RUN_HISTORY`, `RUN_STATE`, or what the session says, such as `RUN_SESSION_BUSY`.
 */
export async function openHistory(
  kernel: Kernel,
  option: HistoryOption,
  resumed: Resumed | undefined,
  signal: AbortSignal | undefined,
): Promise<OpenedHistory> {
  if (option.kind === "local" && option.session !== undefined) return openSession(kernel, option.session, resumed, signal);
  const release = async (): Promise<void> => {};
  if (resumed === undefined) {
    const history = new History(option);
    if (option.kind === "local") assertDistinctIds(option.items ?? []);
    return { history, openStep: undefined, store: undefined, release };
  }
  const { state, decisions } = resumed;
  const history = new History(state.history, state.items);
  history.reopen(new Set(state.calls.map((call) => call.callId)));
  return { history, openStep: { ...openStepOf(state), calls: state.calls, decisions }, store: undefined, release };
}

const openStepOf = ({ reply, responseId, usageBefore }: RunState) => ({
  isPause: true,
  reply,
  responseId,
  usageBefore,
  identity: undefined,
});

async function openSession(
  kernel: Kernel,
  session: Session,
  resumed: Resumed | undefined,
  signal: AbortSignal | undefined,
): Promise<OpenedHistory> {
  if (typeof (session as { load?: unknown }).load !== "function") throw withoutItsSession();
  const held = await untilAborted(signal, acquire(session), (late) => late.release());
  const release = (): Promise<void> =>
    held
      .release()
      .catch((error: unknown) =>
        kernel.log.warn({ err: error }, "a session could not be released; it is free again when its time is over"),
      );
  try {
    const loaded = await untilAborted(signal, held.load(), async () => {});
    const opened = resumed === undefined ? freshRun(kernel, loaded) : resumedRun(kernel, loaded, resumed);
    return { ...opened, store: held, release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function acquire(session: Session): Promise<HeldSession> {
  if (session.acquire !== undefined) return session.acquire();
  return {
    load: () => session.load(),
    input: (items) => session.input(items),
    reply: (step) => session.reply(step),
    started: (call) => session.started(call),
    outcome: (call, outcome) => session.outcome(call, outcome),
    outputs: (step) => session.outputs(step),
    release: async () => {},
  };
}

function freshRun(kernel: Kernel, { items, unfinished }: LoadedSession): Pick<OpenedHistory, "history" | "openStep"> {
  if (unfinished === undefined) return { history: new History({ kind: "local", items }), openStep: undefined };
  const { runId, step, responseId, output, pausedBy } = unfinished;
  const leftOpen = pausedBy === undefined ? undefined : waitedOutcome;
  const calls = unfinished.calls.map((call): CallState => {
    const name = callsIn(output).find((item) => item.call_id === call.callId)?.name;
    const info = name === undefined ? undefined : kernel.tools.byName.get(name)?.info;
    return {
      callId: call.callId,
      tool: info?.identity,
      toolHash: info === undefined ? undefined : toolHash(info),
      arguments: undefined,
      attempts: call.started ? 1 : 0,
      durationMs: 0,
      outcome:
        pausedBy !== undefined && waits(call)
          ? undecided(call.outcome, waitedOutcome)
          : (settledOutcome(kernel, unfinished, call) ?? leftOpen),
    };
  });
  const openStep = { isPause: false, reply: output, responseId, calls, decisions: [], usageBefore: noUsage, identity: { runId, step } };
  return { history: reopened(items, unfinished, []), openStep };
}

function resumedRun(
  kernel: Kernel,
  { items, unfinished }: LoadedSession,
  { state, decisions }: Resumed,
): Pick<OpenedHistory, "history" | "openStep"> {
  if (unfinished === undefined || !isPauseOf(state, unfinished)) {
    throw new ToolwrightError("RUN_STATE", "The session has gone on since this run was paused, so the state is void.", {
      fix: "Resume with the latest state, or start a new run on the session.",
    });
  }
  // What an earlier attempt to resume came to counts: a decision is carried out once.
  const calls = state.calls.map((call): CallState => {
    const stored = unfinished.calls.find(({ callId }) => callId === call.callId);
    // An agent that waits has started, and its own state says what its calls came to.
    if (stored === undefined || (call.agent !== undefined && waits(stored))) return call;
    const outcome = settledOutcome(kernel, unfinished, stored);
    return outcome === undefined ? call : { ...call, agent: undefined, outcome };
  });
  const { runId, step } = unfinished;
  const openStep = { ...openStepOf(state), calls, decisions, identity: { runId, step } };
  return { history: reopened(items, unfinished, state.items), openStep };
}

// A run that took over another one's step is at its own first step there.
function isPauseOf(state: RunState, { runId, step, pausedBy, calls }: UnfinishedStep): boolean {
  if (state.step !== (runId === state.runId ? step : 0) || pausedBy === undefined) return false;
  if (pausedBy === pauseOf(state)) return true;
  // What the calls of a step have come to since an earlier pause is recorded, what those inside of an agent have is not.
  return pausedBy.startsWith(`${state.runId}#`) && state.calls.every(({ agent }) => agent === undefined) && !calls.some(waits);
}

const waits = ({ outcome }: UnfinishedStep["calls"][number]): boolean => outcome?.kind === "interrupted";

function reopened(items: LoadedSession["items"], { calls }: UnfinishedStep, added: RunState["items"]): History {
  const callIds = calls.map((call) => call.callId);
  const answered = new Set(items.slice(items.findLastIndex((item) => answeredCall(item) === undefined) + 1).map(answeredCall));
  const openCalls = callIds.filter((callId) => !answered.has(callId));
  const begunCalls = calls.flatMap((call) => (hasBegun(call.outcome) ? [call.callId] : []));
  const history = new History({ kind: "local", items, openCalls, begunCalls }, added);
  history.reopen(new Set(callIds));
  return history;
}

// Finished → kept; started but not finished → nobody knows, unless it may run again.
function settledOutcome(kernel: Kernel, { output }: UnfinishedStep, call: UnfinishedStep["calls"][number]): CallState["outcome"] {
  if (!call.started || (call.outcome !== undefined && !waits(call))) return call.outcome;
  const name = callsIn(output).find((item) => item.call_id === call.callId)?.name ?? "The tool";
  const info = kernel.tools.byName.get(name)?.info;
  return info !== undefined && (info.effect === "read" || info.idempotent) ? undefined : brokenOffOutcome(name);
}

const noUsage = { requests: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };

const withoutItsSession = (): ToolwrightError =>
  new ToolwrightError("RUN_STATE", "The paused run keeps its history in a session, and its state as JSON does not hold that.", {
    fix: 'Resume with `{ ...state, history: { kind: "local", session } }`.',
  });

// A store that waits for another process must not hold up an abort; one that answers at once may.
function untilAborted<T>(signal: AbortSignal | undefined, promise: Promise<T>, letGo: (late: T) => Promise<void>): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      promise.then(letGo).catch(() => {});
      reject(new ToolwrightError("RUN_ABORTED", "The run was aborted before its session was free.", { cause: signal.reason }));
    };
    const aborted = (): void => {
      timer = setTimeout(giveUp, 50);
    };
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    };
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
    promise.then(resolve, reject).finally(done);
  });
}
