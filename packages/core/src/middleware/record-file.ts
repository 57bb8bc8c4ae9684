import { ToolwrightError } from "../errors/toolwright-error.js";
import type { RecordLine } from "./recording.js";

/** The file of recordings. Each line is written whole before the run goes on. */
export class RecordFile {
  readonly #path: string;
  #isReady = false;

  constructor(path: string) {
    // What the process does to its directory later must not give a run another file.
    this.#path = process.getBuiltinModule("node:path").resolve(path);
  }

  /** Its text; undefined when there is no such file. */
  read(): string | undefined {
    try {
      return fs().readFileSync(this.#path, "utf8");
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === "ENOENT") return undefined;
      throw this.#failed("read", error);
    }
  }

  append(line: RecordLine): void {
    const text = `${JSON.stringify(line)}\n`;
    try {
      const before = this.#isReady ? "" : this.#prepare();
      // It holds what users and tools have said.
      fs().appendFileSync(this.#path, `${before}${text}`, { mode: 0o600 });
      this.#isReady = true;
    } catch (error) {
      throw this.#failed("written", error);
    }
  }

  /** Makes the directory; gives what has to stand before the next line, since the last one may be torn. */
  #prepare(): string {
    const { mkdirSync, statSync, openSync, readSync, closeSync } = fs();
    mkdirSync(process.getBuiltinModule("node:path").dirname(this.#path), { recursive: true });
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return "";
    const last = Buffer.alloc(1);
    const handle = openSync(this.#path, "r");
    try {
      readSync(handle, last, 0, 1, size - 1);
    } finally {
      closeSync(handle);
    }
    return last.toString() === "\n" ? "" : "\n";
  }

  #failed(what: string, cause: unknown): ToolwrightError {
    if (ToolwrightError.is(cause)) return cause;
    return new ToolwrightError("RUN_REPLAY", `The recording ${this.#path} cannot be ${what}.`, { cause, fix: "See `cause`." });
  }
}

const fs = () => process.getBuiltinModule("node:fs");
