import {
  type Agent,
  type Decision,
  type FailedResult,
  type HistoryOption,
  type RunResult,
  type RunState,
  sqliteSession,
  ToolwrightError,
} from "@toolwright/core";
import { type AgentsOptions, plannedAgent } from "./random-pauses-agents.js";

/** How a part of a run ended, from a start or a resume to the next pause. */
export type End = (RunResult<unknown> | FailedResult) & { readonly code?: string | undefined };

/** The way in which a paused run goes on. */
export interface Leg extends AgentsOptions {
  readonly state: RunState | string;
  readonly decisions: readonly Decision[];
  readonly way: "run" | "stream";
}

/** Waits for a run, whichever way it ends. A failure with no result is one before anything began. */
export async function endOf(run: Promise<RunResult<unknown>>): Promise<End> {
  try {
    return await run;
  } catch (error) {
    if (ToolwrightError.is(error) && error.result !== undefined) return { ...error.result, code: error.code };
    throw error;
  }
}

/** Starts a run in either way. */
export function startIn(
  agent: Agent<unknown, unknown>,
  way: Leg["way"],
  input: string,
  history: HistoryOption,
): Promise<RunResult<unknown>> {
  return way === "run" ? agent.run(input, { history }) : agent.stream(input, { history }).result;
}

/** Goes on with a paused run in either way, with an agent made anew; `history` is what a state in JSON does not hold. */
export function resumeIn({ state, decisions, way, ...options }: Leg, history: HistoryOption | undefined): Promise<RunResult<unknown>> {
  const agent = plannedAgent(options);
  const given = { decisions, ...(history !== undefined && { history }) };
  return way === "run" ? agent.resume(state, given) : agent.stream(state as RunState, given).result;
}

/** The same in a process of its own, where a session is opened from its file. */
export async function resumeLeg(leg: Leg, file: string | undefined): Promise<End> {
  const session = file === undefined ? undefined : sqliteSession({ path: file, id: "chat" });
  try {
    return await endOf(resumeIn(leg, session === undefined ? undefined : { kind: "local", session }));
  } finally {
    session?.close();
  }
}
