import { join } from "node:path";
import { type HistoryOption, memorySession, type SqliteSession, sqliteSession } from "@toolwright/core";
import { temporaryFolder } from "../sessions/support.js";
import type { PausePlan } from "./random-pauses-plan.js";

/** The history of a plan, and what a state in JSON does not hold of it. */
export class Kept implements Disposable {
  readonly file: string | undefined;
  readonly history: HistoryOption;
  readonly #folder: ReturnType<typeof temporaryFolder> | undefined;
  readonly #opened: SqliteSession[] = [];

  constructor({ kind }: PausePlan) {
    this.#folder = kind === "file" ? temporaryFolder() : undefined;
    this.file = this.#folder === undefined ? undefined : join(this.#folder.path, "chats.db");
    if (kind === "memory") this.history = { kind: "local", session: memorySession() };
    else if (kind === "file") this.history = this.#open();
    else if (kind === "conversation") this.history = { kind, id: "conv_1" };
    else this.history = kind === "chained" ? { kind } : { kind };
  }

  #open(): HistoryOption {
    const session = sqliteSession({ path: this.file ?? "", id: "chat" });
    this.#opened.push(session);
    return { kind: "local", session };
  }

  /** The session as somebody else opens it; undefined where there is none. */
  again(): HistoryOption | undefined {
    if (this.file !== undefined) return this.#open();
    return this.history.kind === "local" && this.history.session !== undefined ? this.history : undefined;
  }

  [Symbol.dispose](): void {
    for (const session of this.#opened) session.close();
    this.#folder?.[Symbol.dispose]();
  }
}
