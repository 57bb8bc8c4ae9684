import type { FunctionCallOutputItem, Item } from "./item.js";
import type { ToolOutcome } from "./outcome.js";

/** What identifies a call everywhere: servers reuse call ids. */
export interface CallIdentity {
  readonly runId: string;
  readonly step: number;
  readonly callId: string;
}

/** A reply with its calls that was recorded but whose outputs were not: what a crash in mid step leaves behind. */
export interface UnfinishedStep {
  readonly runId: string;
  readonly step: number;
  readonly responseId: string | undefined;
  readonly output: readonly Item[];
  readonly calls: readonly { readonly callId: string; readonly started: boolean; readonly outcome: ToolOutcome | undefined }[];
}

/**
 * Receives a run as it happens: new input, the reply before its calls start, each intent and outcome, then the outputs.
 * Each call resolves after the record is durable; a rejection fails the run.
 */
export interface RunStore {
  input(items: readonly Item[]): Promise<void>;
  reply(step: { readonly runId: string; readonly step: number; readonly responseId: string | undefined; readonly output: readonly Item[] }): Promise<void>;
  started(call: CallIdentity & { readonly tool: string; readonly arguments: string; readonly idempotencyKey: string }): Promise<void>;
  outcome(call: CallIdentity, outcome: ToolOutcome): Promise<void>;
  outputs(step: { readonly runId: string; readonly step: number; readonly items: readonly FunctionCallOutputItem[] }): Promise<void>;
}

/** Items kept between runs. */
export interface Session extends RunStore {
  load(): Promise<{ readonly items: readonly Item[]; readonly unfinished: UnfinishedStep | undefined }>;
}

/**
 * Who owns the history: exactly one of three.
 *
 * - `local`: the application. `store: false` is sent, and reasoning comes back encrypted and is kept.
 * - `chained`: the server, by `previous_response_id`; only new items are sent.
 * - `conversation`: the server, by a conversation's id.
 *
 * `outputs` are items that were not posted when a run stopped; the next request carries them. `openCalls` are calls of a
 * paused step that still wait for a person: a new run on this history answers them as skipped.
 */
export type HistoryOption =
  | {
      readonly kind: "local";
      readonly openCalls?: readonly string[] | undefined;
      readonly items?: readonly Item[] | undefined;
      readonly session?: never;
      readonly previousResponseId?: never;
      readonly id?: never;
      readonly outputs?: never;
    }
  | {
      readonly kind: "local";
      readonly openCalls?: readonly string[] | undefined;
      readonly session: Session;
      readonly items?: never;
      readonly previousResponseId?: never;
      readonly id?: never;
      readonly outputs?: never;
    }
  | {
      readonly kind: "chained";
      readonly openCalls?: readonly string[] | undefined;
      readonly previousResponseId?: string | undefined;
      readonly outputs?: readonly Item[] | undefined;
      readonly items?: never;
      readonly session?: never;
      readonly id?: never;
    }
  | {
      readonly kind: "conversation";
      readonly openCalls?: readonly string[] | undefined;
      readonly id: string;
      readonly outputs?: readonly Item[] | undefined;
      readonly items?: never;
      readonly session?: never;
      readonly previousResponseId?: never;
    };
