import type { ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { changedRequest, type PlainRequest, type RequestChange } from "./recorded-request.js";

/** An error of a request, as it is kept. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
  readonly fix: string | undefined;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether a stream had already told text of the reply that failed. */
  readonly seen: boolean;
}

/** What a request came to. */
export type RecordedReply = { readonly reply: ModelResponse } | { readonly error: RecordedError };

/** A line of the file. `run` names the recording, `n` counts its lines. */
export type RecordLine = { readonly run: string; readonly n: number } & (
  | { readonly type: "run"; readonly format: 1; readonly key: string }
  | ({ readonly type: "model"; readonly step: number; readonly request: RequestChange } & RecordedReply)
  | { readonly type: "tool"; readonly call: string; readonly name: string; readonly outcome: ToolOutcome }
  | { readonly type: "end"; readonly stopReason: string }
  /** What came next cannot be played, so that the recording ends here. */
  | { readonly type: "unplayable"; readonly why: string }
);

export type ModelLine = Extract<RecordLine, { readonly type: "model" }>;

/** One run out of a file. */
export interface Recording {
  readonly requests: readonly { readonly request: PlainRequest; readonly line: ModelLine }[];
  /** By the place of the call in the run. */
  readonly outcomes: ReadonlyMap<string, ToolOutcome>;
  /** Whether the run came to its end, or to a pause, while it was recorded. */
  readonly ended: boolean;
  /** What is wrong with it, as a sentence; "" when it is whole. */
  readonly problem: string;
}

/**
 * Finds the recording that a run is to be played from: the latest of its key, one that was ended if there is any.
 *
 * @throws ToolwrightError `RUN_REPLAY` for a file of another kind or version.
 */
export function findRecording(text: string, key: string, file: string): Recording | undefined {
  const { recordings, torn } = readLines(text, file);
  const ofKey = [...recordings.values()].filter(([first]) => first?.type === "run" && first.key === key);
  const lines = ofKey.findLast(isEnded) ?? ofKey.at(-1);
  return lines === undefined ? undefined : recordingOf(lines, torn);
}

const isEnded = (lines: readonly RecordLine[]): boolean => lines.at(-1)?.type === "end";

function readLines(
  text: string,
  file: string,
): { readonly recordings: ReadonlyMap<string, RecordLine[]>; readonly torn: readonly number[] } {
  const recordings = new Map<string, RecordLine[]>();
  const torn: number[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const record = parse(line);
    if (record === undefined) return void torn.push(index + 1);
    if (record.type === "run" && record.format !== 1) throw otherFile(file, index + 1);
    const lines = recordings.get(record.run) ?? [];
    recordings.set(record.run, lines);
    // A paused run that was resumed twice: what came later counts.
    if (record.n < lines.length) lines.length = record.n;
    if (record.n === lines.length) lines.push(record);
  });
  if (recordings.size === 0 && torn.length > 0) throw otherFile(file, torn[0] as number);
  return { recordings, torn };
}

function parse(line: string): RecordLine | undefined {
  try {
    const record = JSON.parse(line) as Partial<RecordLine> | null;
    return typeof record?.run === "string" && typeof record.n === "number" ? (record as RecordLine) : undefined;
  } catch {
    return undefined;
  }
}

function otherFile(file: string, line: number): ToolwrightError {
  return new ToolwrightError("RUN_REPLAY", `${file}, line ${line}, is not of a recording that this release can read.`, {
    fix: "Name another file, or record anew with this release.",
  });
}

function recordingOf(lines: readonly RecordLine[], torn: readonly number[]): Recording {
  const requests: { request: PlainRequest; line: ModelLine }[] = [];
  const outcomes = new Map<string, ToolOutcome>();
  for (const line of lines) {
    if (line.type === "model") requests.push({ request: changedRequest(line.request, requests.at(-1)?.request), line });
    if (line.type === "tool") outcomes.set(line.call, line.outcome);
  }
  const ended = isEnded(lines);
  const last = lines.at(-1);
  if (last?.type === "unplayable") return { requests, outcomes, ended, problem: last.why };
  const where = torn.length === 0 ? "" : ` Line ${torn.join(" and ")} of the file is torn: it was cut off while it was written.`;
  return { requests, outcomes, ended, problem: ended ? "" : `The recording has no end: it broke off while it was made.${where}` };
}
