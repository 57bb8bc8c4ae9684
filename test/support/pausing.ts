import { join } from "node:path";
import {
  type Decision,
  type HistoryOption,
  memorySession,
  type RunResult,
  type RunState,
  type SqliteSession,
  sqliteSession,
} from "@toolwright/core";
import { temporaryFolder } from "../sessions/support.js";

/** A result with a state to resume. */
export type Paused = RunResult & { readonly stopReason: "interrupted" };

/** The pause that a run must come to. */
export async function pause(run: Promise<RunResult>): Promise<Paused> {
  const result = await run;
  if (result.stopReason !== "interrupted") throw new Error(`The run ended as ${result.stopReason}.`);
  return result;
}

/** Approvals of calls. */
export const approve = (...callIds: readonly string[]): readonly Decision[] => callIds.map((callId) => ({ callId, approve: true }));

type Fields = Record<string, unknown>;

/** A state as whoever can write to its store sees it: fields that may be anything. */
export interface StoredState extends Fields {
  readonly calls: StoredCall[];
  readonly reply: Fields[];
}
export interface StoredCall extends Fields {
  agent?: StoredState | undefined;
}

/** A copy of a state as another process reads it, for an edit. */
export const stored = (state: RunState): StoredState => JSON.parse(JSON.stringify(state)) as StoredState;

/** A history of one owner, as a run starts on it and as another process opens it again. */
export interface Owned extends Disposable {
  readonly history: HistoryOption;
  /** What `resume` is given beside a state that was JSON: a session does not fit into it. */
  elsewhere(): { readonly history?: HistoryOption };
}

const plain = (history: HistoryOption): Owned => ({ history, elsewhere: () => ({}), [Symbol.dispose]() {} });

function inMemory(): Owned {
  const history: HistoryOption = { kind: "local", session: memorySession() };
  return { history, elsewhere: () => ({ history }), [Symbol.dispose]() {} };
}

function inFile(): Owned {
  const folder = temporaryFolder();
  const opened: SqliteSession[] = [];
  const open = (): HistoryOption => {
    const session = sqliteSession({ path: join(folder.path, "chats.db"), id: "chat" });
    opened.push(session);
    return { kind: "local", session };
  };
  return {
    history: open(),
    elsewhere: () => ({ history: open() }),
    [Symbol.dispose]() {
      for (const session of opened) session.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Everyone who can own a history. */
export const owners: readonly { readonly owner: string; readonly own: () => Owned }[] = [
  { owner: "the application", own: () => plain({ kind: "local" }) },
  { owner: "a session in memory", own: inMemory },
  { owner: "a session in a file", own: inFile },
  { owner: "a chain", own: () => plain({ kind: "chained" }) },
  { owner: "a conversation", own: () => plain({ kind: "conversation", id: "conv_1" }) },
];

/** For a stand-in server, so that the conversation of {@link owners} is there. */
export const withConversation = { conversations: ["conv_1"] } as const;
