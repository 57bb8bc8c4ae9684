import type { Middleware, RunInfo } from "../contracts/middleware.js";
import type { ModelRequest } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { aFunction, checkOptions, either, oneOf, type OptionCheck } from "./options.js";
import type { RecordedRun } from "./record-run.js";
import { ReplayRuns } from "./replay-runs.js";
import { newReplayState, placeOf, type ReplayState } from "./replay-state.js";

/** Options of {@link replay}. */
export interface ReplayOptions {
  /** A file of JSON lines. It holds what users, model and tools have said: keep it where such things may be. */
  readonly file: string;
  /**
   * `"record"`: asks the model and adds the run to the file. `"replay"`: answers from the file and asks nobody. `"auto"`
   * (default): replays a run that is in the file to its end, and records one that is not.
   */
  readonly mode?: "record" | "replay" | "auto" | undefined;
  /** Whether a replayed run has the recorded outcomes of its tools, or runs them. Default `"replay"`. */
  readonly tools?: "replay" | "run" | undefined;
  /**
   * Names a run in the file. Runs of one name are told apart by the order in which they begin, so that without it they are
   * simply counted. What was recorded last under a name and number is what is replayed.
   */
  readonly key?: string | ((run: RunInfo) => string) | undefined;
}

/**
 * Records what the model and the tools of a run came to, and plays it back: for tests without a network, and to look at a run
 * again. Requests are matched in their order; one that is another than the recorded one ends the run with `RUN_REPLAY`,
 * which names the place of the first difference.
 *
 * Each line is in the file before the run goes on, so that a crash costs the last one at most. For histories that the
 * application keeps. Put it last: it stands for the model and the tools, and all other layers are to do what they did.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, `RUN_REPLAY`.
 */
export function replay(options: ReplayOptions): Middleware {
  checkOptions("replay", options, {
    file: aText,
    mode: oneOf("record", "replay", "auto"),
    tools: oneOf("replay", "run"),
    key: either(aText, aFunction),
  });
  const { file: path, mode = "auto", tools = "replay", key = "run" } = options;
  if (path === undefined) throw new ToolwrightError("RUN_OPTIONS", "replay() needs a `file`.");
  const runs = new ReplayRuns({ file: path, mode, key });
  const middleware: Middleware<ReplayState> = {
    name: "replay",
    kind: "replay",
    traits: mode === "record" ? [] : ["answers-model", ...(tools === "replay" ? (["answers-tool"] as const) : [])],
    options: { file: path, mode, tools },
    state: newReplayState,

    async wrapRun(call, next, { state, run, signal }) {
      runs.begin(state, run);
      try {
        const result = await next(call);
        runs.recorded(run)?.end(result.stopReason);
        return result;
      } catch (error) {
        // An aborted run is not at its end. A file that cannot be written must not hide why the run failed.
        if (!signal.aborted) quietly(() => runs.recorded(run)?.end("error"));
        throw error;
      }
    },

    async wrapModelCall(call, next, { run, signal }) {
      assertLocal(call.request);
      const player = runs.played(run);
      if (player !== undefined) return player.reply(call);
      const recorder = runs.recorded(run) as RecordedRun; // a run that has begun is either played or recorded
      return recorder.ask(call, next, () => run.outputSeen, signal);
    },

    async wrapToolCall(call, next, { state, run, signal }) {
      // Nothing runs, whatever is recorded: the kernel says what is wrong with the call.
      if (call.tool === undefined || call.issues !== undefined) return next(call);
      const place = placeOf(state, call);
      // A person said no, whatever was recorded: nothing runs, and the kernel tells the model so.
      if (call.decided === "denied" && runs.played(run) !== undefined) return next(call);
      const player = runs.played(run);
      if (player !== undefined) return tools === "replay" ? player.outcome(call, place) : next(call);
      const outcome = await next(call);
      if (!signal.aborted) runs.recorded(run)?.outcome(place, call.name, outcome);
      return outcome;
    },
  };
  return middleware;
}

function assertLocal({ state }: ModelRequest): void {
  if (state.kind === "local") return;
  throw new ToolwrightError("RUN_REPLAY", `replay() needs a history that the application keeps, and that of this run is ${state.kind}.`, {
    fix: 'Use `history: { kind: "local" }`.',
  });
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Told by the error that is thrown anyway, or by the next line that cannot be written.
  }
}

const aText: OptionCheck = (value) => (typeof value === "string" && value !== "" ? undefined : "a text");
