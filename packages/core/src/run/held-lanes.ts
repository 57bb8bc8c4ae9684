import { Lanes } from "./lanes.js";

// By run. An entry goes when the last method that holds a key has ended.
const held = new Map<string, Lanes>();

/** The lanes of a run that goes on: methods that were over their time before its pause hold their keys still. */
export function lanesOf(runId: string): Lanes {
  return held.get(runId) ?? new Lanes();
}

/** Keeps the lanes of a run that pauses, for as long as such methods run on. */
export function holdLanes(runId: string, lanes: Lanes): void {
  if (lanes.free) return;
  held.set(runId, lanes);
  lanes.onFree = () => void held.delete(runId);
}
