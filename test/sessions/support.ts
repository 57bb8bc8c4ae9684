import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HistoryOption, type Item, memorySession, type Session, type SqliteSession, sqliteSession } from "@toolwright/core";

/** A session and the way to look at it again as another process would. */
export interface Kept extends Disposable {
  session: Session;
  /** Lets go of the session and opens it anew; a session in memory just stays. */
  reopen(): Session;
}

/** A folder that is gone when it is let go of. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "sessions "));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

function inMemory(): Kept {
  const session = memorySession();
  return { session, reopen: () => session, [Symbol.dispose]() {} };
}

function inFile(): Kept {
  const folder = temporaryFolder();
  const open = (): SqliteSession => sqliteSession({ path: join(folder.path, "chats.db"), id: "chat" });
  let session = open();
  return {
    session,
    reopen() {
      session.close();
      session = open();
      this.session = session;
      return session;
    },
    [Symbol.dispose]() {
      session.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Both kinds of sessions, which must come to the same. */
export const kinds = [
  { kind: "memory", make: inMemory },
  { kind: "sqlite", make: inFile },
] as const;

/** What a session holds, in the words of `result.history`. */
export async function historyOf(session: Session): Promise<HistoryOption> {
  const { items, unfinished } = await session.load();
  const outputs = new Set(
    items.slice(items.findLastIndex((item) => item.type !== "function_call_output") + 1).map((item) => item["call_id"]),
  );
  const open = (unfinished?.calls ?? []).map((call) => call.callId).filter((callId) => !outputs.has(callId));
  return { kind: "local", items, ...(open.length > 0 && { openCalls: open }) };
}

/** Items as the text that they are kept as: equal texts are equal in the order of their keys too. */
export const texts = (items: readonly Item[]): readonly string[] => items.map((item) => JSON.stringify(item));
