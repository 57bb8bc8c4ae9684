import type { ToolCall } from "../contracts/middleware.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { digest } from "./digest.js";

/** What a recorder or a player knows of one run. */
export type ReplayState = {
  /** "" before the run has begun. */
  mode: "" | "record" | "replay";
  /** Names the recording in the file. */
  key: string;
  /** Names this very recording of it. */
  run: string;
  /** Lines written so far. */
  lines: number;
  /** True once a reply came that cannot be played: nothing more is written then. */
  unplayable: boolean;
  /** Requests played so far. */
  requests: number;
  /** The step that `calls` is about. */
  step: number;
  calls: { id: string; what: string; nth: number; attempts: number }[];
};

export const newReplayState = (): ReplayState => ({
  mode: "",
  key: "",
  run: "",
  lines: 0,
  unplayable: false,
  requests: 0,
  step: -1,
  calls: [],
});

/**
 * The place of a call in its run: step, tool and arguments, which of several equal ones it is, and which attempt. Call ids
 * are others in each run.
 */
export function placeOf(state: ReplayState, call: ToolCall): string {
  if (state.step !== call.step) Object.assign(state, { step: call.step, calls: [] });
  let known = state.calls.find(({ id }) => id === call.callId);
  if (known === undefined) {
    const what = digest(`${call.name} ${canonicalJson(call.arguments)}`);
    known = { id: call.callId, what, nth: state.calls.filter((other) => other.what === what).length, attempts: 0 };
    state.calls.push(known);
  }
  known.attempts += 1;
  return `${call.step} ${known.what} ${known.nth} ${known.attempts}`;
}
