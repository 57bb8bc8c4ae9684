import type { RunInfo } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { quote } from "./options.js";
import { PlayedRun } from "./play-run.js";
import { RecordFile } from "./record-file.js";
import { RecordedRun } from "./record-run.js";
import { findRecording, type Recording } from "./recording.js";
import type { ReplayState } from "./replay-state.js";

/** How runs find their place in a file. */
export interface ReplaySetup {
  readonly file: string;
  readonly mode: "record" | "replay" | "auto";
  readonly key: string | ((run: RunInfo) => string);
}

/** The runs that are recorded to, or played from, one file. Shared on purpose: they are counted in the order in which they begin. */
export class ReplayRuns {
  readonly #setup: ReplaySetup;
  readonly #file: RecordFile;
  readonly #counts = new Map<string, number>();
  readonly #recorded = new WeakMap<RunInfo, RecordedRun>();
  readonly #played = new WeakMap<RunInfo, PlayedRun>();

  constructor(setup: ReplaySetup) {
    this.#setup = setup;
    this.#file = new RecordFile(setup.file);
  }

  /** @throws ToolwrightError `RUN_REPLAY` when there is nothing to play, or the file cannot be read or written. */
  begin(state: ReplayState, run: RunInfo): void {
    const { mode, file } = this.#setup;
    const isNew = state.mode === "";
    if (isNew) state.key = this.#name(run);
    const recording = state.mode === "record" || mode === "record" ? undefined : this.#find(state.key);
    if (isNew) state.mode = mode === "auto" ? (recording?.ended === true ? "replay" : "record") : mode;
    if (state.mode === "record") {
      const recorded = new RecordedRun(this.#file, state);
      if (isNew) recorded.begin();
      this.#recorded.set(run, recorded);
    } else if (recording === undefined) throw notRecorded(state.key, file);
    else this.#played.set(run, new PlayedRun(recording, state));
  }

  recorded(run: RunInfo): RecordedRun | undefined {
    return this.#recorded.get(run);
  }

  played(run: RunInfo): PlayedRun | undefined {
    return this.#played.get(run);
  }

  #find(key: string): Recording | undefined {
    const text = this.#file.read();
    return text === undefined ? undefined : findRecording(text, key, this.#setup.file);
  }

  #name(run: RunInfo): string {
    const { key } = this.#setup;
    const given: unknown = typeof key === "string" ? key : key(run);
    if (typeof given !== "string" || given === "") {
      throw new ToolwrightError("RUN_OPTIONS", `replay({ key }) must give a text; it gave ${quote(given)}.`);
    }
    const name = [...run.path, given].join("/");
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name}#${count}`;
  }
}

function notRecorded(key: string, file: string): ToolwrightError {
  return new ToolwrightError("RUN_REPLAY", `The file ${file} has no recording ${key}.`, {
    fix: 'Record it with `mode: "record"`, or let `mode: "auto"` do so.',
    details: { key },
  });
}
