import { type HistoryOption, memorySession, type RunStore, type Session } from "@toolwright/core";
import { sleep } from "./wait.js";

/** A record that a session was asked to keep, as a line: what it is, and of which call or step. */
export type RecordLine = string;

/** A session in memory that notes each record when it is asked for (`… begins`) and when it is kept. */
export interface RecordedSession {
  readonly history: HistoryOption & { readonly session: Session };
  readonly lines: RecordLine[];
}

/**
 * Makes one. Every record takes a moment, as on a disk, so that what does not wait for it is found out.
 *
 * @param refuses - makes the record whose line it is true for fail.
 */
export function recordedSession(refuses: (line: RecordLine) => boolean = () => false): RecordedSession {
  const inner = memorySession();
  const lines: RecordLine[] = [];
  const kept = async (line: RecordLine, keep: () => Promise<void>): Promise<void> => {
    lines.push(`${line} begins`);
    await sleep(3);
    if (refuses(line)) throw new Error("The disk is full.");
    await keep();
    lines.push(line);
  };
  const store: RunStore = {
    input: (items) => kept("input", () => inner.input(items)),
    reply: (step) => kept(`reply ${step.step}`, () => inner.reply(step)),
    started: (call) => kept(`started ${call.callId}`, () => inner.started(call)),
    outcome: (call, outcome) => kept(`outcome ${call.callId} ${outcome.kind}`, () => inner.outcome(call, outcome)),
    outputs: (step) => kept(`outputs ${step.step}`, () => inner.outputs(step)),
  };
  // Without `acquire`: one run at a time is the test's own doing.
  return { history: { kind: "local", session: { ...store, load: () => inner.load() } }, lines };
}
