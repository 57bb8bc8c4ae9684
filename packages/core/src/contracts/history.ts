import type { Item } from "./item.js";
import type { ToolOutcome } from "./outcome.js";

/** What identifies a call everywhere: servers reuse call ids. */
export interface CallIdentity {
  readonly runId: string;
  readonly step: number;
  readonly callId: string;
}

/** A reply with its calls whose outputs were not all recorded: what a crash in mid step, or a pause, leaves behind. */
export interface UnfinishedStep {
  readonly runId: string;
  readonly step: number;
  readonly responseId: string | undefined;
  readonly output: readonly Item[];
  readonly calls: readonly { readonly callId: string; readonly started: boolean; readonly outcome: ToolOutcome | undefined }[];
  /**
   * The pause in this step, as `outputs` named it: calls of it that have neither started nor settled wait for a person, and so do
   * those whose outcome is `interrupted`. Undefined after a crash.
   */
  readonly pausedBy?: string | undefined;
}

/**
 * Receives a run as it happens: new input, the reply before its calls start, each intent and outcome, then the outputs.
 * Each call resolves after the record is durable; a rejection fails the run.
 */
export interface RunStore {
  /** Becomes part of the history with the next reply, and is replaced by other input that comes before that. */
  input(items: readonly Item[]): Promise<void>;
  reply(step: {
    readonly runId: string;
    readonly step: number;
    readonly responseId: string | undefined;
    readonly output: readonly Item[];
  }): Promise<void>;
  /** Takes the place of what was recorded of the call before: an agent that has paused starts again. */
  started(call: CallIdentity & { readonly tool: string; readonly arguments: string; readonly idempotencyKey: string }): Promise<void>;
  outcome(call: CallIdentity, outcome: ToolOutcome): Promise<void>;
  /**
   * The outputs of a step, in the model's order; they take the place of those that were given for it before. The step is
   * finished then, unless `pausedBy` names a pause in it: calls without an output wait for a person.
   */
  outputs(step: {
    readonly runId: string;
    readonly step: number;
    readonly items: readonly Item[];
    readonly pausedBy?: string | undefined;
  }): Promise<void>;
}

/** What a session holds: all items, the reply and the outputs of an unfinished step among them. */
export interface LoadedSession {
  readonly items: readonly Item[];
  readonly unfinished: UnfinishedStep | undefined;
}

/** A session in the hands of one run. */
export interface HeldSession extends RunStore {
  load(): Promise<LoadedSession>;
  /** Lets others have it. What is written through this handle afterwards is refused. */
  release(): Promise<void>;
}

/** Items kept between runs. */
export interface Session extends RunStore {
  load(): Promise<LoadedSession>;
  /**
   * Takes the session for one run, so that two runs cannot mix their items. Left out, nothing stops a second run.
   *
   * @throws ToolwrightError `RUN_SESSION_BUSY` while another run has it.
   */
  acquire?(): Promise<HeldSession>;
}

/**
 * Who owns the history: exactly one of three.
 *
 * - `local`: the application. `store: false` is sent, and reasoning comes back encrypted and is kept.
 * - `chained`: the server, by `previous_response_id`; only new items are sent.
 * - `conversation`: the server, by a conversation's id.
 *
 * `outputs` are items that were not posted when a run stopped; the next request carries them. `openCalls` are calls of a
 * paused step that still wait for a person: a new run on this history answers them as skipped, and `begunCalls` among them, of
 * agents that had acted before they paused, as unknown. `callOrder` are all calls of
 * that step as the model made them, where the reply itself is not at hand: their outputs are sent in this order. `callTypes`
 * are the item types of those that are no function calls.
 */
export type HistoryOption =
  | {
      readonly kind: "local";
      readonly openCalls?: readonly string[] | undefined;
      readonly begunCalls?: readonly string[] | undefined;
      readonly callOrder?: never;
      readonly callTypes?: never;
      readonly items?: readonly Item[] | undefined;
      readonly session?: never;
      readonly previousResponseId?: never;
      readonly id?: never;
      readonly outputs?: never;
    }
  | {
      readonly kind: "local";
      readonly openCalls?: readonly string[] | undefined;
      readonly begunCalls?: readonly string[] | undefined;
      readonly callOrder?: never;
      readonly callTypes?: never;
      readonly session: Session;
      readonly items?: never;
      readonly previousResponseId?: never;
      readonly id?: never;
      readonly outputs?: never;
    }
  | {
      readonly kind: "chained";
      readonly openCalls?: readonly string[] | undefined;
      readonly begunCalls?: readonly string[] | undefined;
      readonly callOrder?: readonly string[] | undefined;
      readonly callTypes?: { readonly [callId: string]: string } | undefined;
      readonly previousResponseId?: string | undefined;
      readonly outputs?: readonly Item[] | undefined;
      readonly items?: never;
      readonly session?: never;
      readonly id?: never;
    }
  | {
      readonly kind: "conversation";
      readonly openCalls?: readonly string[] | undefined;
      readonly begunCalls?: readonly string[] | undefined;
      readonly callOrder?: readonly string[] | undefined;
      readonly callTypes?: { readonly [callId: string]: string } | undefined;
      readonly id: string;
      readonly outputs?: readonly Item[] | undefined;
      readonly items?: never;
      readonly session?: never;
      readonly previousResponseId?: never;
    };
