import type { Decision, FailedResult, Middleware, RunEvent, RunResult, RunState } from "@toolwright/core";
import type { RecordedRequest } from "../recorded-request.js";
import type { ReplyFunction } from "../script.js";
import type { Execution } from "./contract-tools.js";
import { answerOf, type Scenario } from "./scenarios.js";
import { type End, type Mode, Stage } from "./stage.js";

/** All that can be seen of a scenario that was carried out. */
export interface Trace {
  /** How each part ended: the run, then each time that it went on after a pause. Never empty. */
  readonly ends: readonly End[];
  readonly requests: readonly RecordedRequest[];
  /** Replies with usage that the server gave. */
  readonly paid: number;
  readonly executions: readonly Execution[];
  readonly parts: readonly (readonly RunEvent[])[];
  readonly complaints: readonly string[];
  /** What is wrong with the history that was left, as the API sees it. Undefined when it is sound, or nobody has looked. */
  readonly historyProblem: string | undefined;
  /** The last request of the run after it: everything that the model reads then. */
  readonly afterwards: RecordedRequest | undefined;
}

/**
 * Carries out a scenario.
 *
 * @param goesOn - whether a plain run follows, on the history that it left. Default true.
 */
export async function conduct(scenario: Scenario, mode: Mode, middleware: readonly Middleware[], goesOn = true): Promise<Trace> {
  let used = 0;
  let paid = 0;
  const script: ReplyFunction = () => {
    const next = scenario.script[used] ?? answerOf(100 + used);
    used += 1;
    if (next.kind === "output") paid += 1;
    return next;
  };
  const stage = await Stage.open({ script, mode, maxSteps: scenario.maxSteps }, middleware);
  try {
    const ends = await allParts(stage, scenario);
    const requests = [...stage.server.requests];
    const end = ends.at(-1)?.result;
    const seen = { ends, requests, paid, executions: [...stage.executions], parts: stage.parts.map((part) => [...part]) };
    const historyProblem = end === undefined ? "there is none" : goesOn ? await stage.goOn(end) : undefined;
    return {
      ...seen,
      complaints: stage.complaints,
      historyProblem,
      afterwards: stage.server.requests.length > requests.length ? stage.server.requests.at(-1) : undefined,
    };
  } finally {
    await stage.close();
  }
}

async function allParts(stage: Stage, { decisions }: Scenario): Promise<readonly End[]> {
  const ends = [await stage.start("Go.")];
  for (;;) {
    const paused = pausedOf(ends.at(-1)?.result);
    // One that stays paused whatever is decided ends as well.
    if (paused === undefined || decisions === undefined || ends.length > 4) return ends;
    const said = paused.interruptions.flatMap(({ callId }) =>
      decisions[callId] === undefined ? [] : [{ callId, ...decisions[callId] } as Decision],
    );
    const state = JSON.parse(JSON.stringify(paused.state)) as RunState; // as it comes out of any store
    ends.push(await stage.resume(state, said));
  }
}

function pausedOf(result: RunResult | FailedResult | undefined): (RunResult & { readonly stopReason: "interrupted" }) | undefined {
  return result?.stopReason === "interrupted" ? result : undefined;
}
