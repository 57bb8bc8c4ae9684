import {
  type Agent,
  type FailedResult,
  type HistoryOption,
  type InputItem,
  type ResumeOptions,
  type RunEvent,
  type RunOptions,
  type RunResult,
  type RunState,
  ToolwrightError,
} from "@toolwright/core";

/** The two ways to start a run, which must come to the same. */
export const ways = ["run", "stream"] as const;
export type Way = (typeof ways)[number];

/** Owners of the history that need no set-up. */
export const histories: readonly HistoryOption[] = [{ kind: "local" }, { kind: "chained" }];

/** Every way together with each of {@link histories}. */
export const waysAndHistories = ways.flatMap((way) => histories.map((history) => ({ way, history, kind: history.kind })));

/** Starts a run in either way; a stream is read to its end first. */
export async function runIn(
  way: Way,
  agent: Agent,
  input: string | readonly InputItem[],
  options: RunOptions<unknown> = {},
): Promise<RunResult> {
  if (way === "run") return agent.run(input, options);
  const { result } = await collect(agent, input, options);
  return result;
}

/** Resumes a run in either way. */
export async function resumeIn(way: Way, agent: Agent, state: RunState, options: ResumeOptions<unknown>): Promise<RunResult> {
  if (way === "run") return agent.resume(state, options);
  const stream = agent.stream(state, options);
  for await (const _ of stream);
  return stream.result;
}

/** A streamed run with all its events. Rejects as the iteration does. */
export async function collect(
  agent: Agent,
  input: string | readonly InputItem[],
  options: RunOptions<unknown> = {},
): Promise<{ readonly result: RunResult; readonly events: readonly RunEvent[] }> {
  const stream = agent.stream(input, options);
  const events: RunEvent[] = [];
  for await (const event of stream) events.push(event);
  return { result: await stream.result, events };
}

/** The error of a run that must fail, with the work done until then. */
export type RunFailure = ToolwrightError & { readonly result: FailedResult };

/** Awaits the failure of a run. */
export async function failureOf(run: Promise<unknown>): Promise<RunFailure> {
  const error: unknown = await run.then(
    () => new Error("The run did not fail."),
    (reason: unknown) => reason,
  );
  if (ToolwrightError.is(error)) return error as RunFailure; // runs reject with nothing else
  throw error;
}
