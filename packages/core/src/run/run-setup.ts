import type { RunEvent } from "../contracts/event.js";
import type { RunStore, Session } from "../contracts/history.js";
import type { InputItem } from "../contracts/item.js";
import type { Decision, RunResult, RunState } from "../contracts/run.js";
import type { History } from "./history.js";
import type { Kernel } from "./kernel.js";
import type { Lanes } from "./lanes.js";
import type { UsageCounter } from "./usage.js";

/** How a run differs from the next one of the same agent. */
export interface RunSetup {
  readonly history: History;
  readonly store: RunStore | undefined;
  /** What `store` is a handle of; a pause names it. */
  readonly session: Session | undefined;
  readonly app: unknown;
  readonly signal: AbortSignal | undefined;
  /** Whether the model is asked for a stream. */
  readonly stream: boolean;
  /** Takes every event; may give back a promise, which the adapter awaits before it reads on. */
  readonly consumer: ((event: RunEvent) => void | Promise<void>) | undefined;
  /** A paused run that goes on. */
  readonly resumed: RunState | undefined;
  /** The run whose call this one answers. */
  readonly parent: ParentRun | undefined;
  /** Starts a run of an agent used as a tool. */
  readonly startNested: StartNested;
}

/** What a run needs of the one above it. */
export interface RunAbove {
  readonly path: readonly string[];
  readonly lanes: Lanes;
  readonly usage: UsageCounter;
  readonly app: unknown;
  readonly stream: boolean;
  markActed(): void;
  askRequest(model: string, path: readonly string[]): void;
}

/** A run above, and what this one is there. */
export interface ParentRun {
  readonly run: RunAbove;
  /** What the inner run is called: the same for all its resumes. */
  readonly id: string;
  readonly tool: string;
}

/** How a run inside another one is started. */
export interface NestedStart {
  readonly kernel: Kernel;
  readonly input: string | readonly InputItem[];
  readonly resumed: { readonly state: RunState; readonly decisions: readonly Decision[] } | undefined;
  readonly signal: AbortSignal;
  readonly consumer: RunSetup["consumer"];
  readonly parent: ParentRun;
  onRun(run: { readonly acted: boolean }): void;
}

export type StartNested = (start: NestedStart) => Promise<RunResult<unknown>>;
